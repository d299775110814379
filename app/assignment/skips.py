"""Skips: cards set aside, which another SME gets next and then the admin."""

import secrets

from sqlalchemy.orm import Session

from app.assignment import store, store_slots
from app.assignment.grades import take
from app.assignment.queue import finish
from app.assignment.store_slots import Taken
from app.errors import Conflict, Invalid
from app.models import Block, Grader, Skip, Slot

MAX_REASON = 200


def skip(session: Session, *, grader: Grader, token: str, reason: str, key: str) -> None:
    """Set a card aside with a reason: no grade, and nothing that counts as one (V-042).

    The first skip of a passage asks another SME, in an extra seat of the query; the second
    leaves it to the admin. Skipping the same card again changes nothing; ``key`` is taken
    like that of a grade.

    Raises:
        Invalid: the reason is empty or too long.
        NotFound: there is no such card, or it was never handed to this SME.
        Conflict: the SME has graded it.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= MAX_REASON or not key:
        raise Invalid(f"Say in up to {MAX_REASON} characters why you set this card aside.")
    taken = take(session, grader, token)
    if store_slots.skip_by(session, taken.slot.id, grader.id) is not None:
        return
    if taken.slot.state != "open":
        raise Conflict("This card is graded. Undo the grade before you set it aside.")
    _set_aside(session, taken, grader, reason)
    finish(session, taken.block)


def _set_aside(session: Session, taken: Taken, grader: Grader, reason: str) -> None:
    plan = store.lock_plan(session, taken.block.plan_id)
    first = store_slots.skips_of_item(session, plan.id, taken.slot.item_id) == 0
    session.add(Skip(slot_id=taken.slot.id, grader_id=grader.id, reason=reason, reopened=first))
    taken.slot.state = "cancelled" if first else "skipped"
    session.flush()
    if first:
        replace_slot(session, taken.block, taken.slot)


def replace_slot(session: Session, block: Block, slot: Slot) -> Slot:
    """Open a slot for the same item in an extra seat of the query, for another SME."""
    seat = store_slots.spare_block(session, block, slot.item_id) or _add_seat(session, block)
    replacement = Slot(
        block_id=seat.id,
        item_id=slot.item_id,
        kind=slot.kind,
        token=secrets.token_urlsafe(16),
        split=slot.split,
        stratum=slot.stratum,
        inclusion=slot.inclusion,
    )
    session.add(replacement)
    session.flush()
    return replacement


def _add_seat(session: Session, block: Block) -> Block:
    seat = Block(
        project_id=block.project_id,
        plan_id=block.plan_id,
        query_ref=block.query_ref,
        seat=store_slots.last_seat(session, block.plan_id, block.query_ref) + 1,
        position=block.position,
        extra=True,
    )
    session.add(seat)
    session.flush()
    return seat


def reopen_skipped(session: Session, project_id: int) -> int:
    """Ask other SMEs for all cards that were left to the admin, and return their number."""
    waiting = store_slots.skipped_slots(session, project_id)
    for slot, block in waiting:
        store.lock_plan(session, block.plan_id)
        slot.state = "cancelled"
        replace_slot(session, block, slot)
    return len(waiting)
