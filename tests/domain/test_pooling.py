"""Pooling: identity, folding, statistics, laws, and the counts of real pools."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.ordering import Rule, RunHit, order_hits
from app.domain.pooling import Hit, Member, leave_one_out, pool, summarize
from app.domain.spans import Span
from tests.data import collection
from tests.domain.strategies import SPANS


def rank(*spans: Span) -> list[Hit]:
    return [Hit(span, float(-place)) for place, span in enumerate(spans)]


def whole(doc_id: str) -> Span:
    return Span(doc_id, 0, None, whole=True)


def test_v025_overlapping_and_nested_spans_stay_four_items() -> None:
    spans = [Span("d", 0, 10), Span("d", 0, 4), Span("d", 3, 8), Span("d", 6, 12)]

    assert [item.span for item in pool({"a": rank(*spans)}).items] == spans


def test_v026_touching_spans_are_two_items_and_nothing_is_merged() -> None:
    spans = [Span("d", 0, 4), Span("d", 4, 8)]

    assert [item.span for item in pool({"a": rank(*spans)}).items] == spans


def test_v027_the_same_chunk_is_one_item_with_all_who_found_it() -> None:
    made = pool(
        {
            "a": rank(Span("d1", 0, 5)),
            "b": rank(Span("d1", 0, 5), Span("d1", 5, 9)),
            "c": rank(whole("d1:0-5")),
        }
    )

    assert len(made.items) == 3
    assert made.items[0].members == (Member("a", 1, 0.0, 0, 5), Member("b", 1, 0.0, 0, 5))
    assert made.hits == {"a": 1, "b": 2, "c": 1}
    assert made.unique == {"a": 0, "b": 1, "c": 1}


def test_v071_short_lists_are_taken_as_they_are_and_named() -> None:
    made = pool({"A": rank(whole("1"), whole("2"), whole("3")), "B": []})

    assert len(made.items) == 3
    assert [short.describe("q1") for short in made.short_lists] == [
        "run A: 3 of 20 for q1",
        "run B: 0 of 20 for q1",
    ]


def test_hits_below_the_depth_are_left_out() -> None:
    made = pool({"a": rank(*(whole(str(doc)) for doc in range(9)))}, depth=2)

    assert [item.span.doc_id for item in made.items] == ["0", "1"]
    assert made.short_lists == ()


def test_near_duplicates_fold_from_eight_tenths() -> None:
    assert len(pool({"a": rank(Span("d", 0, 10), Span("d", 2, 10))}).items) == 1
    assert len(pool({"a": rank(Span("d", 0, 100), Span("d", 21, 100))}).items) == 2
    assert len(pool({"a": rank(Span("d", 0, 10), Span("e", 0, 10))}).items) == 2


def test_a_hit_is_compared_with_representatives_only() -> None:
    chain = [Span("d", 0, 100), Span("d", 10, 110), Span("d", 20, 120)]

    made = pool({"a": rank(*chain)})

    assert [item.span for item in made.items] == [chain[0], chain[2]]


def test_a_hit_joins_the_representative_it_shares_most_with() -> None:
    first, second, between = Span("d", 0, 100), Span("d", 20, 120), Span("d", 11, 111)

    made = pool({"a": rank(first, second, between)})

    assert [len(item.members) for item in made.items] == [1, 2]


def test_the_best_rank_then_the_number_of_runs_makes_the_representative() -> None:
    one, other = Span("d", 0, 100), Span("d", 5, 105)

    assert pool({"a": rank(Span("e", 0, 9), one), "b": rank(other)}).items[0].span == other
    assert pool({"a": rank(one), "b": rank(other), "c": rank(other)}).items[0].span == other
    assert pool({"a": rank(other), "b": rank(one)}).items[0].span == one


def test_a_whole_document_never_folds_with_a_span() -> None:
    document, chunk = Span("d", 0, 100, whole=True), Span("d", 0, 100)

    assert len(pool({"a": rank(document, chunk)}).items) == 2
    assert len(pool({"a": rank(chunk)}, existing=[document]).items) == 2


def test_a_whole_document_is_one_item_whether_or_not_its_length_is_known() -> None:
    made = pool({"a": rank(Span("d", 0, 9, whole=True)), "b": rank(whole("d"))})

    assert len(made.items) == 1


def test_existing_items_stay_first_and_take_in_what_is_near() -> None:
    kept, untouched = Span("d", 3, 103), Span("d", 500, 600)

    made = pool({"a": rank(Span("d", 0, 100), Span("d", 200, 300))}, existing=[untouched, kept])

    assert [item.span for item in made.items] == [untouched, kept, Span("d", 200, 300)]
    assert [len(item.members) for item in made.items] == [0, 1, 1]


def test_leaving_a_run_out_loses_what_only_it_found() -> None:
    made = pool({"a": rank(whole("1"), whole("2")), "b": rank(whole("2"))})

    assert leave_one_out(made) == {"a": (whole("1"),), "b": ()}


def test_a_summary_prints_as_the_command_line_promises() -> None:
    pools = [("q1", pool({"a": rank(whole("1"))}, depth=1)), ("q2", pool({"a": []}, depth=1))]

    summary = summarize(pools)

    assert summary.as_json() == {
        "items": 1,
        "queries": 1,
        "runs": {"a": {"hits": 1, "unique": 1}},
    }
    assert [(query, short.taken) for query, short in summary.short_lists] == [("q2", 0)]


SPANS_OR_WHOLE = st.one_of(SPANS, st.sampled_from([whole("d1"), whole("d2")]))
RANKINGS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.lists(SPANS_OR_WHOLE, max_size=6).map(lambda spans: rank(*spans)),
    max_size=3,
)


@settings(deadline=None, max_examples=100)
@given(RANKINGS)
def test_every_hit_is_in_exactly_one_item(rankings: Mapping[str, Sequence[Hit]]) -> None:
    made = pool(rankings, depth=4)

    members = [(each.run, each.rank) for item in made.items for each in item.members]
    assert sorted(members) == sorted(
        (run, at) for run, hits in rankings.items() for at in range(1, len(hits[:4]) + 1)
    )
    assert len(made.items) <= sum(made.hits.values())
    assert sum(made.unique.values()) <= len(made.items)


@settings(deadline=None, max_examples=100)
@given(RANKINGS)
def test_the_order_of_the_runs_does_not_matter(rankings: Mapping[str, Sequence[Hit]]) -> None:
    backwards = dict(reversed(list(rankings.items())))

    assert pool(rankings).items == pool(backwards).items


@settings(deadline=None, max_examples=100)
@given(RANKINGS, RANKINGS)
def test_extending_keeps_every_item(
    first: Mapping[str, Sequence[Hit]], second: Mapping[str, Sequence[Hit]]
) -> None:
    before = [item.span for item in pool(first).items]

    after = [item.span for item in pool(second, existing=before).items]

    assert after[: len(before)] == before
    assert [item.span for item in pool(first, existing=before).items] == before


def read_runs(folder: Path) -> dict[str, dict[str, list[RunHit]]]:
    """Return query id to run name to hits."""
    queries: dict[str, dict[str, list[RunHit]]] = defaultdict(dict)
    for path in sorted(folder.glob("*.trec")):
        for line in path.read_text("utf-8").splitlines():
            query_id, _, doc_id, place, score, _ = line.split()
            hits = queries[query_id].setdefault(path.stem, [])
            hits.append(RunHit(doc_id, float(score), int(place)))
    return queries


@pytest.mark.parametrize("name", ["dl21-passage-A", "cranfield", "trec-covid-round1-A"])
def test_real_pools_have_the_expected_counts(name: str) -> None:
    folder = collection(name)
    queries = read_runs(folder / "runs")
    expected = json.loads((folder / "expected" / "pool.json").read_text("utf-8"))["depth"]

    rules: tuple[Rule, ...] = ("score", "rank")
    for rule in rules:
        ordered = [
            {
                run: [Hit(whole(hit.hit_id), hit.score) for hit in order_hits(hits, rule)]
                for run, hits in runs.items()
            }
            for runs in queries.values()
        ]
        for depth in expected:
            items = sum(len(pool(runs, depth=int(depth)).items) for runs in ordered)
            assert items == expected[depth][f"by_{rule}"]["pairs_all_queries"]
