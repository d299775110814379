"""Scale: words, mappings and strict reading."""

import pytest

from app.domain.scale import GRADES, Grade, parse_mapping, read_grade
from app.errors import Invalid


def test_every_grade_has_its_word() -> None:
    assert [grade.word for grade in Grade] == [
        "Irrelevant",
        "Tangential",
        "Partial",
        "Complete",
    ]
    assert tuple(Grade) == GRADES


def test_a_mapping_keeps_codes_as_text() -> None:
    assert parse_mapping("4=3,3=2, -1=0,02=1") == {"4": 3, "3": 2, "-1": 0, "02": 1}


def test_a_code_may_hold_an_equals_sign() -> None:
    assert parse_mapping("a=b=2") == {"a=b": 2}


@pytest.mark.parametrize(
    "text", ["", "4", "4=", "=3", "4=4", "4=-1", "4=2.0", "4=02", "4=3,4=2", "4=3,", "4=٣"]
)
def test_a_bad_mapping_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_mapping(text)


@pytest.mark.parametrize("text", ["2.0", "02", "two", "5", "-1", "", " 2", "٢", "²"])
def test_what_is_not_exactly_a_grade_is_none(text: str) -> None:
    assert read_grade(text) is None


def test_zero_is_a_grade() -> None:
    assert [read_grade(text) for text in "0123"] == [0, 1, 2, 3]


def test_a_mapping_comes_before_the_scale_and_leaves_other_codes_alone() -> None:
    mapping = parse_mapping("1=3,2.0=2")

    assert [read_grade(text, mapping) for text in ("1", "2.0", "0", "5")] == [3, 2, 0, None]
