"""Unslotted: grades that fill no slot, of judges and of imported files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.assignment import store_grades
from app.db import insert_ignore, now
from app.domain.scale import GRADES
from app.errors import Invalid
from app.models import GradeEvent, Grader
from app.projects import service as projects

AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class JudgeGrade:
    """A judge's grade of an item, with the card it was given on (see ``cards_of``)."""

    item_id: int
    value: int
    reason: str | None
    card_hash: str | None
    query_version_id: int
    document_version_id: int
    note: str | None = None
    supersedes_id: int | None = None


def write_judge_grades(
    session: Session,
    *,
    grader: Grader,
    rows: Sequence[JudgeGrade],
    guideline_id: int | None = None,
) -> dict[int, int]:
    """Store grades of a judge and return item id to grade id.

    ``guideline_id`` is the guideline the judge was given; the one in force without.

    A judge has one grade an item: one that is there stays and its id is returned, so that
    the same verdict written twice is one.

    Raises:
        Invalid: a value is off the scale 0 to 3.
    """
    stored: dict[int, int] = {}
    for piece in _split(rows):
        write_unslotted(session, grader, piece, slot_kind="judge", guideline_id=guideline_id)
        found = store_grades.imported_on(session, grader.id, [row.item_id for row in piece])
        stored |= {item_id: event_id for item_id, (_, event_id, _) in found.items()}
    return stored


def write_unslotted(
    session: Session,
    grader: Grader,
    rows: Sequence[JudgeGrade],
    *,
    slot_kind: str,
    guideline_id: int | None = None,
) -> None:
    """Insert grades without a slot; items the grader has graded are left as they are."""
    off = [row.value for row in rows if row.value not in GRADES]
    if off:
        raise Invalid(f"A grade is 0, 1, 2 or 3, not {off[0]}.")
    common = {
        "slot_id": None,
        "slot_kind": slot_kind,
        "grader_id": grader.id,
        "withdrawn": False,
        "current": True,
        "context_opened": False,
        "guideline_id": guideline_id or projects.guideline(session, grader.project_id).id,
        "created_at": now(session),
    }
    for piece in _split(rows):
        insert_ignore(session, GradeEvent, [common | _values(row) for row in piece])


def _values(row: JudgeGrade) -> dict[str, Any]:
    return {
        "item_id": row.item_id,
        "value": row.value,
        "reason": row.reason,
        "card_hash": row.card_hash,
        "query_version_id": row.query_version_id,
        "document_version_id": row.document_version_id,
        "note": row.note,
        "supersedes_id": row.supersedes_id,
    }


def _split(rows: Sequence[JudgeGrade]) -> Iterator[Sequence[JudgeGrade]]:
    return (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))
