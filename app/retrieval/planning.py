"""Planning: which built-in runs to make, which are there already, which start again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app import jobs
from app.corpus import service as corpus
from app.domain.chunking import Chunking
from app.errors import Invalid
from app.models import Project, Run
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import store
from app.retrieval.retrievers import KINDS, Retriever, choose_chunking, parse_retriever

JOB = "retrieve-run"
DEFAULT_DEPTH = 20
MAX_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run that was asked for; not fresh: it was there already and nothing was added."""

    run: Run
    fresh: bool


def default_chunking(session: Session, project_id: int) -> Chunking:
    """Return the chunking of a retriever named without one: it depends on the documents."""
    counts = corpus.counts(session, project_id)
    return choose_chunking(counts.known, counts.characters)


def plan_runs(
    session: Session,
    project: Project,
    retrievers: Sequence[str] = (),
    depth: int = DEFAULT_DEPTH,
    *,
    by: int | None = None,
) -> list[PlannedRun]:
    """Plan a run of each built-in retriever (all three without names) and enqueue it.

    A run that is there, unchanged and deep enough, is left alone. Where corpus, queries,
    depth or embedder changed, a new run is made: ``NAME #2``. One that failed starts again.

    Raises:
        Invalid: no such retriever, a depth out of range, or nothing to retrieve from.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise Invalid(f"The depth is 1 to {MAX_DEPTH:,} hits a query, not {depth:,}.")
    default = default_chunking(session, project.id)
    wanted = [parse_retriever(text, default) for text in retrievers or KINDS]
    projects.lock(session, project.id)
    basis = _Basis.of(session, project, depth)
    return [_plan_run(session, project, each, basis, by) for each in dict.fromkeys(wanted)]


@dataclass(frozen=True, slots=True)
class _Basis:
    """What the hits of a run follow from, beside the retriever's name."""

    corpus: str
    queries: str
    total: int
    depth: int
    embedder: str

    @classmethod
    def of(cls, session: Session, project: Project, depth: int) -> "_Basis":
        total = len(queries.list_current(session, project.id))
        if total == 0 or corpus.counts(session, project.id).known == 0:
            raise Invalid(
                f"There are no {'queries' if total == 0 else 'documents'} to retrieve with "
                f"yet. Import them first: goldspan import "
                f"{'queries' if total == 0 else 'corpus'} {project.slug} FILE"
            )
        return cls(
            corpus.fingerprint(session, project.id),
            queries.fingerprint(session, project.id),
            total,
            depth,
            name_embedder(project),
        )

    def covers(self, run: Run) -> bool:
        """Say whether the run's hits follow from the same, and are deep enough."""
        same = (run.corpus_fingerprint, run.query_fingerprint) == (self.corpus, self.queries)
        embedder = run.report.get("embedder") in (None, self.embedder)
        return same and embedder and run.depth >= self.depth


def name_embedder(project: Project) -> str:
    """Return what makes the vectors of the dense retriever, as people read it."""
    if project.embed_url is None:
        return "LSA"
    return f"{project.embed_model} at {project.embed_url}"


def _plan_run(
    session: Session, project: Project, retriever: Retriever, basis: _Basis, by: int | None
) -> PlannedRun:
    earlier = store.runs_by_retriever(session, project.id, str(retriever))
    for run in earlier:
        if run.state not in ("failed", "cancelled") and basis.covers(run):
            return PlannedRun(run, fresh=False)
    broken = next((run for run in earlier if run.state in ("failed", "cancelled")), None)
    if broken is None:
        run = _add_run(session, project, retriever, basis)
    else:
        run = _restart(session, broken, basis)
    projects.record(session, project.id, "retrieving", run.name, by=by)
    jobs.after_commit(session, JOB, key=job_key(run), args=(run.id,))
    return PlannedRun(run, fresh=True)


def _add_run(session: Session, project: Project, retriever: Retriever, basis: _Basis) -> Run:
    run = Run(
        project_id=project.id,
        name=_free_name(session, project.id, str(retriever)),
        retriever=str(retriever),
        chunking=str(retriever.chunking),
        corpus_fingerprint=basis.corpus,
        query_fingerprint=basis.queries,
        depth=basis.depth,
        state="planned",
        queries_total=basis.total,
        report=_first_report(retriever, basis, attempt=1),
    )
    session.add(run)
    session.flush()
    return run


def _restart(session: Session, run: Run, basis: _Basis) -> Run:
    """Plan a broken run again; what it found already is kept where it is still right."""
    if not basis.covers(run) or run.depth != basis.depth:
        store.drop_answers(session, run.id)
        run.queries_done = run.hits_total = 0
    retriever = parse_retriever(run.retriever or "", Chunking("whole"))
    attempt = int(run.report.get("attempt", 1)) + 1
    run.report = _first_report(retriever, basis, attempt=attempt)
    run.corpus_fingerprint, run.query_fingerprint = basis.corpus, basis.queries
    run.depth, run.queries_total = basis.depth, basis.total
    run.state, run.error = "planned", None
    session.flush()
    return run


def _first_report(retriever: Retriever, basis: _Basis, *, attempt: int) -> dict[str, Any]:
    embedder = None if retriever.kind == "bm25" else basis.embedder
    return {"attempt": attempt, "embedder": embedder}


def _free_name(session: Session, project_id: int, name: str) -> str:
    taken = {run.name for run in store.runs_of(session, project_id)}
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name} #{number}"
    return free


def job_key(run: Run) -> str:
    """Return the key of a run's work; another attempt is other work."""
    return f"retrieve:{run.id}:{run.report.get('attempt', 1)}"
