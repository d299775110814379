"""Store of plans: waves, their blocks and slots, and what was planned before."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import exists, func, insert, select
from sqlalchemy.orm import Session

from app.models import Block, GradeEvent, Grader, Membership, Plan, Query, Slot, User

BATCH = 5_000


def plans_of(session: Session, project_id: int) -> list[Plan]:
    """Return the waves of a project in order."""
    return list(
        session.scalars(select(Plan).where(Plan.project_id == project_id).order_by(Plan.wave))
    )


def planned_items(session: Session, project_id: int) -> Iterator[int]:
    """Stream the items that have a slot in any wave."""
    return session.scalars(
        select(Slot.item_id)
        .join(Block, Block.id == Slot.block_id)
        .where(Block.project_id == project_id)
        .execution_options(yield_per=BATCH)
    )


def graded_items(session: Session, project_id: int) -> Iterator[int]:
    """Stream the items of which an SME has a grade in force."""
    return session.scalars(
        select(GradeEvent.item_id)
        .join(Grader, Grader.id == GradeEvent.grader_id)
        .where(
            Grader.project_id == project_id,
            Grader.kind == "sme",
            GradeEvent.current.is_(True),
            GradeEvent.withdrawn.is_(False),
        )
        .execution_options(yield_per=BATCH)
    )


def last_position(session: Session, project_id: int) -> int:
    """Return the place of the last block in the queue, 0 without one."""
    found = session.scalars(
        select(func.max(Block.position)).where(Block.project_id == project_id)
    ).one()
    return found or 0


def query_groups(session: Session, project_id: int) -> dict[int, tuple[str, dict[str, Any]]]:
    """Return query number to its id and tags."""
    rows = session.execute(
        select(Query.id, Query.query_id, Query.tags).where(Query.project_id == project_id)
    )
    return {ref: (query_id, tags) for ref, query_id, tags in rows}


def add_blocks(
    session: Session, plan_id: int, rows: Sequence[dict[str, Any]]
) -> dict[tuple[int, int], int]:
    """Insert blocks and return (query, seat) to block id."""
    _insert(session, Block, rows)
    found = session.execute(
        select(Block.query_ref, Block.seat, Block.id).where(Block.plan_id == plan_id)
    )
    return {(query, seat): block_id for query, seat, block_id in found}


def add_slots(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    _insert(session, Slot, rows)


def _insert(session: Session, table: Any, rows: Sequence[dict[str, Any]]) -> None:
    session.flush()
    for start in range(0, len(rows), BATCH):
        session.connection().execute(insert(table), rows[start : start + BATCH])


def count_members(session: Session, project_id: int, role: str) -> int:
    """Count the active people with a role."""
    return session.scalars(
        select(func.count())
        .select_from(Membership)
        .join(User, User.id == Membership.user_id)
        .where(
            Membership.project_id == project_id,
            Membership.role == role,
            User.active.is_(True),
        )
    ).one()


def has_judge(session: Session, project_id: int) -> bool:
    wanted = exists().where(Grader.project_id == project_id, Grader.kind == "judge")
    return bool(session.scalar(select(wanted)))
