"""Store of judging: judges, batches and their chunks."""

from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, insert, select, text, union, update
from sqlalchemy.orm import Session

from app.models import (
    Attempt,
    Batch,
    BatchChunk,
    BatchPair,
    Document,
    DocumentVersion,
    Item,
    Judge,
    Project,
    Query,
    QueryVersion,
)

AT_WORK = text("batches.state IN ('planned', 'running', 'paused')")


def judges_of(session: Session, project_id: int) -> list[Judge]:
    """Return the judges, the newest first."""
    return list(
        session.scalars(
            select(Judge).where(Judge.project_id == project_id).order_by(Judge.id.desc())
        )
    )


def judge_by_name(session: Session, project_id: int, name: str) -> Judge | None:
    return session.scalars(
        select(Judge).where(Judge.project_id == project_id, Judge.name == name)
    ).one_or_none()


def judge_by_identity(session: Session, project_id: int, identity: str) -> Judge | None:
    return session.scalars(
        select(Judge).where(Judge.project_id == project_id, Judge.identity_hash == identity)
    ).one_or_none()


def endpoints_of_key(session: Session, key_name: str) -> list[str]:
    """Return the addresses that judges and embedders of any project send a key to."""
    found = session.scalars(
        union(
            select(Judge.endpoint).where(Judge.key_name == key_name),
            select(Project.embed_url).where(Project.embed_key_name == key_name),
        )
    )
    return [each for each in found if each is not None]


def batches_of(session: Session, project_id: int) -> list[Batch]:
    """Return the batches of a project, oldest first: the place is the batch's number."""
    return list(
        session.scalars(select(Batch).where(Batch.project_id == project_id).order_by(Batch.id))
    )


def number_of(session: Session, batch: Batch) -> int:
    """Return the number of a batch in its project, from 1."""
    counted = select(func.count()).where(
        Batch.project_id == batch.project_id, Batch.id <= batch.id
    )
    return session.scalar(counted) or 0


def batch_by_number(session: Session, project_id: int, number: int) -> Batch | None:
    if number < 1:
        return None
    return session.scalars(
        select(Batch)
        .where(Batch.project_id == project_id)
        .order_by(Batch.id)
        .offset(number - 1)
        .limit(1)
    ).one_or_none()


def has_work(session: Session, judge_id: int) -> bool:
    """Tell whether a batch of the judge is under way or paused."""
    return bool(session.scalar(select(exists().where(Batch.judge_id == judge_id, AT_WORK))))


