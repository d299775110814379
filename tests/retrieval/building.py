"""Building: small projects to retrieve from, on a database with real commits."""

from collections.abc import Mapping
from pathlib import Path

from app.db import Database, transaction
from app.models import Project, Run
from app.retrieval import jobs as _jobs  # noqa: F401 - makes its work known
from app.retrieval import service
from app.retrieval.answering import answer_run
from app.settings import Settings
from tests.factories import make_document, make_project, make_query

TEXTS = {
    "returns": "An opened item may be returned within 14 days.\n\nThe seal must be unbroken.",
    "laptops": "Engineers get a new laptop every 36 months.\n\nOthers every 48 months.",
    "cpp": "We write C++ and Rust. The title is foo.",
    "tokyo": "東京の夏は暑い。大阪も暑い。",
    "empty": "",
}
QUERIES = {
    "q1": "When may opened items be returned?",
    "q2": "laptop refresh for engineers",
    "q3": 'C++ "x',
    "q4": "title:foo AND (",
    "q5": "大阪の夏",
    "q6": "zzz qqq",
    "q7": "?!",
}


def build_project(
    database: Database,
    texts: Mapping[str, str] = TEXTS,
    queries: Mapping[str, str] = QUERIES,
    *,
    titled: bool = True,
) -> Project:
    """Make a project with these documents and queries."""
    with transaction(database) as session:
        project = make_project(session)
        for doc_id, text in texts.items():
            title = doc_id.capitalize() if titled else ""
            make_document(session, project, text, doc_id=doc_id, title=title)
        for query_id, text in queries.items():
            make_query(session, project, text, query_id=query_id)
    return project


def plan(
    database: Database, project: Project, *retrievers: str, depth: int = 20
) -> list[service.PlannedRun]:
    with transaction(database) as session:
        known = session.get_one(Project, project.id)
        return service.plan_runs(session, known, retrievers, depth)


def answer(database: Database, folder: Path, run_id: int) -> Run:
    """Answer a run in this process and return it as it is stored then."""
    answer_run(database, Settings(data_dir=folder), run_id)
    return stored(database, run_id)


def stored(database: Database, run_id: int) -> Run:
    with transaction(database, write=False) as session:
        return session.get_one(Run, run_id)


def retrieve(
    database: Database, folder: Path, project: Project, retriever: str, depth: int = 20
) -> Run:
    """Plan and answer one run."""
    (planned,) = plan(database, project, retriever, depth=depth)
    return answer(database, folder, planned.run.id)


def found(database: Database, run: Run) -> dict[str, list[str]]:
    """Return the hits by query: ``document`` or ``document#start-end``, best first."""
    lists: dict[str, list[str]] = {}
    with transaction(database, write=False) as session:
        for hit in service.hits_of(session, run.id):
            span = hit.span
            text = span.doc_id if span.whole else f"{span.doc_id}#{span.start}-{span.end}"
            lists.setdefault(hit.query_id, []).append(text)
    return lists
