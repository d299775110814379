"""Undo: taking back what an SME did last; the card opens again."""

from sqlalchemy.orm import Session

from app.assignment import store, store_grades, store_slots
from app.assignment.cards import card_of
from app.assignment.grades import cancel_replacement, check_key, take
from app.assignment.queue import LEASE
from app.assignment.store_slots import Taken
from app.db import now
from app.models import GradeEvent, Grader
from app.projects import service as projects


def withdraw(session: Session, *, grader: Grader, key: str) -> str | None:
    """Undo what an SME did last, a grade or a skip, and return the token of its card.

    The card opens again and its block is theirs again; a block they have just been given
    goes back. The same key again changes nothing. None where there is nothing to undo.
    """
    check_key(key)
    store.lock_grader(session, grader.id)
    before = store_grades.withdrawal_of(session, grader.id, key)
    if before is not None:
        return before
    grade = store_grades.newest_grade(session, grader.project_id, grader.id)
    skip = store_slots.newest_skip(session, grader.project_id, grader.id)
    newer = skip is not None and (grade is None or skip[0].created_at > grade[0].created_at)
    if skip and newer and _undo_skip(session, grader, skip[1], key):
        return skip[1]
    if grade is None:
        return None
    _undo_grade(session, grader, grade[1].token, key)
    return grade[1].token


def _undo_skip(session: Session, grader: Grader, token: str, key: str) -> bool:
    """Open a card that was set aside, unless another SME has it by now."""
    taken = _lock_for_undo(session, grader, token)
    if taken.slot.state == "cancelled" and not cancel_replacement(session, taken):
        return False
    taken.slot.state = "open"
    _reopen(session, taken, grader, key)
    return True


def _undo_grade(session: Session, grader: Grader, token: str, key: str) -> None:
    taken = _lock_for_undo(session, grader, token)
    current = store_grades.current_on(session, taken.slot.id, grader.id)
    if current is None or current.slot_kind != "extra":
        taken.slot.state = "open"
    _reopen(session, taken, grader, key)


def _reopen(session: Session, taken: Taken, grader: Grader, key: str) -> None:
    slot = taken.slot
    skip = store_slots.skip_by(session, slot.id, grader.id)
    if skip is not None:
        session.delete(skip)
    current = store_grades.current_on(session, slot.id, grader.id)
    store_grades.add_event(session, _withdrawal(session, taken, grader, key), current)
    if slot.state == "open":
        _take_back(session, taken, grader)


def _lock_for_undo(session: Session, grader: Grader, token: str) -> Taken:
    """Lock the card's block, and the one the SME holds, in the order of their ids."""
    found = store_slots.find_slot(session, token)
    held = store.held_id(session, grader.project_id, grader.id)
    ids = {found.block.id} if found else set()
    store.blocks_by_ids(session, sorted(ids | ({held} if held else set())))
    return take(session, grader, token)


def _withdrawal(session: Session, taken: Taken, grader: Grader, key: str) -> GradeEvent:
    item = card_of(session, taken.slot.item_id)
    return GradeEvent(
        slot_id=taken.slot.id,
        slot_kind=taken.slot.kind,
        item_id=taken.slot.item_id,
        grader_id=grader.id,
        token=key,
        value=None,
        withdrawn=True,
        guideline_id=projects.guideline(session, taken.block.project_id).id,
        query_version_id=item.query_version_id,
        document_version_id=item.document_version_id,
        card_hash=item.card_hash,
    )


def _take_back(session: Session, taken: Taken, grader: Grader) -> None:
    """Give an SME their block back, after returning the one they have just been given."""
    block = taken.block
    if block.grader_id != grader.id:
        if block.state == "done":
            block.state, block.finished_at = "open", None
        return
    held = store.held_block(session, block.project_id, grader.id)
    if held is not None and held.id != block.id:
        held.state, held.lease_until = "open", None
        held.grader_id = held.grader_id if held.reserved else None
        session.flush()  # an SME holds one block at a time
    block.state, block.finished_at = "held", None
    block.lease_until = now(session) + LEASE
    session.flush()
