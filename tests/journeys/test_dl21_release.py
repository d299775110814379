"""Journey on TREC DL 2021: agreement, a release, its export, and scores as published."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.agreement import service as agreement
from app.assignment import service as assignment
from app.corpus import service as corpus
from app.db import Database, transaction
from app.evaluation.files import evaluate_files
from app.projects import service as projects
from app.queries import service as queries
from app.releases import service as releases
from tests.data import collection

METRICS = {
    "ndcg@10": "ndcg_cut_10", "ndcg@20": "ndcg_cut_20", "map": "map", "mrr": "recip_rank",
    "precision@10": "P_10", "recall@10": "recall_10", "r_precision": "Rprec",
}  # fmt: skip
RUNS = ("p_bm25", "TUW_TAS-B_768", "uogTrPC", "ielab-uniCOIL")
"""Of twelve; tests/evaluation scores all of them with the published labels."""


def expected_of(folder: Path, name: str) -> Any:
    return json.loads((folder / "expected" / name).read_text(encoding="utf-8"))


def store_labels(database: Database, folder: Path) -> None:
    with transaction(database) as session:
        project = projects.create_project(session, "dl21")
        for take, name in (
            (corpus.import_corpus, "corpus.jsonl"),
            (queries.import_queries, "queries.jsonl"),
        ):
            take(session, project, folder / name, file_name=name)
        assignment.import_grades(
            session,
            project,
            folder / "qrels.trec",
            file_name="qrels.trec",
            grader_kind="sme",
            grader_name="NIST",
        )
        assignment.import_grades(
            session,
            project,
            folder / "judges" / "umbrela-gpt-4o.trec",
            file_name="umbrela-gpt-4o.trec",
            grader_kind="judge",
            grader_name="umbrela-gpt-4o",
        )


def test_nist_labels_leave_as_they_came_and_score_as_published(
    database: Database, tmp_path: Path
) -> None:
    folder = collection("dl21-passage-A")
    store_labels(database, folder)

    with transaction(database) as session:
        project = projects.project_by_slug(session, "dl21")
        report = agreement.measure_judge(session, project, "umbrela-gpt-4o")
        manifest = releases.cut_release(session, project).manifest
    path = tmp_path / "qrels.trec"
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, "dl21")
        path.write_bytes(b"".join(releases.export(session, project, form="trec")))

    at_cut = expected_of(folder, "agreement.json")["judges"]["umbrela-gpt-4o"]["at_threshold"]
    wanted = at_cut["human>=1,judge>=1"]
    assert [report.here[key] for key in ("tpr", "tnr", "kappa_binary")] == pytest.approx(
        [wanted["TPR"], wanted["TNR"], wanted["kappa"]], abs=5e-5
    )
    assert manifest["counts"]["consensus"] == [2030, 1670, 1384, 632]
    _check_scores(folder, path)


def _check_scores(folder: Path, qrels: Path) -> None:
    published = expected_of(folder, "metrics.json")["runs"]
    runs = [str(folder / "runs" / f"{name}.trec") for name in RUNS]
    found = evaluate_files(str(qrels), runs)["runs"]
    for name in RUNS:
        figures = published[name]
        # One run ties in 32 bits; either value is right for its tool.
        both = [figures["all_l1"], figures["all_l1_with_32bit_scores_pytrec_eval"]]
        for metric, key in METRICS.items():
            value = found[name]["mean"][metric]
            near = min(abs(value - one[key]) for one in both if key in one)
            assert near < 5.1e-5, (name, metric)
