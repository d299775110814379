"""Store of pairs: which items a batch is about, and what came of each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    any_,
    bindparam,
    exists,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from app.models import (
    Attempt,
    BatchPair,
    Document,
    DocumentVersion,
    GradeEvent,
    Grader,
    Item,
    PoolItem,
    Slot,
)

IN_FORCE = GradeEvent.current.is_(True)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items of a pool a judge is asked about, besides those it has graded."""

    pool_id: int
    grader_id: int
    access: Sequence[str] = ()
    """Labels of restricted documents that may be sent."""
    ungraded: bool = False
    """Only items that nobody has graded."""
    validation: bool = False
    """Only items of the validation sample."""
    query_refs: Sequence[int] | None = None
    """Only items of these queries."""


def count_wanted(session: Session, wanted: Wanted) -> tuple[int, int]:
    """Return the pairs that may be asked, and those that access refuses."""
    allowed = _may_receive(wanted.access)
    row = session.execute(
        _select(
            session, wanted, func.count().filter(allowed), func.count().filter(not_(allowed))
        )
    ).one()
    return row[0], row[1]


def sample_wanted(session: Session, wanted: Wanted, pairs: int, size: int) -> list[int]:
    """Return about ``size`` item ids, evenly spread over the ``pairs`` wanted ones."""
    step = max(1, pairs // size)
    numbered = (
        _select(session, wanted, Item.id.label("id"), _place().label("place"))
        .where(_may_receive(wanted.access))
        .subquery()
    )
    picked = select(numbered.c.id).where((numbered.c.place - 1) % step == 0).limit(size)
    return list(session.scalars(picked))


def add_pairs(session: Session, batch_id: int, wanted: Wanted, size: int) -> int:
    """Add the wanted items to a batch in chunks of ``size``, by query; return their number."""
    rows = _select(
        session,
        wanted,
        literal(batch_id),
        Item.id,
        (_place() - 1) // size,
        literal("open"),
    ).where(_may_receive(wanted.access))
    names = ["batch_id", "item_id", "chunk", "state"]
    session.execute(insert(BatchPair).from_select(names, rows))
    counted = select(func.count()).where(BatchPair.batch_id == batch_id)
    return session.scalar(counted) or 0


def _place() -> ColumnElement[int]:
    # pairs of one query stand together: endpoints keep what their prompts share
    return func.row_number().over(order_by=(Item.query_ref, Item.id))


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def _select(
    session: Session, wanted: Wanted, *columns: ColumnElement[Any] | Any
) -> Select[*tuple[Any, ...]]:
    """Select from the gradable items of a pool that the judge has not graded."""
    return (
        select(*columns)
        .select_from(PoolItem)
        .join(Item, Item.id == PoolItem.item_id)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(
            PoolItem.pool_id == wanted.pool_id,
            PoolItem.gradable.is_(True),
            ~_has_grade(GradeEvent.grader_id == wanted.grader_id),
            *_narrow(session, wanted),
        )
    )


def _has_grade(*which: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(
        GradeEvent.item_id == Item.id, IN_FORCE, GradeEvent.withdrawn.is_(False), *which
    )


def _narrow(session: Session, wanted: Wanted) -> list[ColumnElement[bool]]:
    rules: list[ColumnElement[bool]] = []
    if wanted.ungraded:
        rules.append(~_has_grade())
    if wanted.validation:
        rules.append(exists().where(Slot.item_id == Item.id, Slot.kind == "validation"))
    if wanted.query_refs is not None:
        rules.append(_is_one_of(session, wanted.query_refs))
    return rules


def _is_one_of(session: Session, query_refs: Sequence[int]) -> ColumnElement[bool]:
    """Compare with many ids in one variable, as a statement has room for few."""
    if _is_sqlite(session):
        listed = func.json_each(json.dumps(list(query_refs))).table_valued("value")
        return Item.query_ref.in_(select(listed.c.value))
    return Item.query_ref == any_(literal(list(query_refs), ARRAY(BigInteger)))


def _may_receive(access: Sequence[str]) -> ColumnElement[bool]:
    return or_(Document.access.is_(None), Document.access == "", Document.access.in_(access))


def count_restricted(session: Session, pool_id: int) -> list[tuple[str, int]]:
    """Return the access labels in a pool, each with its number of items."""
    rows = session.execute(
        select(Document.access, func.count())
        .select_from(PoolItem)
        .join(Item, Item.id == PoolItem.item_id)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(PoolItem.pool_id == pool_id, Document.access.is_not(None))
        .group_by(Document.access)
        .order_by(Document.access)
    )
    return [(str(label), count) for label, count in rows]


def settle_known(session: Session, batch_id: int, chunk: int, grader_id: int) -> None:
    """Close the open pairs of a chunk that the judge has graded elsewhere meanwhile."""
    grade = (
        select(GradeEvent.id)
        .where(
            GradeEvent.item_id == BatchPair.item_id,
            GradeEvent.grader_id == grader_id,
            IN_FORCE,
            GradeEvent.withdrawn.is_(False),
        )
        .limit(1)
        .scalar_subquery()
    )
    session.execute(
        update(BatchPair)
        .where(*_open(batch_id, chunk), grade.is_not(None))
        .values(state="done", grade_id=grade)
        .execution_options(synchronize_session=False)
    )


def refuse_restricted(
    session: Session, batch_id: int, chunk: int, access: Sequence[str]
) -> None:
    """Fail the open pairs of a chunk whose documents have become restricted meanwhile."""
    restricted = (
        select(Item.id)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(Item.id == BatchPair.item_id, not_(_may_receive(access)))
    )
    session.execute(
        update(BatchPair)
        .where(*_open(batch_id, chunk), restricted.exists())
        .values(state="failed", reason="restricted document")
        .execution_options(synchronize_session=False)
    )


def open_items(session: Session, batch_id: int, chunk: int) -> list[int]:
    """Return the items of a chunk still to be asked about, those of a query together."""
    return list(
        session.scalars(
            select(BatchPair.item_id)
            .join(Item, Item.id == BatchPair.item_id)
            .where(*_open(batch_id, chunk))
            .order_by(Item.query_ref, Item.id)
        )
    )


def _open(batch_id: int, chunk: int) -> tuple[ColumnElement[bool], ...]:
    return (
        BatchPair.batch_id == batch_id,
        BatchPair.chunk == chunk,
        BatchPair.state == "open",
    )


def begin_attempts(
    session: Session, batch_id: int, item_ids: Sequence[int], moment: datetime
) -> list[int]:
    """Record calls about to be made and return their ids, in the same order."""
    if not item_ids:
        return []
    rows = [
        {"batch_id": batch_id, "item_id": item_id, "started_at": moment, "suspicious": False}
        for item_id in item_ids
    ]
    return list(
        session.scalars(
            insert(Attempt).returning(Attempt.id, sort_by_parameter_order=True), rows
        )
    )


def end_attempts(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Record how calls ended; each row has ``attempt_id`` and the columns to set."""
    if not rows:
        return
    names = [name for name in rows[0] if name != "attempt_id"]
    statement = (
        update(Attempt.__table__)  # type: ignore[arg-type]
        .where(Attempt.__table__.c.id == bindparam("attempt_id"))
        .values({name: bindparam(name) for name in names})
    )
    session.connection().execute(statement, list(rows))


def end_pairs(session: Session, batch_id: int, rows: Sequence[dict[str, Any]]) -> None:
    """Settle pairs: each row has ``for_item``, ``state``, ``reason`` and ``grade_id``.

    What is done stays done; a verdict that comes after a failure is taken.
    """
    if not rows:
        return
    pairs = BatchPair.__table__.c
    statement = (
        update(BatchPair.__table__)  # type: ignore[arg-type]
        .where(
            and_(
                pairs.batch_id == batch_id,
                pairs.item_id == bindparam("for_item"),
                pairs.state != "done",
            )
        )
        .values(
            state=bindparam("state"), reason=bindparam("reason"), grade_id=bindparam("grade_id")
        )
    )
    session.connection().execute(statement, list(rows))


def find_grader(session: Session, judge_id: int) -> Grader | None:
    return session.scalars(select(Grader).where(Grader.judge_id == judge_id)).one_or_none()
