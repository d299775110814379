"""Journey on TREC DL 2021: runs scored in a project equal the same files scored without."""

from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.corpus import service as corpus
from app.db import Database, transaction
from app.evaluation import service as evaluation
from app.evaluation.files import evaluate_files
from app.models import Project
from app.projects import service as projects
from app.queries import service as queries
from app.releases import service as releases
from app.retrieval import service as retrieval
from tests.data import collection

RUNS = ("mono_d3", "p_bm25")


def import_all(session: Session, folder: Path) -> Project:
    """Take corpus, queries, two runs and NIST's grades in, and freeze the labels."""
    project = projects.create_project(session, "dl21")
    for take, name in (
        (corpus.import_corpus, "corpus.jsonl"),
        (queries.import_queries, "queries.jsonl"),
    ):
        take(session, project, folder / name, file_name=name)
    for run in RUNS:
        path = folder / "runs" / f"{run}.trec"
        retrieval.import_run(
            session, project, path, name=run, file_name=path.name, allow_unknown=True
        )
    assignment.import_grades(
        session,
        project,
        folder / "qrels.trec",
        file_name="qrels.trec",
        grader_kind="sme",
        grader_name="NIST",
    )
    releases.cut_release(session, project)
    return project


def test_a_project_scores_as_the_files_do(database: Database) -> None:
    folder = collection("dl21-passage-A")
    paths = [str(folder / "runs" / f"{run}.trec") for run in RUNS]
    with transaction(database) as session:
        project = import_all(session, folder)

    for cut in (1, 2):
        with transaction(database) as session:
            scored = evaluation.evaluate_release(session, project, cut=cut)
            values = evaluation.all_values(session, scored)
        expected = evaluate_files(str(folder / "qrels.trec"), paths, cut=cut)["runs"]

        assert [each.name for each in scored] == list(RUNS)
        for each in scored:
            wanted = expected[each.name]
            means = {name: found["mean"] for name, found in each.summary["metrics"].items()}
            assert means == pytest.approx(wanted["mean"], rel=1e-12)
            assert wanted["queries"] == {
                query: pytest.approx(
                    {name: column[query] for name, column in values[each.name].items()},
                    rel=1e-12,
                )
                for query in wanted["queries"]
            }
