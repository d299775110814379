"""Journey on span-gold: gold spans imported and released, three chunkings scored by them."""

import json
from pathlib import Path

import pytest

from app.assignment import service as assignment
from app.corpus import service as corpus
from app.db import Database, transaction
from app.evaluation import reports
from app.evaluation import service as evaluation
from app.evaluation.files import evaluate_files
from app.projects import service as projects
from app.queries import service as queries
from app.releases import service as releases
from app.retrieval import service as retrieval
from tests.data import collection
from tests.retrieval.building import answer, plan

CUTS = ("chars:400:100", "paragraphs", "sentences:600")


def import_all(database: Database, folder: Path) -> None:
    """Take corpus, queries and gold spans in, and freeze the labels."""
    with transaction(database) as session:
        project = projects.create_project(session, "gold")
        for take, name in (
            (corpus.import_corpus, "corpus.jsonl"),
            (queries.import_queries, "queries.jsonl"),
        ):
            take(session, project, folder / name, file_name=name)
        assignment.import_grades(
            session,
            project,
            folder / "gold_spans.jsonl",
            file_name="gold_spans.jsonl",
            grader_kind="sme",
            grader_name="gold",
        )
        releases.cut_release(session, project)


def write_run(database: Database, name: str, path: Path) -> str:
    """Write a run as JSON lines of spans, as other tools would get it."""
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, "gold")
        run = retrieval.run_by_name(session, project.id, name)
        lines = [
            {
                "query_id": hit.query_id,
                "doc_id": hit.span.doc_id,
                "start": hit.span.start,
                "end": hit.span.end,
                "score": -hit.rank,
            }
            for hit in retrieval.hits_of(session, run.id)
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_three_chunkings_are_scored_by_the_same_gold_spans(
    database: Database, tmp_path: Path
) -> None:
    folder = collection("span-gold")
    import_all(database, folder)
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, "gold")
    for planned in plan(database, project, *(f"bm25@{cut}" for cut in CUTS)):
        answer(database, tmp_path, planned.run.id)
    with transaction(database) as session:
        scored = evaluation.evaluate_release(session, project)

    assert [group.chunking for group in reports.group_runs(scored)] == list(CUTS)
    for each in scored:
        means = {name: found["mean"] for name, found in each.summary["metrics"].items()}
        assert (each.summary["unit"], each.summary["queries"]) == ("span", 317)
        assert 0.5 < means["mrr"] < 0.9
        assert means["hit@5"] <= means["hit@10"] <= means["hit@20"]
        assert 0.85 < means["recall@20"] <= means["hit@20"] <= 1
        assert 0.2 < means["coverage@2000c"] < 0.95
        characters = each.summary["metrics"]["coverage@2000c"]["characters"]
        assert 1_500 < characters <= 2_000
        assert each.share("human", 10) == 1.0
    path = write_run(database, "bm25@paragraphs", tmp_path / "run.jsonl")
    by_file = evaluate_files(str(folder / "gold_spans.jsonl"), [path])["runs"]["run"]["mean"]
    stored = scored[1].summary["metrics"]
    assert {name: stored[name]["mean"] for name in by_file} == pytest.approx(by_file)
