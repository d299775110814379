"""Ordering: trec_eval's order, the rank column, and what an importer reports."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.ordering import (
    Rule,
    RunHit,
    falling_scores,
    make_falling,
    order_hits,
    order_report,
)
from app.errors import Invalid


def ids(hits: list[RunHit], rule: Rule = "score") -> list[str]:
    return [hit.hit_id for hit in order_hits(hits, rule)]


def test_v019_integers_and_exponents_are_scores() -> None:
    assert ids([RunHit("d2", 1e-3), RunHit("d3", -2), RunHit("d1", 10)]) == ["d1", "d2", "d3"]


@pytest.mark.parametrize("score", [nan, inf, -inf])
def test_v019_a_score_without_an_order_is_refused(score: float) -> None:
    with pytest.raises(Invalid, match="d4"):
        order_hits([RunHit("d1", 1.0), RunHit("d4", score)])


def test_equal_scores_go_by_id_falling_as_bytes() -> None:
    hits = ["d1", "d10", "D2", "é", "\uffff", "🦊", "d"]

    ordered = ids([RunHit(hit, 1.0) for hit in hits])

    assert ordered == sorted(hits, key=lambda hit: hit.encode("utf-8"), reverse=True)


def test_v069_the_score_decides_unless_the_rank_is_asked_for() -> None:
    hits = [RunHit("d1", 0.1, 1), RunHit("d9", 0.9, 2)]

    assert ids(hits) == ["d9", "d1"]
    assert ids(hits, "rank") == ["d1", "d9"]
    assert order_report({"q1": hits}).disagreeing == ("q1",)


def test_v069_ranks_from_zero_are_accepted() -> None:
    hits = [RunHit("d1", 2.0, 0), RunHit("d9", 1.0, 1)]

    assert ids(hits, "rank") == ["d1", "d9"]
    assert order_report({"q1": hits}).disagreeing == ()


def test_equal_ranks_go_by_score_and_id() -> None:
    hits = [RunHit("a", 1.0, 1), RunHit("b", 1.0, 1), RunHit("c", 2.0, 1)]

    assert ids(hits, "rank") == ["c", "b", "a"]


def test_a_missing_rank_is_refused_only_where_it_decides() -> None:
    assert ids([RunHit("a", 1.0)]) == ["a"]
    with pytest.raises(Invalid):
        ids([RunHit("a", 1.0)], "rank")


def test_ranks_that_only_break_ties_are_reported_apart() -> None:
    report = order_report({"q1": [RunHit("a", 1.0, 1), RunHit("b", 1.0, 2)]})

    assert (report.disagreeing, report.tied_by_rank) == ((), ("q1",))


def test_scores_that_32_bits_cannot_tell_apart_are_reported() -> None:
    near = [RunHit("a", 1.0), RunHit("b", 1.0 + 1e-12)]
    exact = [RunHit("a", 1.0), RunHit("b", 1.0)]

    report = order_report({"near": near, "exact": exact})

    assert (report.queries, report.tied_in_32_bits) == (2, ("near",))


def test_the_order_as_scores_falls_by_one() -> None:
    assert falling_scores(["b", "a", "c"]) == {"b": 3, "a": 2, "c": 1}


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-1e6, 1e6), max_size=30))
def test_made_scores_fall_strictly_and_stay_close(scores: list[float]) -> None:
    scores.sort(reverse=True)

    falling = make_falling(scores)

    assert falling == sorted(set(falling), reverse=True)
    assert falling == pytest.approx(scores, rel=1e-5, abs=1e-5)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-(2.0**99), 2.0**99, width=32), max_size=20))
def test_tied_scores_move_by_as_little_as_32_bits_can_tell(scores: list[float]) -> None:
    expected: list[float] = []
    for score in sorted(scores * 2, reverse=True):
        above = expected[-1] if expected else inf
        below = np.nextafter(np.float32(above), np.float32(-inf))
        expected.append(float(min(score, below)))

    assert make_falling(sorted(scores * 2, reverse=True)) == expected