def take_batch(session: Session, batch_id: int) -> Batch:
    """Read a batch again and lock its row, so that one at a time changes its state."""
    return session.scalars(
        select(Batch)
        .where(Batch.id == batch_id)
        # rows that refer to the batch may still be added meanwhile
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one()


def batches_at_work(session: Session) -> list[Batch]:
    """Return the batches of all projects that are planned, running or paused."""
    return list(session.scalars(select(Batch).where(AT_WORK).order_by(Batch.id)))


def add_chunks(session: Session, batch_id: int, count: int) -> None:
    rows = [{"batch_id": batch_id, "number": number} for number in range(count)]
    for start in range(0, count, 5_000):
        session.execute(
            insert(BatchChunk), [row | STARTING for row in rows[start : start + 5_000]]
        )


STARTING: dict[str, Any] = {"attempt": 1, "state": "planned"}


def chunk_of(session: Session, batch_id: int, number: int) -> BatchChunk:
    return session.get_one(BatchChunk, (batch_id, number))


def open_chunks(session: Session, batch_id: int, limit: int) -> list[tuple[int, int]]:
    """Return number and attempt of the first chunks that are not done."""
    rows = session.execute(
        select(BatchChunk.number, BatchChunk.attempt)
        .where(BatchChunk.batch_id == batch_id, BatchChunk.state == "planned")
        .order_by(BatchChunk.number)
        .limit(limit)
    )
    return [(number, attempt) for number, attempt in rows]


def finish_chunk(session: Session, batch_id: int, number: int) -> None:
    session.execute(
        update(BatchChunk)
        .where(BatchChunk.batch_id == batch_id, BatchChunk.number == number)
        .values(state="done")
    )


def has_open_chunk(session: Session, batch_id: int) -> bool:
    wanted = exists().where(BatchChunk.batch_id == batch_id, BatchChunk.state == "planned")
    return bool(session.scalar(select(wanted)))


def send_again(session: Session, batch_id: int) -> None:
    """Give the chunks that are not done a new attempt."""
    session.execute(
        update(BatchChunk)
        .where(BatchChunk.batch_id == batch_id, BatchChunk.state == "planned")
        .values(attempt=BatchChunk.attempt + 1)
        .execution_options(synchronize_session=False)
    )


def reopen_failed(session: Session, batch_id: int) -> None:
    """Open the pairs that failed, and the chunks they are in."""
    failed = BatchPair.batch_id == batch_id, BatchPair.state == "failed"
    session.execute(
        update(BatchChunk)
        .where(
            BatchChunk.batch_id == batch_id,
            BatchChunk.number.in_(select(BatchPair.chunk).where(*failed)),
        )
        .values(state="planned")
        .execution_options(synchronize_session=False)
    )
    session.execute(
        update(BatchPair)
        .where(*failed)
        .values(state="open", reason=None)
        .execution_options(synchronize_session=False)
    )


def count_pairs(session: Session, batch_id: int) -> dict[str, int]:
    """Count the pairs of a batch by state, from an index."""
    rows = session.execute(
        select(BatchPair.state, func.count())
        .where(BatchPair.batch_id == batch_id)
        .group_by(BatchPair.state)
    )
    return {row[0]: row[1] for row in rows}


def count_reasons(session: Session, batch_id: int) -> list[tuple[str, int]]:
    """Return why pairs failed, the most frequent first."""
    rows = session.execute(
        select(BatchPair.reason, func.count())
        .where(BatchPair.batch_id == batch_id, BatchPair.state == "failed")
        .group_by(BatchPair.reason)
        .order_by(func.count().desc(), BatchPair.reason)
    )
    return [(reason or "unknown", count) for reason, count in rows]


def count_unknown(session: Session, batch_id: int) -> int:
    """Count the calls of which nobody knows how they ended, from an index."""
    wanted = text("attempts.outcome IS NULL")
    return (
        session.scalar(
            select(func.count())
            .select_from(Attempt)
            .where(Attempt.batch_id == batch_id, wanted)
        )
        or 0
    )


def sum_calls(session: Session, batch_id: int) -> tuple[int, ...]:
    """Return calls, those with a token count, tokens in, of them cached, out, suspicious."""
    row = session.execute(
        select(
            func.count(),
            func.count(Attempt.tokens_in),
            func.coalesce(func.sum(Attempt.tokens_in), 0),
            func.coalesce(func.sum(Attempt.tokens_cached), 0),
            func.coalesce(func.sum(Attempt.tokens_out), 0),
            func.count().filter(Attempt.suspicious.is_(True)),
        ).where(Attempt.batch_id == batch_id)
    ).one()
    return tuple(int(value or 0) for value in row)


def newest_calls(session: Session, batch_id: int, limit: int) -> list[tuple[Attempt, str, str]]:
    """Return the newest calls of a batch, each with the query's text and a document's name."""
    rows = session.execute(
        select(Attempt, QueryVersion.text, DocumentVersion.title, Document.doc_id)
        .join(Item, Item.id == Attempt.item_id)
        .join(Query, Query.id == Item.query_ref)
        .join(QueryVersion, QueryVersion.id == Query.current_version_id)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(Attempt.batch_id == batch_id)
        .order_by(Attempt.id.desc())
        .limit(limit)
    )
    return [(call, query, title or doc_id) for call, query, title, doc_id in rows]


def newest_starts(session: Session, batch_id: int, limit: int) -> list[tuple[datetime, str]]:
    """Return when the newest calls that ended began, and how they ended."""
    rows = session.execute(
        select(Attempt.started_at, Attempt.outcome)
        .where(Attempt.batch_id == batch_id, Attempt.outcome.is_not(None))
        .order_by(Attempt.id.desc())
        .limit(limit)
    )
    return [(started, str(outcome)) for started, outcome in rows]
