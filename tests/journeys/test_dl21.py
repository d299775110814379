"""Journey on TREC DL 2021: import, pool, and grades of experts and of a judge."""

import json
from collections import Counter
from pathlib import Path

from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.assignment.graders import Kind
from app.corpus import service as corpus
from app.db import Database, transaction
from app.models import Project
from app.pooling import service as pooling
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import service as retrieval
from tests.data import collection


def test_the_pool_and_the_grades_of_a_real_collection(database: Database) -> None:
    folder = collection("dl21-passage-A")
    expected = json.loads((folder / "expected" / "pool.json").read_text())["depth"]["20"]

    with transaction(database) as session:
        project = projects.create_project(session, "dl21")
        _import_all(session, project, folder)
    with transaction(database) as session:
        project = projects.project_by_slug(session, "dl21")
        report = pooling.build(session, project)
        smes = Counter(
            row.value for row in assignment.current_grades(session, project.id, kind="sme")
        )
        judges = list(assignment.current_grades(session, project.id, kind="judge"))

    wanted = expected["by_score"]
    assert (report.items, report.unknown) == (
        wanted["pairs_all_queries"],
        wanted["of_these_unjudged"],
    )
    assert (report.items, report.unknown, report.queries) == (3183, 836, 27)
    assert smes == {0: 2030, 1: 1670, 2: 1384, 3: 632}
    assert len(judges) == 5716
    with transaction(database) as session:
        project = projects.project_by_slug(session, "dl21")
        assert _plan_for_the_judge(session, project) == (200, 2, 0)
        again = assignment.import_grades(
            session,
            project,
            folder / "qrels.trec",
            file_name="qrels.trec",
            grader_kind="sme",
            grader_name="NIST",
        )
        assert again.already


def _import_all(session: Session, project: Project, folder: Path) -> None:
    corpus.import_corpus(session, project, folder / "corpus.jsonl", file_name="corpus.jsonl")
    queries.import_queries(
        session, project, folder / "queries.jsonl", file_name="queries.jsonl"
    )
    for path in sorted((folder / "runs").iterdir()):
        retrieval.import_run(
            session, project, path, name=path.stem, file_name=path.name, allow_unknown=True
        )
    sources: list[tuple[Kind, str, Path]] = [
        ("sme", "NIST", folder / "qrels.trec"),
        ("judge", "umbrela-gpt-4o", folder / "judges" / "umbrela-gpt-4o.trec"),
    ]
    for kind, name, path in sources:
        assignment.import_grades(
            session, project, path, file_name=path.name, grader_kind=kind, grader_name=name
        )


def _plan_for_the_judge(session: Session, project: Project) -> tuple[int, int, int]:
    preview = assignment.preview_plan(session, project, rest="judge")
    return preview.sample, preview.seats, preview.rest
