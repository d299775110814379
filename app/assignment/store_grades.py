"""Store of grades: events, the current ones, and what their cards are made of."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select, update
from sqlalchemy.orm import Session

from app.models import (
    Block,
    DocumentVersion,
    GradeEvent,
    Grader,
    Item,
    Project,
    Query,
    QueryVersion,
    Slot,
)

BATCH = 5_000


def card_parts(session: Session, item_ids: Sequence[int]) -> Sequence[Row[*tuple[Any, ...]]]:
    """Return what cards are made of; at most some hundred items at a time."""
    return session.execute(
        select(
            Item.id,
            Item.whole,
            Item.span_start,
            Item.span_end,
            QueryVersion.id.label("query_version_id"),
            QueryVersion.text.label("query"),
            QueryVersion.need,
            DocumentVersion.id.label("document_version_id"),
            DocumentVersion.title,
            DocumentVersion.text,
            Project.context_chars,
        )
        .join(Query, Query.id == Item.query_ref)
        .join(QueryVersion, QueryVersion.id == Query.current_version_id)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Project, Project.id == Item.project_id)
        .where(Item.id.in_(item_ids))
    ).all()


def events_on(session: Session, slot_id: int, grader_id: int) -> list[GradeEvent]:
    """Return everything a grader said on a slot, as it arrived.

    ``+ 0`` keeps SQLite off the index of all that the grader ever said.
    """
    return list(
        session.scalars(
            select(GradeEvent)
            .where(GradeEvent.slot_id == slot_id, GradeEvent.grader_id + 0 == grader_id)
            .order_by(GradeEvent.id)
        )
    )


def current_on(session: Session, slot_id: int, grader_id: int) -> GradeEvent | None:
    return session.scalars(
        select(GradeEvent).where(
            GradeEvent.slot_id == slot_id,
            GradeEvent.grader_id == grader_id,
            GradeEvent.current.is_(True),
        )
    ).one_or_none()


def add_event(session: Session, event: GradeEvent, old: GradeEvent | None) -> GradeEvent:
    """Add an event; the one it supersedes is current no longer."""
    if old is not None:
        old.current = False
        session.flush()  # the one current row a slot may have
        event.supersedes_id = old.id
    session.add(event)
    session.flush()
    return event


def newest_grade(
    session: Session, project_id: int, grader_id: int
) -> tuple[GradeEvent, Slot] | None:
    """Return a grader's newest current grade on a slot, with the slot."""
    row = session.execute(
        select(GradeEvent, Slot)
        .join(Slot, Slot.id == GradeEvent.slot_id)
        .join(Block, Block.id == Slot.block_id)
        .where(
            GradeEvent.grader_id == grader_id,
            GradeEvent.current.is_(True),
            GradeEvent.withdrawn.is_(False),
            Block.project_id == project_id,
        )
        .order_by(GradeEvent.id.desc())
        .limit(1)
    ).one_or_none()
    return (row[0], row[1]) if row else None


def withdrawal_of(session: Session, grader_id: int, key: str, newest: int = 20) -> str | None:
    """Return the token of the slot that the same press of undo opened already."""
    lately = (
        select(GradeEvent.id)
        .where(GradeEvent.grader_id == grader_id)
        .order_by(GradeEvent.id.desc())
        .limit(newest)
    )
    return session.scalars(
        select(Slot.token)
        .join(GradeEvent, GradeEvent.slot_id == Slot.id)
        .where(
            GradeEvent.id.in_(lately),
            GradeEvent.withdrawn.is_(True),
            GradeEvent.token == key,
        )
        .limit(1)
    ).one_or_none()


def imported_on(
    session: Session, grader_id: int, item_ids: Sequence[int]
) -> dict[int, Row[int, int, int | None]]:
    """Return item to (item, event, value) of a grader's current grades without a slot."""
    rows = session.execute(
        select(GradeEvent.item_id, GradeEvent.id, GradeEvent.value).where(
            GradeEvent.grader_id == grader_id,
            GradeEvent.slot_id.is_(None),
            GradeEvent.current.is_(True),
            GradeEvent.item_id.in_(item_ids),
        )
    )
    return {row[0]: row for row in rows}


def supersede(session: Session, event_ids: Sequence[int]) -> None:
    """Mark events as no longer current."""
    session.execute(
        update(GradeEvent)
        .where(GradeEvent.id.in_(event_ids))
        .values(current=False)
        .execution_options(synchronize_session=False)
    )


def current_grades(
    session: Session, project_id: int, kind: str | None, item_ids: Sequence[int] | None
) -> Iterator[Row[*tuple[Any, ...]]]:
    """Stream the grades in force by item, each with its grader's kind and its sample."""
    wanted = [
        Grader.project_id == project_id,
        GradeEvent.current.is_(True),
        GradeEvent.withdrawn.is_(False),
    ]
    if kind is not None:
        wanted.append(Grader.kind == kind)
    if item_ids is not None:
        wanted.append(GradeEvent.item_id.in_(item_ids))
    rows = session.execute(
        select(
            GradeEvent.id,
            GradeEvent.item_id,
            GradeEvent.grader_id,
            Grader.kind,
            GradeEvent.value,
            GradeEvent.slot_kind,
            Slot.split,
            Slot.inclusion,
        )
        .join(Grader, Grader.id == GradeEvent.grader_id)
        .outerjoin(Slot, Slot.id == GradeEvent.slot_id)
        .where(*wanted)
        .order_by(GradeEvent.item_id, GradeEvent.id),
        execution_options={"yield_per": BATCH},
    )
    return iter(rows)


def count_since(session: Session, grader_id: int, since: datetime) -> int:
    """Count a grader's current grades on slots that were given since a moment."""
    return session.scalars(
        select(func.count()).where(
            GradeEvent.grader_id == grader_id,
            GradeEvent.created_at >= since,
            GradeEvent.current.is_(True),
            GradeEvent.withdrawn.is_(False),
            GradeEvent.slot_id.is_not(None),
        )
    ).one()
