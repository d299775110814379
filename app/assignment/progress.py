"""Progress: how far the grading is, counted from the rows every time (V-043)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from app.assignment import store, store_grades, store_progress
from app.db import now
from app.models import Grader

AT_ONCE = 500
COUNTED = 200


@dataclass(frozen=True, slots=True)
class MyProgress:
    """What an SME has done: grades of today (UTC), cards set aside, questions finished."""

    today: int
    skipped: int
    questions: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for an SME: questions they may start, and the passages in them."""

    questions: int
    passages: int


@dataclass(frozen=True, slots=True)
class SmeProgress:
    """One SME: current grades, skips by reason, cards open in the block they hold."""

    name: str
    pseudonym: str
    graded: int
    skips: dict[str, int]
    open: int
    last_at: datetime | None

    @property
    def skipped(self) -> int:
        return sum(self.skips.values())


@dataclass(frozen=True, slots=True)
class WaveProgress:
    """One wave of wanted grades: graded + skipped + open = wanted."""

    wave: int
    kind: str
    graded: int
    skipped: int
    open: int

    @property
    def wanted(self) -> int:
        return self.graded + self.skipped + self.open


@dataclass(frozen=True, slots=True)
class Progress:
    """The grading of a project. ``extra`` grades came although their slot had one."""

    waves: tuple[WaveProgress, ...]
    smes: tuple[SmeProgress, ...]
    extra: int

    @property
    def wanted(self) -> int:
        return sum(wave.wanted for wave in self.waves)

    @property
    def graded(self) -> int:
        return sum(wave.graded for wave in self.waves)

    @property
    def skipped(self) -> int:
        return sum(wave.skipped for wave in self.waves)

    @property
    def open(self) -> int:
        return sum(wave.open for wave in self.waves)


@dataclass(frozen=True, slots=True)
class CurrentGrade:
    """A grade in force. ``split`` and ``inclusion`` are those of its slot, if it has one."""

    grade_id: int
    item_id: int
    grader_id: int
    kind: str
    value: int
    slot_kind: str
    split: str | None
    inclusion: float | None


def my_progress(session: Session, grader: Grader) -> MyProgress:
    """Count what an SME has done."""
    midnight = now(session).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    today = store_grades.count_since(session, grader.id, midnight)
    skipped, questions = store_progress.count_own(session, grader.id)
    return MyProgress(today, skipped, questions)


def waiting(session: Session, *, project_id: int, grader: Grader | None) -> Waiting:
    """Count what an SME may start on, the block they hold included; None: a new SME."""
    me = grader.id if grader is not None else 0
    blocks, slots = store.count_waiting(session, project_id, me)
    held = store.held_id(session, project_id, me)
    if held is None:
        return Waiting(blocks, slots)
    return Waiting(blocks + 1, slots + store_progress.count_open(session, held))


def questions_ahead(session: Session, *, project_id: int, grader: Grader) -> int | None:
    """Count the questions an SME may start, without the one they hold; None if very many."""
    return store.count_waiting_queries(session, project_id, grader.id, COUNTED)


def progress(session: Session, project_id: int) -> Progress:
    """Count the wanted grades of a project and what each SME did."""
    waves = store_progress.slots_by_wave(session, project_id)
    skips = store_progress.skips_by_grader(session, project_id)
    graded = store_progress.grades_by_grader(session, project_id)
    held = store_progress.open_by_grader(session, project_id)
    smes = (
        SmeProgress(
            name=sme.name,
            pseudonym=sme.pseudonym,
            graded=graded.get(sme.id, (0, None))[0],
            skips=skips.get(sme.id, {}),
            open=held.get(sme.id, 0),
            last_at=graded.get(sme.id, (0, None))[1],
        )
        for sme in store.graders_of(session, project_id, "sme")
    )
    return Progress(
        tuple(
            WaveProgress(
                wave,
                kind,
                counts.get("done", 0),
                counts.get("skipped", 0),
                counts.get("open", 0),
            )
            for (wave, kind), counts in waves.items()
        ),
        tuple(smes),
        store_progress.count_extra(session, project_id),
    )


def current_grades(
    session: Session,
    project_id: int,
    *,
    kind: str | None = None,
    item_ids: Sequence[int] | None = None,
) -> Iterator[CurrentGrade]:
    """Yield the grades in force by item, of SMEs, of judges or of both; withdrawn ones never.

    Without ``item_ids`` it is a stream over the project.
    """
    if item_ids is None:
        yield from _read(session, project_id, kind, None)
        return
    for start in range(0, len(item_ids), AT_ONCE):
        yield from _read(session, project_id, kind, item_ids[start : start + AT_ONCE])


def _read(
    session: Session, project_id: int, kind: str | None, item_ids: Sequence[int] | None
) -> Iterator[CurrentGrade]:
    rows = store_grades.current_grades(session, project_id, kind, item_ids)
    return (CurrentGrade(*row) for row in rows)
