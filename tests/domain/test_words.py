"""Numbers and lists as people write them."""

import pytest

from app.domain.words import join_words, say_count


@pytest.mark.parametrize(
    ("number", "thing", "said"),
    [
        (1, "pair", "1 pair"),
        (0, "pair", "0 pairs"),
        (1509, "grade", "1,509 grades"),
        (1, "query", "1 query"),
        (2, "query", "2 queries"),
        (2, "day", "2 days"),
        (3, "match", "3 matches"),
        (2, "irrelevant pair", "2 irrelevant pairs"),
    ],
)
def test_a_number_stands_beside_the_right_form(number: int, thing: str, said: str) -> None:
    assert say_count(number, thing) == said


@pytest.mark.parametrize(
    ("words", "joined"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_a_list_ends_with_and(words: list[str], joined: str) -> None:
    assert join_words(words) == joined
