"""Grades: what SMEs and judges say, as events that supersede each other."""

import re
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.orm import Session

from app.assignment import store, store_grades, store_slots
from app.assignment.cards import ItemCard, card_of
from app.assignment.queue import LEASE, finish
from app.assignment.store_slots import Taken
from app.db import now
from app.domain.scale import GRADES
from app.errors import Conflict, Invalid, NotFound
from app.models import GradeEvent, Grader
from app.projects import service as projects

MAX_KEY = 100
MAX_NOTE = 4000
_NUMBERED = re.compile(r"(.+)\.([0-9]{1,9})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Given:
    """What is stored after a grade: ``grade`` is the current one, whatever was sent.

    ``kept`` is "slot" where the grade is the wanted one, else "extra". ``repeated`` tells
    that the same press was stored before.
    """

    token: str
    grade: int | None
    note: str | None
    kept: Literal["slot", "extra"]
    repeated: bool = False
    block_done: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A grade as a page sends it."""

    value: int
    key: str
    note: str | None
    context_opened: bool


def give_grade(
    session: Session,
    *,
    grader: Grader,
    token: str,
    value: int,
    key: str,
    note: str | None = None,
    context_opened: bool = False,
    seen_hash: str,
) -> Given:
    """Store a grade on a card, or a change of mind: a new event that supersedes the last.

    ``key`` is made by the page, one a press: the same key and value again changes nothing.
    A key ``PAGE.NUMBER`` counts the presses of one page: a lower number that arrives after
    a higher one is kept as history and does not override it (V-035). Without a note the
    earlier one stays. A grade that comes after the lease was lost fills the slot if it
    still wants one, else it is kept as an extra.

    Raises:
        Invalid: the value is off the scale, or the key is empty or too long.
        NotFound: there is no such card, or it was never handed to this SME.
        Conflict: the card is another than the one the page showed.
    """
    said = Said(_check_value(value), check_key(key), _check_note(note), context_opened)
    taken = take(session, grader, token)
    known = store_grades.events_on(session, taken.slot.id, grader.id)
    if any(event.token in (said.key, _vary(said)) and event.value == value for event in known):
        return _answer(session, taken, grader, repeated=True)
    item = card_of(session, taken.slot.item_id)
    if item.card_hash != seen_hash:
        raise Conflict(
            "This card has changed since you opened it. Nothing was stored; read it again."
        )
    _record(session, taken, grader, said, item, known)
    _renew(session, taken, grader)
    finish(session, taken.block)
    return _answer(session, taken, grader)


def _check_value(value: int) -> int:
    if value not in GRADES:
        raise Invalid(f"A grade is 0, 1, 2 or 3, not {value}.")
    return value


def check_key(key: str) -> str:
    if not 0 < len(key) <= MAX_KEY:
        raise Invalid("The page sent no proper key with this press. Load it again.")
    return key


def _check_note(note: str | None) -> str | None:
    if note is not None and len(note) > MAX_NOTE:
        raise Invalid(f"A note holds up to {MAX_NOTE:,} characters.")
    if note is not None and "\0" in note:
        raise Invalid("The note holds a character that cannot be stored.")
    return note


def take(session: Session, grader: Grader, token: str) -> Taken:
    """Lock grader, block and slot, in this order everywhere.

    Raises:
        NotFound: there is no such card, or it was never handed to this SME.
    """
    store.lock_grader(session, grader.id)
    taken = store_slots.take_slot(session, token)
    if taken is None or not store.has_claimed(session, taken.block.id, grader.id):
        raise NotFound("There is no such card, or it is not yours.")
    return taken


def _vary(said: Said) -> str:
    """Return the key of another grade sent from the same form."""
    return f"{said.key}={said.value}"


def _record(
    session: Session,
    taken: Taken,
    grader: Grader,
    said: Said,
    item: ItemCard,
    known: list[GradeEvent],
) -> None:
    current = next((event for event in known if event.current), None)
    used = any(event.token == said.key for event in known)
    late = any(_precedes(said.key, event.token) for event in known)
    event = GradeEvent(
        slot_id=taken.slot.id,
        slot_kind=_settle_kind(session, taken, grader, current, late=late),
        item_id=taken.slot.item_id,
        grader_id=grader.id,
        token=_vary(said) if used else said.key,
        value=said.value,
        current=not late,
        note=said.note if said.note is not None or current is None else current.note,
        context_opened=said.context_opened or bool(current and current.context_opened),
        guideline_id=projects.guideline(session, taken.block.project_id).id,
        query_version_id=item.query_version_id,
        document_version_id=item.document_version_id,
        card_hash=item.card_hash,
    )
    store_grades.add_event(session, event, None if late else current)


def _precedes(key: str, other: str | None) -> bool:
    """Tell whether a press came before another one of the same page."""
    mine, theirs = _NUMBERED.fullmatch(key), _NUMBERED.fullmatch((other or "").split("=")[0])
    return (
        mine is not None
        and theirs is not None
        and mine[1] == theirs[1]
        and int(mine[2]) < int(theirs[2])
    )


def _settle_kind(
    session: Session, taken: Taken, grader: Grader, current: GradeEvent | None, *, late: bool
) -> str:
    """Return the slot's kind if it takes this grade (and close it), else ``extra``."""
    slot = taken.slot
    if late and current is not None:
        return current.slot_kind
    if current is not None and not current.withdrawn:
        return current.slot_kind
    if _wants(session, taken, grader):
        slot.state = "done"
        return slot.kind
    return "extra"


def _wants(session: Session, taken: Taken, grader: Grader) -> bool:
    """Tell whether a slot takes a first grade of this SME."""
    slot, block = taken.slot, taken.block
    if block.grader_id != grader.id and store.has_other_seat(session, block.id, grader.id):
        return False  # theirs would be two grades of one SME where two SMEs are wanted
    if slot.state == "cancelled":
        return cancel_replacement(session, taken)
    return slot.state in ("open", "skipped")


def cancel_replacement(session: Session, taken: Taken) -> bool:
    """Call off the slot that replaces a skipped one, if nobody has claimed it yet."""
    replacement = store_slots.unclaimed_replacement(session, taken.block, taken.slot.item_id)
    if replacement is None:
        return False
    replacement.state = "cancelled"
    return True


def _renew(session: Session, taken: Taken, grader: Grader) -> None:
    if taken.block.state == "held" and taken.block.grader_id == grader.id:
        taken.block.lease_until = now(session) + LEASE


def _answer(session: Session, taken: Taken, grader: Grader, *, repeated: bool = False) -> Given:
    current = store_grades.current_on(session, taken.slot.id, grader.id)
    extra = current is not None and current.slot_kind == "extra"
    return Given(
        token=taken.slot.token,
        grade=current.value if current else None,
        note=current.note if current else None,
        kept="extra" if extra else "slot",
        repeated=repeated,
        block_done=taken.block.state == "done",
    )


def set_note(session: Session, *, grader: Grader, token: str, note: str, key: str) -> None:
    """Change the note of a card already graded: an event with the same grade.

    Raises:
        Invalid: the note is too long.
        NotFound: there is no such card, or it was never handed to this SME.
        Conflict: the card has no grade yet; its note is sent along with it.
    """
    text = _check_note(note)
    taken = take(session, grader, token)
    known = store_grades.events_on(session, taken.slot.id, grader.id)
    current = next((event for event in known if event.current), None)
    if any(event.token == key for event in known):
        return
    if current is None or current.value is None:
        raise Conflict("Grade this passage first; the note is stored together with the grade.")
    said = Said(current.value, check_key(key), text, current.context_opened)
    _record(session, taken, grader, said, card_of(session, taken.slot.item_id), known)
    _renew(session, taken, grader)
    session.flush()


def history(session: Session, *, grader: Grader, token: str) -> list[GradeEvent]:
    """Return what an SME said on a card in the order they said it (V-035).

    That is the order of arrival, except that the presses of one page stand by their number.

    Raises:
        NotFound: there is no such card, or it was never handed to this SME.
    """
    found = store_slots.find_slot(session, token)
    if found is None or not store.has_claimed(session, found.block.id, grader.id):
        raise NotFound("There is no such card, or it is not yours.")
    told: list[GradeEvent] = []
    for event in store_grades.events_on(session, found.slot.id, grader.id):
        later = [
            place
            for place, other in enumerate(told)
            if _precedes(event.token or "", other.token)
        ]
        told.insert(later[0] if later else len(told), event)
    return told
