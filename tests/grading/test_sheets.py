"""A sheet shows the passage exactly, whatever stands in it."""

import pytest

from app.domain.cards import build_card
from app.grading.sheets import Sheet, is_aligned, lay_out

FAMILY = "👩🏽‍🔬 lab notes"
TEXTS = [
    pytest.param("🦊 fox says hi", 6, 10, "says", id="V-020 astral characters"),
    pytest.param(FAMILY, 5, 8, "lab", id="V-021 joined emoji"),
    pytest.param("cafe\u0301 noir served", 6, 10, "noir", id="V-022 combining marks"),
    pytest.param("one\r\ntwo\r\nthree", 10, 15, "three", id="V-023 line ends of Windows"),
    pytest.param("a &lt; b & c <i>d</i>", 13, 21, "<i>d</i>", id="V-024 markup"),
    pytest.param(f"🦊{'x' * 99}needle{'y' * 99}🦊", 100, 106, "needle", id="V-029 a cut pair"),
    pytest.param("no yes no yes no", 7, 9, "no", id="V-030 the second of three"),
]


def lay(text: str, start: int, end: int, query: str = "needle noir says lab") -> Sheet:
    card = build_card(query=query, need="", title="", text=text, start=start, end=end)
    return lay_out(card, token="t", card_hash="h", grade=None, note="", place=1, total=1)


@pytest.mark.parametrize(("text", "start", "end", "expected"), TEXTS)
def test_the_pieces_joined_are_the_span(text: str, start: int, end: int, expected: str) -> None:
    sheet = lay(text, start, end)

    assert "".join(piece for _, piece in sheet.marked) == expected
    assert text.startswith(sheet.before)
    assert text.endswith(sheet.after)


def test_words_of_the_query_are_marked() -> None:
    sheet = lay("The needle is sharp.", 0, 20)

    assert [piece for is_marked, piece in sheet.marked if is_marked] == ["needle"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("A    B\n1    2", True, id="columns by blanks"),
        pytest.param("| A | B |\n|---|---|\n| 1 | 2 |", True, id="columns by bars"),
        pytest.param("def f():\n\treturn 1\n\n\tpass", True, id="tabs"),
        pytest.param("One sentence.  And another.\nA third.", False, id="prose"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_tables_and_code_keep_their_columns(text: str, expected: bool) -> None:
    assert is_aligned(text) is expected
