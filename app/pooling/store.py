"""Store of pooling: hits of runs by query, items by identity, what a pool holds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, bindparam, exists, func, select, update
from sqlalchemy.orm import Session

from app.db import bulk_insert, insert_ignore
from app.models import (
    Document,
    DocumentVersion,
    Hit,
    Item,
    Member,
    Pool,
    PoolItem,
    PoolRun,
    Query,
)

BATCH = 5_000
HitRow = Row[int, int, int, int, bool, int, int, float | None]
"""query, run, rank, document version, whole, start, end, score"""
PoolItemRow = tuple[int, int, bool, int, int, int]
"""pool, item, gradable, best rank, number of runs, round"""
MemberRow = tuple[int, int, int, int, float | None, int, int]
"""pool, item, run, rank, score, start, end"""


@dataclass(frozen=True, slots=True)
class ItemKey:
    """What makes an item: query, document version, and the span (0, 0 if it is whole)."""

    query_ref: int
    version_id: int
    whole: bool
    start: int
    end: int


def pool_of(session: Session, project_id: int) -> Pool | None:
    return session.scalars(
        select(Pool).where(Pool.project_id == project_id).order_by(Pool.id).limit(1)
    ).one_or_none()


def pooled_runs(session: Session, pool_id: int) -> dict[int, PoolRun]:
    """Return run id to how deep it was pooled, in the order they came."""
    found = session.scalars(
        select(PoolRun)
        .where(PoolRun.pool_id == pool_id)
        .order_by(PoolRun.round, PoolRun.run_id)
    )
    return {each.run_id: each for each in found}


def query_refs(session: Session, project_id: int) -> list[int]:
    """Return the queries of a project by number, which is the order of paging."""
    return list(
        session.scalars(
            select(Query.id).where(Query.project_id == project_id).order_by(Query.id)
        )
    )


def hits_between(
    session: Session, run_ids: Sequence[int], first: int, last: int, depth: int
) -> Iterator[HitRow]:
    """Stream the hits of a range of queries, by query, run and rank."""
    rows = session.execute(
        select(
            Hit.query_ref,
            Hit.run_id,
            Hit.rank,
            Hit.document_version_id,
            Hit.whole,
            Hit.span_start,
            Hit.span_end,
            Hit.score,
        )
        .where(Hit.run_id.in_(run_ids), Hit.query_ref.between(first, last), Hit.rank <= depth)
        .order_by(Hit.query_ref, Hit.run_id, Hit.rank),
        execution_options={"yield_per": BATCH},
    )
    return iter(rows)


def unknown_versions(session: Session, project_id: int) -> set[int]:
    """Return the versions whose text nobody has."""
    return set(
        session.scalars(
            select(DocumentVersion.id)
            .join(Document, Document.id == DocumentVersion.document_ref)
            .where(Document.project_id == project_id, DocumentVersion.text.is_(None))
        )
    )


def items_of(session: Session, refs: Sequence[int]) -> dict[ItemKey, int]:
    """Return identity to item id of all items of some queries."""
    rows = session.execute(
        select(
            Item.id,
            Item.query_ref,
            Item.document_version_id,
            Item.whole,
            Item.span_start,
            Item.span_end,
        ).where(Item.query_ref.in_(refs))
    )
    return {
        ItemKey(query, version, whole, 0 if whole else start, 0 if whole else end): item_id
        for item_id, query, version, whole, start, end in rows
    }


def add_items(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Insert items; those that are there already stay."""
    for start in range(0, len(rows), BATCH):
        insert_ignore(session, Item, rows[start : start + BATCH])


def add_pool_items(session: Session, rows: Iterable[PoolItemRow]) -> None:
    """Put items into a pool."""
    columns = ("pool_id", "item_id", "gradable", "best_rank", "run_count", "round")
    bulk_insert(session, PoolItem, columns, rows)


def add_members(session: Session, rows: Iterable[MemberRow]) -> None:
    """Say which hits items stand for."""
    columns = ("pool_id", "item_id", "run_id", "rank", "score", "span_start", "span_end")
    bulk_insert(session, Member, columns, rows)


def pooled_items(
    session: Session, pool_id: int, refs: Sequence[int]
) -> Sequence[Row[int, int, int, bool, int, int]]:
    """Return (query, item, version, whole, start, end) of a pool's items, oldest first."""
    rows = session.execute(
        select(
            Item.query_ref,
            Item.id,
            Item.document_version_id,
            Item.whole,
            Item.span_start,
            Item.span_end,
        )
        .join(PoolItem, PoolItem.item_id == Item.id)
        .where(PoolItem.pool_id == pool_id, Item.query_ref.in_(refs))
        .order_by(Item.query_ref, Item.id)
    )
    return rows.all()


def members_of(
    session: Session, pool_id: int, refs: Sequence[int]
) -> Sequence[Row[int, int, int]]:
    """Return (item, run, rank) of everything pooled for some queries."""
    rows = session.execute(
        select(Member.item_id, Member.run_id, Member.rank)
        .join(Item, Item.id == Member.item_id)
        .where(Member.pool_id == pool_id, Item.query_ref.in_(refs))
    )
    return rows.all()


def update_evidence(session: Session, pool_id: int, rows: Sequence[dict[str, int]]) -> None:
    """Set best rank and number of runs of items that the pool had before."""
    if rows:
        session.connection().execute(
            update(PoolItem)
            .where(PoolItem.pool_id == pool_id, PoolItem.item_id == bindparam("item"))
            .values(best_rank=bindparam("best"), run_count=bindparam("runs")),
            rows,
        )


def note_known_texts(session: Session, pool_id: int) -> None:
    """Make items gradable whose document has got its text since they were pooled."""
    known = exists().where(
        Item.id == PoolItem.item_id,
        DocumentVersion.id == Item.document_version_id,
        DocumentVersion.text.is_not(None),
    )
    session.execute(
        update(PoolItem)
        .where(PoolItem.pool_id == pool_id, PoolItem.gradable.is_(False), known)
        .values(gradable=True)
        .execution_options(synchronize_session=False)
    )


def gradable_items(session: Session, pool_id: int) -> Iterator[tuple[int, int]]:
    """Stream (query, item) of the pool's items whose text is known, by query and item."""
    rows = session.execute(
        select(Item.query_ref, Item.id)
        .join(PoolItem, PoolItem.item_id == Item.id)
        .where(PoolItem.pool_id == pool_id, PoolItem.gradable.is_(True))
        .order_by(Item.query_ref, Item.id),
        execution_options={"yield_per": BATCH},
    )
    return ((query, item) for query, item in rows)


def count_gradable(session: Session, pool_id: int) -> tuple[int, int]:
    """Return the number of items, and of those whose text is known."""
    row = session.execute(
        select(func.count(), func.count().filter(PoolItem.gradable.is_(True))).where(
            PoolItem.pool_id == pool_id
        )
    ).one()
    return row[0], row[1]
