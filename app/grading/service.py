"""Service of grading: one SME's desk, its cards, and what is said on them."""

import hashlib
from dataclasses import dataclass
from math import ceil

from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.assignment.service import SlotView
from app.domain.assignment import SECONDS_PER_GRADE
from app.grading.sheets import Sheet, lay_out
from app.models import Grader
from app.projects import service as projects

REASONS = {
    "cannot judge": "I cannot judge this",
    "unreadable": "The text is unreadable",
    "not my field": "Not my field",
    "question unclear": "The question is unclear",
    "other": "Another reason",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """What a person has in front of them: a card or nothing, and how far they are."""

    sheet: Sheet | None
    question: int | None
    """Which question this is, from 1; None for a card of an earlier one."""
    questions: int | None
    """Of how many, None where that is not counted."""
    today: int

    @property
    def begins_another(self) -> bool:
        """Whether a question was just finished and this is the next one."""
        return self.sheet is not None and self.sheet.place == 1 and (self.question or 1) > 1

    @property
    def place_words(self) -> str:
        """Where a person is, as they read it; empty without a card."""
        if self.sheet is None:
            return ""
        passage = f"passage {self.sheet.place} of {self.sheet.total}"
        if self.question is None:
            return f"Earlier question · {passage}"
        of = f" of {self.questions}" if self.questions else ""
        return f"Question {self.question}{of} · {passage}"


@dataclass(frozen=True, slots=True)
class Start:
    """What waits before the first card: questions, passages, minutes."""

    questions: int
    passages: int

    @property
    def minutes(self) -> int:
        return max(1, ceil(self.passages * SECONDS_PER_GRADE / 60))


def name_outbox(project_id: int, person_id: int) -> str:
    """Return the name under which a browser keeps one person's unsent grades.

    It tells two people at one computer apart without showing an id.
    """
    return hashlib.sha256(f"outbox:{project_id}:{person_id}".encode()).hexdigest()[:16]


def look_at_start(session: Session, project_id: int, grader: Grader | None) -> Start:
    """Count what waits for an SME; None is somebody who has not graded yet."""
    waiting = assignment.waiting(session, project_id=project_id, grader=grader)
    return Start(waiting.questions, waiting.passages)


def current_token(session: Session, project_id: int, grader: Grader) -> str | None:
    """Return the next open card of the question an SME is at; claims nothing."""
    view = assignment.peek(session, project_id=project_id, grader=grader)
    return None if view is None else view.token


def desk_at(session: Session, grader: Grader, token: str) -> Desk:
    """Return the desk with one card of the SME's, graded or not."""
    return _lay(session, grader, assignment.slot_view(session, grader=grader, token=token))


def desk_after(session: Session, grader: Grader, token: str) -> Desk | None:
    """Return the desk with the open card behind one, None at the end of the question."""
    project = grader.project_id
    view = assignment.peek(session, project_id=project, grader=grader, after=token)
    return None if view is None else _lay(session, grader, view)


def next_desk(session: Session, grader: Grader) -> Desk:
    """Return the desk with the next open card; takes a question where none is held."""
    view = assignment.next_slot(session, project_id=grader.project_id, grader=grader)
    return _lay(session, grader, view)


def _lay(session: Session, grader: Grader, view: SlotView | None) -> Desk:
    mine = assignment.my_progress(session, grader)
    if view is None:
        return Desk(None, None, None, mine.today)
    if not view.is_held:
        return Desk(_sheet(view), None, None, mine.today)
    number = mine.questions + 1
    ahead = assignment.questions_ahead(session, project_id=grader.project_id, grader=grader)
    return Desk(_sheet(view), number, None if ahead is None else number + ahead, mine.today)


def _sheet(view: SlotView) -> Sheet:
    return lay_out(
        view.card,
        token=view.token,
        card_hash=view.card_hash,
        grade=view.grade,
        note=view.note or "",
        place=view.place,
        total=view.total,
    )


def count_today(session: Session, grader: Grader) -> int:
    """Count an SME's grades of today."""
    return assignment.my_progress(session, grader).today


def guideline(session: Session, project_id: int) -> str:
    """Return the guideline in force."""
    return projects.guideline(session, project_id).text
