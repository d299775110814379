"""Queue: handing out blocks, and the cards inside them one at a time."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy.orm import Session

from app.assignment import store, store_grades, store_slots
from app.assignment.cards import card_of
from app.db import now
from app.domain.assignment import Placed, shuffle_documents
from app.domain.cards import Card
from app.domain.spans import Span
from app.errors import NotFound
from app.models import Block, Grader, Slot

LEASE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Held:
    """The block an SME works through."""

    block_id: int


@dataclass(frozen=True, slots=True)
class SlotView:
    """A card as one SME sees it: nothing of who else graded, found or ranked it.

    ``place`` of ``total`` is the card's place in its block. ``grade`` and ``note`` are
    the SME's own, None before they gave one. ``state`` is open, done or skipped.
    ``is_held`` tells whether its block is the one the SME works through now.
    """

    token: str
    card: Card
    card_hash: str
    place: int
    total: int
    state: str
    grade: int | None = None
    note: str | None = None
    is_held: bool = True

    @property
    def query_text(self) -> str:
        return self.card.query

    @property
    def need(self) -> str:
        return self.card.need

    @property
    def has_more_context(self) -> bool:
        return bool(self.card.before or self.card.after)


def claim(session: Session, *, project_id: int, grader: Grader) -> Held | None:
    """Give an SME a block for 24 hours: theirs, an unfinished one, a reserved, the next open.

    Returns None where nothing waits for them. Two SMEs never get the same block, and no SME
    two seats of one query; a block nobody touched for 24 hours goes back to the queue.
    """
    store.lock_grader(session, grader.id)
    lease = now(session) + LEASE
    held = store.held_block(session, project_id, grader.id)
    if held is not None:
        held.lease_until = lease
        session.flush()
        return Held(held.id)
    store.return_expired(session, project_id, now(session))
    block = (
        _claim_unfinished(session, project_id, grader)
        or store.claim_block(session, project_id, grader.id, lease, reserved=True)
        or store.claim_block(session, project_id, grader.id, lease)
    )
    if block is None:
        return None
    store.remember_claim(session, block.id, grader.id)
    _shuffle(session, block, grader)
    return Held(block.id)


def _claim_unfinished(session: Session, project_id: int, grader: Grader) -> Block | None:
    """Claim the block an SME graded in last, where it went back to the queue meanwhile."""
    last = store.last_block(session, grader.id)
    if last is None:
        return None
    return store.claim_block(session, project_id, grader.id, now(session) + LEASE, only=last)


def _shuffle(session: Session, block: Block, grader: Grader) -> None:
    """Order a block's cards for one SME: the same order whenever they come back (V-041)."""
    seed = store.plan_of(session, block.plan_id).seed
    rows = store_slots.slots_to_order(session, block.id)
    placed = [
        Placed(slot_id, Span(str(version), start, max(end, start + 1)))
        for slot_id, version, start, end in rows
    ]
    store_slots.place_slots(session, shuffle_documents(placed, seed, grader.pseudonym))


def next_slot(
    session: Session, *, project_id: int, grader: Grader, after: str | None = None
) -> SlotView | None:
    """Return the SME's next card, claiming a block where the last one is finished.

    With ``after`` (a token of the same block) it is the card behind that one, which may
    still be open: a page can ask for it before the grade is given. None where nothing is
    left, or where only the card ``after`` is left in the block.
    """
    here = store_slots.find_slot(session, after) if after is not None else None
    while (held := claim(session, project_id=project_id, grader=grader)) is not None:
        before = here.slot if here and here.slot.block_id == held.block_id else None
        slot = _find_next(session, held.block_id, before)
        if slot is not None:
            return _view(session, slot, grader)
        if before is not None and before.state == "open":
            return None
        _finish_held(session, project_id, grader)
    return None


def peek(
    session: Session, *, project_id: int, grader: Grader, after: str | None = None
) -> SlotView | None:
    """Return the next open card of the block an SME holds; claims and locks nothing.

    With ``after`` (a token) it is the card behind that one. None at the end of the block,
    or where no block is held.
    """
    held = store.held_id(session, project_id, grader.id)
    here = store_slots.find_slot(session, after) if after is not None else None
    if held is None or (after is not None and (here is None or here.block.id != held)):
        return None
    behind = (here.slot.position, here.slot.id) if here else None
    slot = store_slots.next_open_slot(session, held, after=behind)
    return None if slot is None else _view(session, slot, grader)


def _find_next(session: Session, block_id: int, before: Slot | None) -> Slot | None:
    if before is not None:
        behind = (before.position, before.id)
        slot = store_slots.next_open_slot(session, block_id, after=behind)
        if slot is not None:
            return slot
    first = store_slots.next_open_slot(session, block_id)
    return None if first is not None and before is not None and first.id == before.id else first


def _finish_held(session: Session, project_id: int, grader: Grader) -> None:
    held = store.held_block(session, project_id, grader.id)
    if held is not None:
        finish(session, held)


def finish(session: Session, block: Block) -> bool:
    """Close a block that has no open slot left, and say whether it is closed."""
    session.flush()
    if store_slots.has_open_slot(session, block.id):
        return False
    block.state = "done"
    block.finished_at = now(session)
    block.lease_until = None
    session.flush()
    return True


def slot_view(session: Session, *, grader: Grader, token: str) -> SlotView:
    """Return a card by its slot's token.

    Raises:
        NotFound: there is none, or it was never handed to this SME.
    """
    found = store_slots.find_slot(session, token)
    if found is None or not store.has_claimed(session, found.block.id, grader.id):
        raise NotFound("There is no such card, or it is not yours.")
    return _view(session, found.slot, grader)


def _view(session: Session, slot: Slot, grader: Grader) -> SlotView:
    item = card_of(session, slot.item_id)
    own = store_grades.current_on(session, slot.id, grader.id)
    place, total = store_slots.place_in_block(session, slot)
    return SlotView(
        token=slot.token,
        card=item.card,
        card_hash=item.card_hash,
        place=place,
        total=total,
        state=_own_state(session, slot, grader, graded=own is not None and not own.withdrawn),
        grade=own.value if own else None,
        note=own.note if own else None,
        is_held=store.held_id(session, grader.project_id, grader.id) == slot.block_id,
    )


def _own_state(session: Session, slot: Slot, grader: Grader, *, graded: bool) -> str:
    """Say how a slot stands for one SME; what others did to it does not show (V-033)."""
    if graded:
        return "done"
    return "skipped" if store_slots.skip_by(session, slot.id, grader.id) else "open"
