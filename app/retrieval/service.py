"""Service of retrieval: planning the built-in runs, importing others, reading them all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy.orm import Session

from app import jobs
from app.errors import Conflict, Invalid, NotFound
from app.models import Project, Run
from app.outside.addresses import check_address
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import store
from app.retrieval.importing import import_run
from app.retrieval.planning import (
    DEFAULT_DEPTH,
    JOB,
    PlannedRun,
    default_chunking,
    job_key,
    name_embedder,
    plan_runs,
)
from app.retrieval.reports import RunReport, explain
from app.retrieval.store import ShownHit, StoredHit
from app.settings import secret_names

__all__ = [
    "DEFAULT_DEPTH",
    "JOB",
    "PlannedRun",
    "RunReport",
    "ShownHit",
    "StoredHit",
    "default_chunking",
    "explain",
    "import_run",
    "job_key",
    "name_embedder",
    "plan_runs",
]

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a run returned for one query; None hits: the run has not answered it."""

    query_ref: int
    query_id: str
    text: str
    hits: int | None
    milliseconds: float | None


def list_runs(session: Session, project_id: int) -> list[Run]:
    """Return the runs of a project, whatever their state, oldest first."""
    return store.runs_of(session, project_id)


def runs_done(session: Session, project_id: int) -> list[Run]:
    """Return the runs that are complete, oldest first."""
    return [run for run in store.runs_of(session, project_id) if run.state == "done"]


def runs_by_ids(session: Session, run_ids: Sequence[int]) -> list[Run]:
    """Return these runs in this order."""
    return [session.get_one(Run, run_id) for run_id in run_ids]


def run_by_name(session: Session, project_id: int, name: str) -> Run:
    """Return a run or refuse."""
    run = None if "\x00" in name else store.run_by_name(session, project_id, name)
    if run is None:
        raise NotFound(f"There is no run {name[:200]!r} in this project.")
    return run


def hits_of(session: Session, run_id: int, depth: int | None = None) -> Iterator[StoredHit]:
    """Yield a run's hits by query and rank, down to ``depth``, as a stream."""
    return store.hits_of(session, run_id, depth)


def shown_hits(session: Session, run_id: int, query_ref: int) -> list[ShownHit]:
    """Return the first 100 hits of one query with titles and snippets, best first."""
    return store.shown_hits(session, run_id, query_ref, MOST_SHOWN)


def answers_of(session: Session, run: Run) -> list[QueryAnswer]:
    """Return what a run returned for every query of the project, in the order of import."""
    counts = store.query_counts(session, run.id)
    return [
        QueryAnswer(
            query.query_ref,
            query.query_id,
            query.text,
            *counts.get(query.query_ref, (None, None)),
        )
        for query in queries.list_current(session, run.project_id)
    ]


def pick_answer(answers: Sequence[QueryAnswer], query_id: str) -> QueryAnswer | None:
    """Return the answer to a query, or to the first one where none is named.

    Raises:
        NotFound: there is no such query.
    """
    if not query_id:
        return answers[0] if answers else None
    chosen = next((each for each in answers if each.query_id == query_id), None)
    if chosen is None:
        raise NotFound(f"There is no query {query_id[:200]!r} in this project.")
    return chosen


def quote_name(name: str) -> str:
    """Return a run's name as the last part of its page's address."""
    return quote(name, safe="/@:")


def need_names(names: Sequence[str]) -> Sequence[str]:
    """Return the names, or refuse where a form chose none."""
    if not names:
        raise Invalid("Choose at least one retriever and one way to cut the documents.")
    return names


def mean_milliseconds(session: Session, project_id: int) -> dict[int, float]:
    """Return run id to mean milliseconds a query, for runs that were timed."""
    return store.mean_milliseconds(session, project_id)


def open_runs(session: Session) -> list[Run]:
    """Return the planned and running runs of all projects."""
    return store.open_runs(session)


def cancel_run(session: Session, project: Project, name: str, *, by: int | None = None) -> Run:
    """Stop a run that is under way; what it found is kept for when it is asked for again."""
    run = run_by_name(session, project.id, name)
    run = store.lock_run(session, run.id)
    if run.state not in ("planned", "running"):
        raise Conflict(f"{name} is not under way.")
    run.state = "cancelled"
    projects.record(session, project.id, "cancelled", f"run {name}", by=by)
    jobs.cancel_after_commit(session, [job_key(run)])
    return run


def set_embedder(
    session: Session,
    project: Project,
    *,
    url: str,
    model: str,
    key_name: str,
    allowed: tuple[str, ...],
    by: int | None = None,
) -> None:
    """Say which OpenAI-compatible endpoint makes the dense vectors; no address means LSA.

    ``allowed`` are the URL prefixes that may be called besides public addresses.

    Raises:
        Invalid: the address must not be called, no model, or no such key.
    """
    if url:
        check_address(url, allowed)
    if url and not model:
        raise Invalid("An embeddings endpoint needs the name of a model.")
    if url and key_name and key_name not in secret_names():
        raise Invalid(f"There is no key {key_name} where Goldspan runs.")
    project.embed_url = url or None
    project.embed_model = model or None if url else None
    project.embed_key_name = key_name or None if url else None
    projects.record(session, project.id, "embedder", name_embedder(project), by=by)
