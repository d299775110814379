"""Judgments: labels of a file brought onto the scale, one grade a pair."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.domain.scale import read_grade
from app.errors import Invalid
from app.formats.checks import WHOLE_NUMBER, Problems
from app.formats.rows import LabelRow

Duplicates = Literal["refuse", "first", "last", "majority"]
DUPLICATES: dict[str, Duplicates] = {
    "refuse": "refuse",
    "first": "first",
    "last": "last",
    "majority": "majority",
}


@dataclass(frozen=True, slots=True)
class Judgment:
    """One label with its grade 0..3."""

    row: LabelRow
    grade: int


def settle_judgments(
    rows: Iterable[LabelRow],
    problems: Problems,
    *,
    read: Callable[[str], int | None] = read_grade,
    duplicates: Duplicates = "refuse",
) -> list[Judgment]:
    """Return one judgment a pair of query and hit, in the order pairs first come.

    ``read`` gives the grade of a text or None, which is a problem of its line: on the scale
    0..3 by default, `map_grades` for other scales, `read_foreign_grade` for any. A pair
    that comes again with the same grade is dropped and noted. With another grade it is a
    problem naming both lines under ``refuse``; else the first, the last or the commonest
    counts, and the rest is noted. Where several are commonest, the lowest counts.
    """
    said: dict[tuple[str, str], list[Judgment]] = {}
    for row in rows:
        grade = read(row.grade_text)
        if grade is None:
            problems.add(row.line, explain_grade(row.grade_text))
            continue
        before = said.setdefault((row.query_id, row.hit), [])
        if before and not _note_again(before[0], row, grade, problems, duplicates):
            continue
        if duplicates == "last":
            before.clear()
        if duplicates != "first" or not before:
            before.append(Judgment(row, grade))
    return [_choose_commonest(judgments) for judgments in said.values()]


def map_grades(mapping: Mapping[str, int] | None) -> Callable[[str], int | None]:
    """Return a reader of grades that knows a mapping (`scale.parse_mapping`)."""
    return lambda text: read_grade(text, mapping)


def read_foreign_grade(text: str) -> int | None:
    """Read a whole number of any scale, as trec_eval does; None if the text is none."""
    return int(text) if WHOLE_NUMBER.fullmatch(text) else None


def group_grades(judgments: Iterable[Judgment]) -> dict[str, dict[str, int]]:
    """Return query id to hit id to grade."""
    qrels: dict[str, dict[str, int]] = {}
    for judgment in judgments:
        qrels.setdefault(judgment.row.query_id, {})[judgment.row.hit] = judgment.grade
    return qrels


def check_duplicates(text: str) -> Duplicates:
    """Return the rule of that name.

    Raises:
        Invalid: where there is none.
    """
    if text not in DUPLICATES:
        raise Invalid(f"--duplicates {text}: write {', '.join(DUPLICATES)}.")
    return DUPLICATES[text]


def explain_grade(text: str) -> str:
    """Say why a grade is refused and what to do."""
    return (
        f"grade {text!r} is not 0, 1, 2 or 3; correct it, or say what it means with"
        f" --map {text}=GRADE"
    )


def _note_again(
    first: Judgment, row: LabelRow, grade: int, problems: Problems, duplicates: Duplicates
) -> bool:
    """Report a pair that comes again, and say whether it may still count."""
    before = first.row.line
    if grade == first.grade:
        problems.note_duplicate(row.line, before)
    elif duplicates == "refuse":
        problems.add(
            row.line,
            f"grade {grade} for {row.query_id} {row.hit}, but {first.grade} in line {before};"
            " keep one, or choose with --duplicates first, last or majority",
        )
    else:
        problems.note_duplicate(row.line, before, "another grade than")
    return duplicates != "refuse"


def _choose_commonest(judgments: list[Judgment]) -> Judgment:
    counts = Counter(judgment.grade for judgment in judgments)
    return min(judgments, key=lambda one: (-counts[one.grade], one.grade))
