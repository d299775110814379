"""Judgments: grades on the scale, one a pair."""

import pytest

from app.domain.scale import parse_mapping
from app.errors import Invalid
from app.formats.checks import Problems
from app.formats.judgments import (
    Duplicates,
    check_duplicates,
    group_grades,
    map_grades,
    read_foreign_grade,
    settle_judgments,
)
from app.formats.rows import LabelRow


def labels(*grades: str, hit: str = "d") -> list[LabelRow]:
    return [
        LabelRow(line, "q", hit, None, None, None, grade)
        for line, grade in enumerate(grades, start=1)
    ]


def test_a_grade_off_the_scale_is_refused_by_line() -> None:
    problems = Problems("given")

    settle_judgments(labels("ERROR", "5", "2.0", "-1", "02", "", "٣"), problems)

    assert [problem.line for problem in problems.shown] == [1, 2, 3, 4, 5, 6, 7]
    assert "--map ERROR=GRADE" in problems.shown[0].reason


def test_a_mapping_brings_other_codes_onto_the_scale() -> None:
    problems = Problems("given")
    mapping = parse_mapping("4=3,-1=0,yes=2")

    [one] = settle_judgments(labels("yes"), problems, read=map_grades(mapping))

    assert (one.grade, one.row.grade_text, problems.total) == (2, "yes", 0)


def test_a_pair_with_two_grades_is_refused_with_both_lines() -> None:
    problems = Problems("given")

    settled = settle_judgments(labels("1", "1", "2"), problems)

    assert [one.grade for one in settled] == [1]
    assert (problems.dropped, problems.total) == (1, 1)
    assert str(problems.shown[0]).startswith("given, line 3: grade 2 for q d, but 1 in line 1")


@pytest.mark.parametrize(
    ("rule", "grade"),
    [("first", 2), ("last", 3), ("majority", 0)],
    ids=lambda value: str(value),
)
def test_a_rule_chooses_among_several_grades(rule: Duplicates, grade: int) -> None:
    problems = Problems("given")

    settled = settle_judgments(labels("2", "0", "2", "0", "3"), problems, duplicates=rule)

    assert group_grades(settled) == {"q": {"d": grade}}
    assert (problems.total, problems.dropped) == (0, 4)


def test_only_four_rules_have_names() -> None:
    assert check_duplicates("majority") == "majority"
    with pytest.raises(Invalid, match="refuse, first, last, majority"):
        check_duplicates("mean")


@pytest.mark.parametrize(
    ("text", "grade"), [("4", 4), ("-1", -1), ("1.0", None), ("ERROR", None), ("1_0", None)]
)
def test_a_grade_of_a_foreign_scale_is_a_whole_number(text: str, grade: int | None) -> None:
    assert read_foreign_grade(text) == grade
