"""Store of assignment: graders, blocks and slots; every claim is one statement."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    Select,
    Update,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.dml import ReturningUpdate

from app.db import insert_ignore, now
from app.models import Block, Claim, GradeEvent, Grader, Plan, Slot
from app.models.base import Moment

OPEN: ColumnElement[str] = literal_column("'open'")
HELD: ColumnElement[str] = literal_column("'held'")
PROJECT: BindParameter[int] = bindparam("project", type_=Integer)
GRADER: BindParameter[int] = bindparam("grader", type_=Integer)


def lock_grader(session: Session, grader_id: int) -> None:
    """Let one transaction at a time act for a grader: a double press waits for the first."""
    session.execute(
        select(Grader.id).where(Grader.id == grader_id).with_for_update(key_share=True)
    )


def lock_plan(session: Session, plan_id: int) -> Plan:
    """Return a plan; one transaction at a time adds seats to it."""
    return session.scalars(
        select(Plan).where(Plan.id == plan_id).with_for_update(key_share=True)
    ).one()


def grader_of_user(session: Session, project_id: int, user_id: int) -> Grader | None:
    return session.scalars(
        select(Grader).where(Grader.project_id == project_id, Grader.user_id == user_id)
    ).one_or_none()


def grader_by_name(session: Session, project_id: int, kind: str, name: str) -> Grader | None:
    return session.scalars(
        select(Grader).where(
            Grader.project_id == project_id, Grader.kind == kind, Grader.name == name
        )
    ).one_or_none()


def graders_of(session: Session, project_id: int, kind: str | None = None) -> list[Grader]:
    """Return the graders of a project in the order they came."""
    found = select(Grader).where(Grader.project_id == project_id).order_by(Grader.id)
    return list(session.scalars(found if kind is None else found.where(Grader.kind == kind)))


def count_graders(session: Session, project_id: int, kind: str) -> int:
    return session.scalars(
        select(func.count()).where(Grader.project_id == project_id, Grader.kind == kind)
    ).one()


def held_block(session: Session, project_id: int, grader_id: int) -> Block | None:
    """Return the block a grader holds, locked."""
    return session.scalars(
        select(Block)
        .where(
            Block.project_id == project_id, Block.grader_id == grader_id, Block.state == HELD
        )
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def return_expired(session: Session, project_id: int, moment: datetime) -> None:
    """Give blocks whose lease has run out back to the queue; their grades stay."""
    late = aliased(Block)
    gone = (
        select(late.id)
        .where(late.project_id == project_id, late.state == HELD, late.lease_until < moment)
        .with_for_update(skip_locked=True)
    )
    session.execute(
        update(Block)
        .where(Block.id.in_(gone))
        .values(
            state="open",
            lease_until=None,
            grader_id=case((Block.reserved, Block.grader_id), else_=null()),
        )
        .execution_options(synchronize_session=False)
    )


def last_block(session: Session, grader_id: int) -> int | None:
    """Return the block in which a grader graded last."""
    return session.scalars(
        select(Slot.block_id)
        .join(GradeEvent, GradeEvent.slot_id == Slot.id)
        .where(GradeEvent.grader_id == grader_id)
        .order_by(GradeEvent.id.desc())
        .limit(1)
    ).one_or_none()


def claim_block(
    session: Session,
    project_id: int,
    grader_id: int,
    lease_until: datetime,
    *,
    reserved: bool = False,
    only: int | None = None,
) -> Block | None:
    """Take the first open block this grader may have, in one statement.

    ``reserved`` looks at blocks that wait for this grader, else at those for anybody;
    ``only`` names the one block wanted.
    """
    given = {"project": project_id, "grader": grader_id, "lease": lease_until}
    return session.scalars(
        _claim_first(reserved=reserved, named=only is not None),
        given if only is None else given | {"only": only},
        execution_options={"populate_existing": True},
    ).one_or_none()


@cache  # putting it together takes longer than the database takes to answer
def _claim_first(*, reserved: bool, named: bool) -> ReturningUpdate[Block]:
    candidate = aliased(Block)
    wanted = [candidate.project_id == PROJECT, candidate.state == OPEN]
    if named:
        wanted.append(candidate.id == bindparam("only", type_=Integer))
    if reserved:
        wanted += [candidate.reserved.is_(True), candidate.grader_id == GRADER]
    else:
        wanted += [candidate.reserved.is_(False), ~_has_other_seat(candidate, GRADER)]
    first = (
        select(candidate.id)
        .where(*wanted)
        .order_by(candidate.position, candidate.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    claim: Update = (
        update(Block)
        .where(Block.id == first.scalar_subquery(), Block.state == OPEN)
        .values(state="held", grader_id=GRADER, lease_until=bindparam("lease", type_=Moment()))
    )
    return claim.returning(Block)


def _has_other_seat(
    candidate: type[Block], grader_id: int | BindParameter[int]
) -> ColumnElement[bool]:
    """Tell whether a grader has, or has graded in, another seat of the same query.

    It goes from the query's few seats to their grades: ``+ 0`` keeps SQLite from going
    through all that the grader ever said.
    """
    seat, worked, slot = aliased(Block), aliased(Block), aliased(Slot)
    holds = exists().where(
        seat.plan_id == candidate.plan_id,
        seat.query_ref == candidate.query_ref,
        seat.grader_id == grader_id,
        seat.id != candidate.id,
    )
    graded = exists().where(
        worked.plan_id == candidate.plan_id,
        worked.query_ref == candidate.query_ref,
        worked.id != candidate.id,
        Claim.block_id == worked.id,
        Claim.grader_id == grader_id,
        slot.block_id == worked.id,
        GradeEvent.slot_id == slot.id,
        GradeEvent.grader_id + 0 == grader_id,
    )
    return or_(holds, graded)


def count_waiting(session: Session, project_id: int, grader_id: int) -> tuple[int, int]:
    """Count the queries a grader may start, and the open slots of one seat of each."""
    candidate = aliased(Block)
    waiting = (
        select(func.min(candidate.id))
        .where(*_may_start(candidate, project_id, grader_id))
        .group_by(candidate.plan_id, candidate.query_ref)
    )
    blocks = session.scalars(select(func.count()).select_from(waiting.subquery())).one()
    slots = session.scalars(
        select(func.count()).where(Slot.block_id.in_(waiting), Slot.state == "open")
    ).one()
    return blocks, slots


def count_waiting_queries(
    session: Session, project_id: int, grader_id: int, at_most: int
) -> int | None:
    """Count the queries a grader may start; None beyond ``at_most`` blocks, unread."""
    given = {"project": project_id, "grader": grader_id, "near": at_most + 1}
    found = session.execute(_near_queries(), given).all()
    return None if len(found) > at_most else len(set(found))


@cache
def _near_queries() -> Select[int, int]:
    candidate = aliased(Block)
    return (
        select(candidate.plan_id, candidate.query_ref)
        .where(*_may_start(candidate, PROJECT, GRADER))
        .order_by(candidate.position, candidate.id)
        .limit(bindparam("near", type_=Integer))
    )


def _may_start(
    candidate: type[Block],
    project_id: int | BindParameter[int],
    grader_id: int | BindParameter[int],
) -> list[ColumnElement[bool]]:
    return [
        candidate.project_id == project_id,
        candidate.state == OPEN,
        or_(
            (candidate.reserved.is_(True)) & (candidate.grader_id == grader_id),
            (candidate.reserved.is_(False)) & ~_has_other_seat(candidate, grader_id),
        ),
    ]


def plan_of(session: Session, plan_id: int) -> Plan:
    return session.get_one(Plan, plan_id)


def blocks_by_ids(session: Session, block_ids: Sequence[int]) -> dict[int, Block]:
    """Return blocks locked in the order of their ids, so that two undoings never cross."""
    found = session.scalars(
        select(Block)
        .where(Block.id.in_(block_ids))
        .order_by(Block.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    return {block.id: block for block in found}


def remember_claim(session: Session, block_id: int, grader_id: int) -> None:
    """Write down that a grader held a block."""
    insert_ignore(
        session,
        Claim,
        [{"block_id": block_id, "grader_id": grader_id, "created_at": now(session)}],
    )


def has_claimed(session: Session, block_id: int, grader_id: int) -> bool:
    """Tell whether a grader holds a block or once held it."""
    return session.get(Claim, (block_id, grader_id)) is not None


def has_other_seat(session: Session, block_id: int, grader_id: int) -> bool:
    """Tell whether a grader has, or has graded in, another seat of a block's query."""
    candidate = aliased(Block)
    found = select(candidate.id).where(
        candidate.id == block_id, _has_other_seat(candidate, grader_id)
    )
    return session.scalars(found).one_or_none() is not None


def held_id(session: Session, project_id: int, grader_id: int) -> int | None:
    """Return the block a grader holds, not locked."""
    return session.scalars(
        select(Block.id).where(
            Block.project_id == project_id, Block.grader_id == grader_id, Block.state == HELD
        )
    ).one_or_none()
