"""Store of retrieval: runs, the queries they have answered, and their hits."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from app.db import bulk_insert
from app.domain.spans import Span
from app.models import Document, DocumentVersion, Hit, Query, Run, RunQuery

BATCH = 5_000
HIT_COLUMNS = (
    "run_id", "query_ref", "rank", "document_version_id", "whole", "span_start", "span_end",
    "score",
)  # fmt: skip
HitRow = tuple[int, int, int, int, bool, int, int, float]
"""The values of ``HIT_COLUMNS``."""
RunQueryRow = tuple[int, int, int, float | None]
"""Run, query, number of hits, milliseconds."""
SNIPPET = 240  # characters of a hit that a page shows


@dataclass(frozen=True, slots=True)
class StoredHit:
    """One hit of a run, in the run's declared order; ``rank`` 1 is best."""

    query_ref: int
    query_id: str
    rank: int
    version_id: int
    span: Span
    score: float | None


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit with what a page shows of its document; ``snippet`` None: not in the corpus."""

    rank: int
    span: Span
    score: float | None
    title: str
    snippet: str | None
    length: int | None  # of the document, in code points


def runs_of(session: Session, project_id: int) -> list[Run]:
    """Return the runs in the order they were made."""
    return list(
        session.scalars(select(Run).where(Run.project_id == project_id).order_by(Run.id))
    )


def run_by_name(session: Session, project_id: int, name: str) -> Run | None:
    return session.scalars(
        select(Run).where(Run.project_id == project_id, Run.name == name)
    ).one_or_none()


def runs_by_retriever(session: Session, project_id: int, retriever: str) -> list[Run]:
    """Return the runs of one built-in retriever, newest first."""
    return list(
        session.scalars(
            select(Run)
            .where(Run.project_id == project_id, Run.retriever == retriever)
            .order_by(Run.id.desc())
        )
    )


def open_runs(session: Session) -> list[Run]:
    """Return the runs that a worker still has to finish."""
    return list(
        session.scalars(
            select(Run).where(Run.state.in_(("planned", "running"))).order_by(Run.id)
        )
    )


def answered_queries(session: Session, run_id: int) -> set[int]:
    """Return the queries a run has answered already, with or without hits."""
    return set(session.scalars(select(RunQuery.query_ref).where(RunQuery.run_id == run_id)))


def hits_of(session: Session, run_id: int, depth: int | None = None) -> Iterator[StoredHit]:
    """Yield the hits of a run by query and rank, a few thousand in memory at a time."""
    wanted = (
        select(
            Hit.query_ref,
            Query.query_id,
            Hit.rank,
            Hit.document_version_id,
            Document.doc_id,
            Hit.whole,
            Hit.span_start,
            Hit.span_end,
            DocumentVersion.length,
            Hit.score,
        )
        .join(Query, Query.id == Hit.query_ref)
        .join(DocumentVersion, DocumentVersion.id == Hit.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(Hit.run_id == run_id)
        .order_by(Hit.query_ref, Hit.rank)
    )
    if depth is not None:
        wanted = wanted.where(Hit.rank <= depth)
    rows = session.execute(wanted, execution_options={"yield_per": BATCH})
    for ref, query_id, rank, version_id, doc_id, whole, start, end, length, score in rows:
        span = Span(doc_id, start, length if whole else end, whole=whole)
        yield StoredHit(ref, query_id, rank, version_id, span, score)


def shown_hits(session: Session, run_id: int, query_ref: int, limit: int) -> list[ShownHit]:
    """Return the first hits of one query with titles and the beginnings of their texts."""
    rows = session.execute(
        select(
            Hit.rank,
            Document.doc_id,
            Hit.whole,
            Hit.span_start,
            Hit.span_end,
            DocumentVersion.length,
            Hit.score,
            DocumentVersion.title,
            func.substr(DocumentVersion.text, Hit.span_start + 1, SNIPPET),
        )
        .join(DocumentVersion, DocumentVersion.id == Hit.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(Hit.run_id == run_id, Hit.query_ref == query_ref)
        .order_by(Hit.rank)
        .limit(limit)
    )
    return [
        ShownHit(
            rank,
            Span(doc_id, start, length if whole else end, whole=whole),
            score,
            title,
            None if snippet is None else snippet[: SNIPPET if whole else end - start],
            length,
        )
        for rank, doc_id, whole, start, end, length, score, title, snippet in rows
    ]


def query_counts(session: Session, run_id: int) -> dict[int, tuple[int, float | None]]:
    """Return, per query the run answered, its number of hits and its milliseconds."""
    rows = session.execute(
        select(RunQuery.query_ref, RunQuery.hits, RunQuery.milliseconds).where(
            RunQuery.run_id == run_id
        )
    )
    return {ref: (hits, milliseconds) for ref, hits, milliseconds in rows}


def mean_milliseconds(session: Session, project_id: int) -> dict[int, float]:
    """Return, per run that was timed, the mean milliseconds of a query."""
    rows = session.execute(
        select(RunQuery.run_id, func.avg(RunQuery.milliseconds))
        .join(Run, Run.id == RunQuery.run_id)
        .where(Run.project_id == project_id, RunQuery.milliseconds.is_not(None))
        .group_by(RunQuery.run_id)
    )
    return {run_id: float(mean) for run_id, mean in rows}


def add_hits(session: Session, rows: Iterable[HitRow]) -> None:
    """Insert hits; the rows may be a stream."""
    bulk_insert(session, Hit, HIT_COLUMNS, rows)


def add_run_queries(session: Session, rows: Iterable[RunQueryRow]) -> None:
    """Insert the queries that a run has answered."""
    bulk_insert(session, RunQuery, ("run_id", "query_ref", "hits", "milliseconds"), rows)


def count_progress(session: Session, run_id: int, *, queries: int, hits: int) -> None:
    """Add to what a run has done; in the database, so that two workers cannot lose a count."""
    session.execute(
        update(Run)
        .where(Run.id == run_id)
        .values(queries_done=Run.queries_done + queries, hits_total=Run.hits_total + hits)
    )


def lock_run(session: Session, run_id: int) -> Run:
    """Return a run that no other transaction changes until this one ends."""
    return session.scalars(
        select(Run)
        .where(Run.id == run_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()


def drop_answers(session: Session, run_id: int) -> None:
    """Forget what a run found, so that it starts again."""
    session.execute(delete(Hit).where(Hit.run_id == run_id))
    session.execute(delete(RunQuery).where(RunQuery.run_id == run_id))
