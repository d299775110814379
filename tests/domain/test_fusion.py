"""Fusion: reciprocal ranks, the same whatever comes first."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.fusion import fuse

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4)


def test_reciprocal_ranks_are_added() -> None:
    fused = dict(fuse([["a", "b"], ["b", "c"]]))

    assert fused == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62}, rel=1e-6)


def test_ties_go_by_id_falling_with_falling_scores() -> None:
    fused = fuse([["a", "b"], ["b", "a"]])

    assert [hit_id for hit_id, _ in fused] == ["b", "a"]
    assert fused[0][1] > fused[1][1]


def test_an_id_twice_in_a_ranking_counts_once() -> None:
    assert fuse([["a", "a", "b"]]) == fuse([["a", "b"]])


@settings(deadline=None, max_examples=100)
@given(RANKINGS)
def test_the_order_of_the_rankings_does_not_matter(rankings: list[list[str]]) -> None:
    fused = fuse(rankings)
    scores = [score for _, score in fused]

    assert fused == fuse(reversed(rankings))
    assert scores == sorted(set(scores), reverse=True)
    assert {hit for hit, _ in fused} == {hit for ranking in rankings for hit in ranking}
