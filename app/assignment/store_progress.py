"""Store of progress: counts of slots, grades and skips."""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models import Block, GradeEvent, Grader, Plan, Skip, Slot


def slots_by_wave(session: Session, project_id: int) -> dict[tuple[int, str], dict[str, int]]:
    """Return (wave, kind) to slot state to count; cancelled slots are not wanted any more."""
    rows = session.execute(
        select(Plan.wave, Plan.kind, Slot.state, func.count())
        .join(Block, Block.plan_id == Plan.id)
        .join(Slot, Slot.block_id == Block.id)
        .where(Plan.project_id == project_id, Slot.state != "cancelled")
        .group_by(Plan.wave, Plan.kind, Slot.state)
        .order_by(Plan.wave)
    )
    found: dict[tuple[int, str], dict[str, int]] = {}
    for wave, kind, state, count in rows:
        found.setdefault((wave, kind), {})[state] = count
    return found


def grades_by_grader(
    session: Session, project_id: int
) -> dict[int, tuple[int, datetime | None]]:
    """Return SME to the number of current grades and the moment of the newest."""
    rows = session.execute(
        select(GradeEvent.grader_id, func.count(), func.max(GradeEvent.created_at))
        .join(Grader, Grader.id == GradeEvent.grader_id)
        .where(
            Grader.project_id == project_id,
            Grader.kind == "sme",
            GradeEvent.current.is_(True),
            GradeEvent.withdrawn.is_(False),
        )
        .group_by(GradeEvent.grader_id)
    )
    return {grader: (count, newest) for grader, count, newest in rows}


def skips_by_grader(session: Session, project_id: int) -> dict[int, dict[str, int]]:
    """Return SME to reason to the number of cards set aside and not graded since."""
    graded = (
        select(GradeEvent.id)
        .where(
            GradeEvent.slot_id == Skip.slot_id,
            GradeEvent.grader_id == Skip.grader_id,
            GradeEvent.current.is_(True),
            GradeEvent.withdrawn.is_(False),
        )
        .exists()
    )
    rows = session.execute(
        select(Skip.grader_id, Skip.reason, func.count())
        .join(Grader, Grader.id == Skip.grader_id)
        .where(Grader.project_id == project_id, ~graded)
        .group_by(Skip.grader_id, Skip.reason)
        .order_by(Skip.reason)
    )
    found: dict[int, dict[str, int]] = {}
    for grader, reason, count in rows:
        found.setdefault(grader, {})[reason] = count
    return found


def open_by_grader(session: Session, project_id: int) -> dict[int, int]:
    """Return SME to the open cards of the block they hold."""
    rows = session.execute(
        select(Block.grader_id, func.count())
        .join(Slot, Slot.block_id == Block.id)
        .where(Block.project_id == project_id, Block.state == "held", Slot.state == "open")
        .group_by(Block.grader_id)
    )
    return {grader: count for grader, count in rows if grader is not None}


def count_extra(session: Session, project_id: int) -> int:
    return session.scalars(
        select(func.count())
        .select_from(GradeEvent)
        .join(Grader, Grader.id == GradeEvent.grader_id)
        .where(
            Grader.project_id == project_id,
            GradeEvent.slot_kind == "extra",
            GradeEvent.current.is_(True),
            GradeEvent.withdrawn.is_(False),
        )
    ).one()


def count_own(session: Session, grader_id: int) -> tuple[int, int]:
    """Count the cards an SME set aside, and the blocks they finished."""
    skipped = session.scalars(
        select(func.count()).select_from(Skip).where(Skip.grader_id == grader_id)
    ).one()
    finished = session.scalars(
        select(func.count())
        .select_from(Block)
        .where(Block.grader_id == grader_id, Block.state == "done")
    ).one()
    return skipped, finished


def count_open(session: Session, block_id: int) -> int:
    return session.scalars(
        select(func.count())
        .select_from(Slot)
        .where(Slot.block_id == block_id, Slot.state == "open")
    ).one()
