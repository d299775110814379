"""Store of slots: finding the next card, and what was set aside."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Row,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from app.models import Block, Item, Skip, Slot

OPEN: ColumnElement[str] = literal_column("'open'")
HELD: ColumnElement[str] = literal_column("'held'")


@dataclass(frozen=True, slots=True)
class Taken:
    """A slot with its block, both locked for this transaction."""

    slot: Slot
    block: Block


def slots_to_order(session: Session, block_id: int) -> list[Row[int, int, int, int]]:
    """Return slot id, document version, start and end of a block's slots."""
    return list(
        session.execute(
            select(Slot.id, Item.document_version_id, Item.span_start, Item.span_end)
            .join(Item, Item.id == Slot.item_id)
            .where(Slot.block_id == block_id)
            .order_by(Slot.id)
        )
    )


def place_slots(session: Session, ordered: Iterable[int]) -> None:
    """Give slots their places, in this order from 1."""
    rows = [{"slot": slot, "place": place} for place, slot in enumerate(ordered, start=1)]
    if rows:
        session.connection().execute(
            update(Slot)
            .where(Slot.id == bindparam("slot"))
            .values(position=bindparam("place")),
            rows,
        )


def take_slot(session: Session, token: str) -> Taken | None:
    """Return a slot and its block by the slot's token, block locked before slot."""
    where = session.scalars(select(Slot.block_id).where(Slot.token == token)).one_or_none()
    if where is None:
        return None
    block = session.scalars(
        select(Block)
        .where(Block.id == where)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one()
    slot = session.scalars(
        select(Slot)
        .where(Slot.token == token)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one()
    return Taken(slot, block)


def find_slot(session: Session, token: str) -> Taken | None:
    """Return a slot and its block for reading."""
    row = session.execute(
        select(Slot, Block).join(Block, Block.id == Slot.block_id).where(Slot.token == token)
    ).one_or_none()
    return Taken(row[0], row[1]) if row else None


def next_open_slot(
    session: Session, block_id: int, *, after: tuple[int, int] | None = None
) -> Slot | None:
    """Return the block's next open slot behind a place (position, id), or its first."""
    found = select(Slot).where(Slot.block_id == block_id, Slot.state == "open")
    if after is not None:
        position, slot_id = after
        found = found.where(
            or_(
                Slot.position > position,
                (Slot.position == position) & (Slot.id > slot_id),
            )
        )
    return session.scalars(
        found.order_by(Slot.position, Slot.id)
        .limit(1)
        .execution_options(populate_existing=True)
    ).one_or_none()


def has_open_slot(session: Session, block_id: int) -> bool:
    return next_open_slot(session, block_id) is not None


def place_in_block(session: Session, slot: Slot) -> tuple[int, int]:
    """Return a slot's place among those of its block that still count, and their number."""
    counts = Slot.block_id == slot.block_id, Slot.state != "cancelled"
    before = or_(
        Slot.position < slot.position, (Slot.position == slot.position) & (Slot.id < slot.id)
    )
    row = session.execute(
        select(func.count(), func.count(case((before, 1)))).where(*counts)
    ).one()
    total, earlier = row[0], row[1]
    place = min(earlier + 1, total) or 1
    return place, max(total, 1)


def skips_of_item(session: Session, plan_id: int, item_id: int) -> int:
    """Count how often an item of a plan was set aside."""
    return session.scalars(
        select(func.count())
        .select_from(Skip)
        .join(Slot, Slot.id == Skip.slot_id)
        .join(Block, Block.id == Slot.block_id)
        .where(Block.plan_id == plan_id, Slot.item_id == item_id)
    ).one()


def skip_by(session: Session, slot_id: int, grader_id: int) -> Skip | None:
    return session.scalars(
        select(Skip).where(Skip.slot_id == slot_id, Skip.grader_id == grader_id)
    ).one_or_none()


def newest_skip(session: Session, project_id: int, grader_id: int) -> tuple[Skip, str] | None:
    """Return a grader's newest skip and the token of its slot, if its block is still theirs."""
    row = session.execute(
        select(Skip, Slot.token)
        .join(Slot, Slot.id == Skip.slot_id)
        .join(Block, Block.id == Slot.block_id)
        .where(
            Skip.grader_id == grader_id,
            Block.project_id == project_id,
            Block.grader_id == grader_id,
            Slot.state.in_(("skipped", "cancelled")),
        )
        .order_by(Skip.id.desc())
        .limit(1)
    ).one_or_none()
    return (row[0], row[1]) if row else None


def spare_block(session: Session, block: Block, item_id: int) -> Block | None:
    """Return an open extra seat of a block's query that lacks the item."""
    has_item = exists().where(Slot.block_id == Block.id, Slot.item_id == item_id)
    return session.scalars(
        select(Block)
        .where(
            Block.plan_id == block.plan_id,
            Block.query_ref == block.query_ref,
            Block.seat > block.seat,
            Block.state == OPEN,
            Block.grader_id.is_(None),
            Block.extra.is_(True),
            ~has_item,
        )
        .order_by(Block.seat)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()


def last_seat(session: Session, plan_id: int, query_ref: int) -> int:
    return session.scalars(
        select(func.max(Block.seat)).where(
            Block.plan_id == plan_id, Block.query_ref == query_ref
        )
    ).one()


def unclaimed_replacement(session: Session, block: Block, item_id: int) -> Slot | None:
    """Return an open slot for the same item in an extra seat that nobody has claimed."""
    return session.scalars(
        select(Slot)
        .join(Block, Block.id == Slot.block_id)
        .where(
            Block.plan_id == block.plan_id,
            Block.query_ref == block.query_ref,
            Block.extra.is_(True),
            Block.state == OPEN,
            Block.grader_id.is_(None),
            Slot.item_id == item_id,
            Slot.state == "open",
        )
        .order_by(Slot.id)
        .limit(1)
        .with_for_update(of=Block, skip_locked=True)
    ).one_or_none()


def skipped_slots(session: Session, project_id: int) -> list[tuple[Slot, Block]]:
    """Return the slots that wait for the admin, each with its block."""
    rows = session.execute(
        select(Slot, Block)
        .join(Block, Block.id == Slot.block_id)
        .where(Block.project_id == project_id, Slot.state == "skipped")
        .order_by(Slot.id)
    )
    return [(slot, block) for slot, block in rows]
