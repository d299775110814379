"""Assignment: samples, blocks and orders from a seed, and the consensus of SMEs."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.assignment import (
    Placed,
    consensus,
    plan_blocks,
    plan_sample,
    shuffle_documents,
)
from app.domain.spans import Span
from app.errors import Invalid


def test_a_sample_depends_on_the_seed_and_not_on_the_order() -> None:
    drawn = plan_sample(range(100), 10, seed=7)

    assert drawn == plan_sample(reversed(range(100)), 10, seed=7)
    assert drawn != plan_sample(range(100), 10, seed=8)
    assert {chosen.inclusion for chosen in drawn} == {0.1}
    assert len({chosen.item for chosen in drawn}) == 10


def test_every_item_has_the_same_chance() -> None:
    counts = [0] * 10
    for seed in range(2000):
        for chosen in plan_sample(range(10), 3, seed):
            counts[chosen.item] += 1

    assert all(540 <= count <= 660 for count in counts)


def test_a_sample_larger_than_the_pool_takes_everything() -> None:
    assert [(each.item, each.inclusion) for each in plan_sample(["b", "a"], 5, 0)] == [
        ("a", 1.0),
        ("b", 1.0),
    ]
    assert plan_sample(list[int](), 5, 0) == []


def test_a_negative_sample_is_refused() -> None:
    with pytest.raises(Invalid):
        plan_sample([1], -1, 0)


def test_every_query_has_a_block_for_each_seat() -> None:
    blocks = plan_blocks({"q1": [1, 2], "q2": [3], "q3": []}, seats=2, seed=3)

    assert sorted((block.query, block.seat) for block in blocks) == [
        ("q1", 1),
        ("q1", 2),
        ("q2", 1),
        ("q2", 2),
    ]
    assert [block.place for block in blocks] == [0, 1, 2, 3]
    assert blocks[0].query == blocks[1].query
    assert {block.items for block in blocks} == {(1, 2), (3,)}


def test_a_plan_without_seats_is_refused() -> None:
    with pytest.raises(Invalid):
        plan_blocks({"q1": [1]}, seats=0, seed=0)


def test_chunks_of_a_document_stay_together_in_order() -> None:
    items = [Placed(at, Span(f"d{at % 5}", at, at + 9)) for at in range(25)]

    order = shuffle_documents(items, seed=1, grader="ada")

    assert sorted(order) == list(range(25))
    documents = [order[at : at + 5] for at in range(0, 25, 5)]
    assert all(chunks == sorted(chunks) for chunks in documents)
    assert all(len({item % 5 for item in chunks}) == 1 for chunks in documents)
    assert order == shuffle_documents(reversed(items), seed=1, grader="ada")


def test_documents_come_in_another_order_for_another_sme() -> None:
    items = [Placed(at, Span(str(at), 0, 9)) for at in range(20)]

    orders = {tuple(shuffle_documents(items, 1, grader)) for grader in ("ada", "bob", "eve")}

    assert len(orders) == 3


@pytest.mark.parametrize(
    ("grades", "cut", "value", "state"),
    [
        pytest.param([], 1, None, "none", id="nobody"),
        pytest.param([2], 1, 2, "agreed", id="one"),
        pytest.param([0, 0], 1, 0, "agreed", id="same"),
        pytest.param([2, 3], 1, 2, "resolved", id="lower of two middles"),
        pytest.param([0, 1], 1, None, "unresolved", id="two sides of the cut"),
        pytest.param([0, 1], 2, 0, "resolved", id="one side of a higher cut"),
        pytest.param([1, 3], 1, None, "unresolved", id="two steps apart"),
        pytest.param([1, 2], 2, None, "unresolved", id="two sides of cut 2"),
        pytest.param([2, 3, 3], 1, 3, "resolved", id="median of three"),
        pytest.param([0, 2, 2], 1, 2, "resolved", id="a third grade settles"),
        pytest.param([0, 1, 3], 1, None, "unresolved", id="a third grade does not settle"),
        pytest.param([0, 0, 2, 2], 1, None, "unresolved", id="two against two"),
    ],
)
def test_the_consensus_of_smes(
    grades: list[int], cut: int, value: int | None, state: str
) -> None:
    for order in permutations(grades):
        said = consensus(order, cut)
        assert (said.value, said.state, said.grades) == (value, state, len(grades))


def test_an_adjudicator_decides_whatever_was_said() -> None:
    said = consensus([0, 3], 1, adjudicated=0)

    assert (said.value, said.state) == (0, "adjudicated")


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=2), st.integers(1, 3))
def test_two_grades_have_a_value_exactly_where_they_do_not_conflict(
    grades: list[int], cut: int
) -> None:
    low, high = min(grades), max(grades)

    conflict = (low >= cut) != (high >= cut) or high - low >= 2
    assert consensus(grades, cut).value == (None if conflict else low)
