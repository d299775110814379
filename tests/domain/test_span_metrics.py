"""Span metrics: one found span scores once, whatever the chunking."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.metric_names import parse_metric
from app.domain.metrics import evaluate
from app.domain.span_metrics import (
    GoldSpan,
    RankedUnits,
    measure_within,
    merge_gold,
    parse_budget_metric,
    rank_units,
    span_recall,
)
from app.domain.spans import Span
from app.errors import Invalid
from tests.data import collection


def gold(start: int, end: int, grade: int = 3, doc_id: str = "d") -> GoldSpan:
    return GoldSpan(Span(doc_id, start, end), grade)


def hits(*ranges: tuple[int, int]) -> list[Span]:
    return [Span("d", start, end) for start, end in ranges]


def score(units: RankedUnits, *names: str) -> list[float | None]:
    found = evaluate(
        {"q": units.grades}, {"q": units.ranking}, [parse_metric(name) for name in names]
    )
    return [found.scores[name].mean.mean for name in names]


def test_a_second_chunk_on_the_same_span_gains_nothing() -> None:
    units = rank_units([gold(0, 100), gold(500, 600, 2)], hits((0, 60), (40, 100), (490, 610)))

    assert score(units, "precision@3", "recall@3", "recall@2", "judged@3") == [2 / 3, 1, 0.5, 1]
    ideal = 3 + 2 * 0.6309297535714575
    assert score(units, "ndcg@3") == [pytest.approx((3 + 2 * 0.5) / ideal)]


def test_overlapping_spans_are_one_and_touching_spans_are_two() -> None:
    merged = merge_gold([gold(10, 20, 1), gold(0, 12, 3), gold(20, 30, 2), gold(40, 50, 0)])

    assert merged == [gold(0, 20, 3), gold(20, 30, 2)]


def test_spans_of_other_documents_and_whole_documents_stay_apart() -> None:
    whole = GoldSpan(Span("d", 0, 100, whole=True), 1)
    merged = merge_gold([whole, gold(10, 20), gold(10, 20, doc_id="e"), gold(15, 25)])

    assert merged == [gold(10, 25), gold(10, 20, doc_id="e"), whole]


def test_documents_of_unknown_length_are_found_and_merge_with_themselves() -> None:
    whole = Span("d", 0, None, whole=True)
    units = rank_units([GoldSpan(whole, 1), GoldSpan(whole, 2)], [whole])

    assert score(units, "recall@1", "ndcg@1") == [1.0, 1.0]


def test_one_chunk_may_find_several_spans_best_first() -> None:
    units = rank_units([gold(0, 10, 1), gold(20, 30, 3)], hits((0, 40), (90, 99)))

    assert score(units, "ndcg@2", "recall@2", "judged@3") == [1.0, 1.0, pytest.approx(2 / 3)]


def test_a_chunk_that_touches_nothing_known_is_unjudged_and_a_read_one_is_zero() -> None:
    units = rank_units([gold(0, 10), gold(50, 60, 0)], hits((200, 210), (50, 60), (0, 10)))

    assert [units.grades.get(name) for name in units.ranking] == [None, 0, 3]


def test_the_names_of_units_and_hits_never_meet() -> None:
    odd = [GoldSpan(Span(name, 0, 9), 3) for name in ("hit 1", "1", "1 1")]

    units = rank_units(odd, [Span("x", 0, 5), *(labelled.span for labelled in odd)])

    assert len(set(units.ranking)) == 4


def test_span_recall_counts_each_merged_span_once() -> None:
    wanted = [gold(0, 100), gold(90, 120), gold(300, 340, 1)]

    assert span_recall(hits((0, 90), (80, 120)), wanted) == 0.5
    assert span_recall(hits((0, 90)), wanted, cut=2) == 1.0
    assert span_recall(hits((0, 90)), [gold(0, 9, 0)]) is None


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        pytest.param("coverage@150c", 0.75, 150, id="the last hit in part"),
        pytest.param("coverage@100c", 0.5, 100, id="the first hit only"),
        pytest.param("coverage@9999c", 1.0, 250, id="more than there is"),
        pytest.param("span_recall@150c", 0.5, 100, id="recalled only by whole hits"),
        pytest.param("span_recall@200c", 1.0, 200, id="both whole"),
    ],
)
def test_a_budget_limits_what_is_read(name: str, value: float, read: int) -> None:
    wanted = [gold(0, 100), gold(400, 500)]
    shown = [*hits((0, 100)), Span("x", 0, None, whole=True), *hits((400, 500), (450, 500))]

    found = measure_within(parse_budget_metric(name), shown, wanted)

    assert (found.value, found.characters_read) == (value, read)
    assert found.skipped == 1


def test_a_budget_without_relevant_spans_is_undefined() -> None:
    found = measure_within(parse_budget_metric("coverage@10c"), hits((0, 50)), [gold(0, 9, 0)])

    assert (found.value, found.characters_read) == (None, 10)


@pytest.mark.parametrize("name", ["coverage", "coverage@2000", "coverage@0c", "recall@10c"])
def test_a_budget_name_that_means_nothing_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="There is no metric"):
        parse_budget_metric(name)
    assert str(parse_budget_metric("span_recall@2000c")) == "span_recall@2000c"


ranges = st.tuples(st.integers(0, 300), st.integers(1, 120)).map(lambda p: (p[0], p[0] + p[1]))


@given(st.lists(ranges, min_size=1, max_size=6), st.integers(5, 200))
@settings(deadline=None, max_examples=100)
def test_chunks_without_gaps_find_every_span(spans: list[tuple[int, int]], size: int) -> None:
    wanted = [gold(start, end) for start, end in spans]
    tiles = hits(*((at, at + size) for at in range(0, 500, size)))

    assert span_recall(tiles, wanted) == 1.0
    assert score(rank_units(wanted, tiles), "recall@500") == [1.0]


@given(st.lists(ranges, max_size=6), st.lists(ranges, max_size=8))
@settings(deadline=None, max_examples=100)
def test_no_unit_is_found_twice(
    spans: list[tuple[int, int]], shown: list[tuple[int, int]]
) -> None:
    wanted = [gold(start, end) for start, end in spans]
    units = rank_units(wanted, hits(*shown))

    assert len(set(units.ranking)) == len(units.ranking)
    found = [name for name in units.ranking if units.grades.get(name)]
    recall = span_recall(hits(*shown), wanted)
    assert recall == (len(found) / len(merge_gold(wanted)) if wanted else None)


def test_real_gold_spans_are_found_by_themselves_and_by_any_tiling() -> None:
    wanted: dict[str, list[GoldSpan]] = {}
    with (collection("span-gold") / "gold_spans.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        span = Span(row["doc_id"], row["start"], row["end"])
        wanted.setdefault(row["query_id"], []).append(GoldSpan(span, row["grade"]))
    assert len(wanted) == 317
    for labelled in wanted.values():
        spans = [each.span for each in labelled]
        assert span_recall(spans, labelled) == 1.0
        metric = parse_budget_metric("coverage@100000c")
        assert measure_within(metric, spans, labelled).value == 1.0
        assert score(rank_units(labelled, spans), "r_precision") == [1.0]
        last = max(span.reach for span in spans)
        tiles = [Span(spans[0].doc_id, at, at + 400) for at in range(0, last, 400)]
        assert (
            span_recall(tiles, [e for e in labelled if e.span.doc_id == spans[0].doc_id]) == 1
        )
