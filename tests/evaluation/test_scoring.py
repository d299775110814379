"""Runs scored against the labels of a release, from values alone."""

import pytest

from app.domain.spans import Span
from app.evaluation.scoring import Label, LabelSet, find_interval, score_hits, trace_hits


def whole(name: str) -> Span:
    return Span(name, 0, None, whole=True)


def documents(**grades: int) -> list[Label]:
    return [Label(whole(name), grade, human=True) for name, grade in grades.items()]


def mean(labels: LabelSet, hits: dict[str, list[Span]], metric: str, cut: int = 1) -> object:
    return score_hits(labels, hits, cut=cut).summary["metrics"][metric]["mean"]


def test_v066_a_query_the_run_does_not_answer_counts_0_and_both_means_are_kept() -> None:
    labels = LabelSet({"q1": documents(d1=1), "q2": documents(d2=1)})

    summary = score_hits(labels, {"q1": [whole("d1")]}, cut=1).summary

    assert summary["unanswered"] == ["q2"]
    assert (summary["metrics"]["map"]["mean"], summary["metrics"]["map"]["n"]) == (0.5, 2)
    assert summary["metrics"]["map"]["answered"] == {"mean": 1.0, "n": 1}


def test_v067_a_query_without_labels_is_listed_and_left_out() -> None:
    labels = LabelSet({"q1": documents(d1=1), "q2": []})

    summary = score_hits(labels, {"q1": [whole("d1")], "q2": [whole("x")]}, cut=1).summary

    assert (summary["unjudged"], summary["queries"]) == (["q2"], 1)
    assert summary["metrics"]["map"]["mean"] == 1.0


def test_v068_nothing_relevant_is_undefined_or_0_by_the_switch() -> None:
    labels = LabelSet({"q1": documents(d1=0), "q2": documents(d2=3)})
    hits = {"q1": [whole("d1")], "q2": [whole("d2")]}

    summary = score_hits(labels, hits, cut=1).summary

    assert summary["nothing_relevant"] == ["q1"]
    found = summary["metrics"]["map"]
    assert (found["mean"], found["n"], found["undefined"]) == (1.0, 1, 1)
    assert (found["zero"]["mean"], found["zero"]["n"]) == (0.5, 2)
    assert score_hits(labels, hits, cut=1).summary == summary


@pytest.mark.parametrize(
    ("labels", "hits"),
    [
        pytest.param({}, {"q": [whole("d")]}, id="no labels"),
        pytest.param({"q": documents(d=1)}, {}, id="no run"),
        pytest.param({}, {}, id="neither"),
    ],
)
def test_v068_empty_input_is_no_error(
    labels: dict[str, list[Label]], hits: dict[str, list[Span]]
) -> None:
    scores = score_hits(LabelSet(labels), hits, cut=1)

    assert scores.summary["metrics"]["map"]["mean"] in (None, 0.0)


def test_v072_the_cut_decides_what_is_relevant_and_ndcg_does_not_know_it() -> None:
    labels = LabelSet({"q": documents(a=1, b=2, c=3)})
    hits = {"q": [whole("a"), whole("b"), whole("c")]}

    assert mean(labels, hits, "mrr", cut=1) == 1.0
    assert mean(labels, hits, "mrr", cut=2) == 0.5
    assert mean(labels, hits, "ndcg@5", cut=1) == mean(labels, hits, "ndcg@5", cut=2)


def test_v073_what_nobody_labelled_is_counted_beside_the_figure() -> None:
    labels = LabelSet({"q": documents(a=3, b=0)})

    summary = score_hits(labels, {"q": [whole("x"), whole("a"), whole("b")]}, cut=1).summary

    assert summary["top"]["5"] == {"hits": 3, "labelled": 2, "human": 2}
    assert summary["metrics"]["judged@5"]["mean"] == pytest.approx(2 / 3)


def test_v074_a_document_named_like_its_query_is_kept() -> None:
    labels = LabelSet({"7": [Label(whole("7"), 2, human=True), *documents(x=1)]})

    assert mean(labels, {"7": [whole("7"), whole("x")]}, "ndcg@10") == 1.0


def test_unanswerable_queries_stand_apart() -> None:
    labels = LabelSet({"q1": documents(a=1), "q2": documents(b=3)}, frozenset({"q2"}))

    summary = score_hits(labels, {"q1": [whole("a")], "q2": [whole("b")]}, cut=1).summary

    assert (summary["queries"], summary["unanswerable"]) == (1, ["q2"])
    assert summary["false_finds"] == 1


def test_a_span_counts_once_and_a_document_at_its_best_hit() -> None:
    labels = LabelSet({"q": [Label(Span("d", 100, 200), 3, human=True)]})
    hits = {"q": [Span("d", 300, 400), Span("d", 90, 160), Span("d", 140, 240)]}

    assert mean(labels, hits, "mrr") == 0.5
    assert mean(labels, hits, "precision@5") == pytest.approx(0.2)
    by_document = score_hits(labels, hits, cut=1, unit="document").summary
    assert (by_document["unit"], by_document["metrics"]["mrr"]["mean"]) == ("document", 1.0)
    assert by_document["top"]["5"]["hits"] == 1


def test_hits_on_chunks_meet_labels_of_documents() -> None:
    labels = LabelSet({"q": documents(a=1, b=0)})
    hits = {"q": [Span("b", 0, 9), Span("b", 9, 19), Span("a", 0, 9)]}

    summary = score_hits(labels, hits, cut=1).summary

    assert (summary["unit"], summary["metrics"]["mrr"]["mean"]) == ("document", 0.5)


def test_a_hit_says_whose_label_it_met() -> None:
    labels = [
        Label(Span("d", 0, 100), 3, human=False),
        Label(Span("d", 200, 300), 0, human=True),
        Label(Span("e", 0, 50), 2, human=True),
    ]
    hits = [Span("d", 10, 90), Span("d", 210, 300), Span("e", 0, 50), Span("e", 60, 90)]

    assert trace_hits(labels, hits, spans=True) == [False, True, True, None]


def test_within_a_budget_characters_are_read_until_it_is_used_up() -> None:
    labels = LabelSet({"q": [Label(Span("d", 0, 1000), 2, human=True)]})
    hits = {"q": [Span("x", 0, 1500), Span("d", 0, 1000)]}

    found = score_hits(labels, hits, cut=1).summary["metrics"]["coverage@2000c"]

    assert (found["mean"], found["characters"]) == (0.5, 2000)


def test_an_interval_needs_two_values_and_repeats_itself() -> None:
    values: dict[str, float | None] = {str(n): n % 3 / 2 for n in range(60)}

    assert find_interval({"a": 1.0, "b": None}) is None
    assert find_interval(values) == find_interval(values)
    many: dict[str, float | None] = {str(n): n % 3 / 2 for n in range(6000)}
    by_formula = find_interval(many)
    assert by_formula is not None
    assert by_formula.high - by_formula.low == pytest.approx(
        2 * 1.96 * 0.4083 / 77.46, rel=0.01
    )
