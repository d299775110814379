"""Metrics on small inputs: the running example, and how such figures go wrong."""

import json

import numpy as np
import pytest

from app.domain.metric_names import describe, list_default_metrics, parse_metric
from app.domain.metrics import Evaluation, NoRelevant, Qrels, Run, drop_same_ids, evaluate
from app.domain.rank_metrics import condense
from app.errors import Invalid

EXAMPLE_RUN = {"q": ["d7", "d3", "d1", "d9", "d4"]}
EXAMPLE_QRELS = {"q": {"d1": 3, "d3": 2, "d5": 2, "d4": 1}}


def score(
    qrels: Qrels, run: Run, *names: str, cut: int = 1, no_relevant: NoRelevant = "skip"
) -> Evaluation:
    return evaluate(qrels, run, [*map(parse_metric, names)], cut=cut, no_relevant=no_relevant)


def mean_of(qrels: Qrels, run: Run, name: str, cut: int = 1) -> float | None:
    return score(qrels, run, name, cut=cut).scores[name].mean.mean


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("precision@5", 0.60), ("recall@5", 0.75), ("f1@5", 0.67), ("mrr", 0.5),
        ("map", 0.44), ("r_precision", 0.5), ("ndcg@5", 0.55), ("ndcg_exp@5", 0.53),
        ("hit@1", 0.0), ("hit@5", 1.0), ("judged@5", 0.6),
    ],
)  # fmt: skip
def test_the_running_example(name: str, value: float) -> None:
    assert mean_of(EXAMPLE_QRELS, EXAMPLE_RUN, name) == pytest.approx(value, abs=0.005)


def test_err_and_rbp_of_the_running_example_follow_their_formulas() -> None:
    stops = [0, 3 / 8, 7 / 8, 0, 1 / 8]
    err, reaching = 0.0, 1.0
    for rank, stop in enumerate(stops, start=1):
        err += reaching * stop / rank
        reaching *= 1 - stop
    found = score(EXAMPLE_QRELS, EXAMPLE_RUN, "err@5", "err@3", "rbp").scores

    assert found["err@5"].mean.mean == pytest.approx(err)
    assert found["rbp"].mean.mean == pytest.approx(0.2 * (0.8 + 0.64 + 0.8**4))
    assert found["rbp"].residual == pytest.approx(0.2 * (1 + 0.8**3) + 0.8**5)


def test_v066_an_unanswered_query_counts_nothing_and_both_means_are_there() -> None:
    found = score({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": ["d1"]}, "map", "rbp")

    assert found.scores["map"].mean.mean == 0.5
    assert found.scores["map"].mean.n == 2
    assert found.scores["map"].answered.mean == 1.0
    assert found.scores["map"].answered.n == 1
    assert found.unanswered == ("q2",)
    assert found.scores["map"].values == {"q1": 1.0, "q2": 0.0}
    assert found.scores["rbp"].residual == pytest.approx((0.8 + 1) / 2)


def test_v066_an_empty_list_is_no_answer() -> None:
    found = score({"q1": {"d1": 1}}, {"q1": []}, "map", "judged@5", "ndcg_exp@5")

    assert found.unanswered == ("q1",)
    assert found.scores["map"].mean.mean == 0.0
    assert found.scores["judged@5"].mean.mean == 0.0
    assert found.scores["ndcg_exp@5"].values == {"q1": 0.0}


def test_v067_a_query_without_judgments_is_left_out_and_listed() -> None:
    found = score(
        {"q1": {"d1": 1}, "q3": {}}, {"q1": ["d1"], "q2": ["d1"], "q3": ["d1"]}, "map"
    )

    assert found.scores["map"].mean.mean == 1.0
    assert found.scores["map"].mean.n == 1
    assert found.unjudged == ("q2", "q3")


@pytest.mark.parametrize("switch", ["skip", "zero"])
def test_v068_a_query_with_nothing_relevant_is_undefined_or_zero(switch: NoRelevant) -> None:
    qrels, run = {"q1": {"d1": 0}, "q2": {"d2": 1}}, {"q1": ["d1"], "q2": ["d2"]}
    names = [str(metric) for metric in list_default_metrics()]

    found = score(qrels, run, *names, no_relevant=switch)

    assert found.no_relevant == switch
    for name in set(names) - {"judged@5", "judged@10", "judged@20"}:
        figure = found.scores[name]
        assert figure.undefined == ("q1",), name
        assert figure.values["q1"] == (None if switch == "skip" else 0.0), name
        assert figure.mean.n == (1 if switch == "skip" else 2), name
    assert found.scores["judged@5"].mean.n == 2


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        pytest.param({"q1": {"d1": 0}}, {"q1": ["d1"]}, id="nothing relevant"),
        pytest.param({}, {"q1": ["d1"]}, id="no qrels"),
        pytest.param({"q1": {"d1": 1}}, {}, id="no run"),
        pytest.param({}, {}, id="neither"),
    ],
)
@pytest.mark.parametrize("switch", ["skip", "zero"])
def test_v068_empty_inputs_give_the_same_twice_and_no_nan(
    qrels: Qrels, run: Run, switch: NoRelevant
) -> None:
    first = evaluate(qrels, run, no_relevant=switch)
    second = evaluate(qrels, run, no_relevant=switch)

    assert first == second
    assert json.loads(json.dumps(first.as_json(), allow_nan=False)) == first.as_json()


def test_v069_the_order_given_is_the_order_scored() -> None:
    assert mean_of({"q": {"d9": 1}}, {"q": ["d9", "d1"]}, "precision@1") == 1.0
    assert mean_of({"q": {"d9": 1}}, {"q": ["d1", "d9"]}, "precision@1") == 0.0


def test_v070_the_ideal_list_knows_all_judged_documents() -> None:
    two, five = {"q": {"d1": 1, "d2": 1}}, {"q": dict.fromkeys("abcde", 1)}

    assert mean_of(two, {"q": ["d1", "x"]}, "ndcg@10") == pytest.approx(0.6131, abs=1e-4)
    assert mean_of(two, {"q": ["d1", "x"]}, "ndcg_exp@10") == pytest.approx(0.6131, abs=1e-4)
    assert mean_of(two, {"q": ["d1", "x"]}, "map") == 0.5
    assert mean_of(two, {"q": ["d1", "x"]}, "recall@10") == 0.5
    assert mean_of(five, {"q": ["a"]}, "ndcg@5") == pytest.approx(0.339, abs=1e-3)
    assert mean_of(five, {"q": ["a"]}, "ndcg_exp@5") == pytest.approx(0.339, abs=1e-3)


def test_v071_precision_divides_by_k_however_short_the_list() -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "b", "c"]}

    assert mean_of(qrels, run, "precision@10") == pytest.approx(0.3)
    assert mean_of(qrels, run, "recall@10") == 1.0
    assert mean_of(qrels, run, "ndcg@10") == 1.0
    assert mean_of(qrels, run, "ndcg_exp@10") == 1.0


def test_v072_the_cut_moves_binary_metrics_and_never_ndcg() -> None:
    qrels, run = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": ["a", "b", "c"]}
    names = ("precision@1", "map", "mrr", "ndcg@3")

    low = score(qrels, run, *names, cut=1).scores
    high = score(qrels, run, *names, cut=2).scores

    assert [low[name].mean.mean for name in names[:3]] == [1, 1, 1]
    assert high["precision@1"].mean.mean == 0
    assert high["map"].mean.mean == pytest.approx(0.5833, abs=1e-4)
    assert high["mrr"].mean.mean == 0.5
    assert low["ndcg@3"].mean.mean == pytest.approx(0.79, abs=1e-4)
    assert high["ndcg@3"].mean.mean == low["ndcg@3"].mean.mean


def test_v072_the_cut_stands_in_the_name() -> None:
    assert describe(parse_metric("map"), cut=2) == "MAP (relevant = grade 2 or more)"
    assert describe(parse_metric("ndcg@10"), cut=2) == "nDCG@10 (linear gain)"


def test_ndcg_is_defined_where_only_grades_below_the_cut_exist() -> None:
    found = score({"q": {"a": 1}}, {"q": ["a"]}, "ndcg@3", "precision@3", cut=2).scores

    assert found["ndcg@3"].mean.mean == 1.0
    assert found["precision@3"].mean.mean is None


def test_v073_unjudged_hits_are_counted_and_a_condensed_list_is_another_figure() -> None:
    qrels, run = {"q": {"a": 3, "b": 0}}, {"q": ["x", "a", "b"]}
    condensed = {"q": condense(run["q"], qrels["q"])}

    assert mean_of(qrels, run, "ndcg@3") == pytest.approx(0.6309, abs=1e-4)
    assert mean_of(qrels, run, "judged@3") == pytest.approx(2 / 3)
    assert mean_of(qrels, condensed, "ndcg@3") == 1.0


def test_v074_a_hit_named_like_its_query_stays_unless_asked() -> None:
    qrels, run = {"7": {"7": 2, "9": 1}}, {"7": ["7", "9"]}

    assert mean_of(qrels, run, "ndcg@10") == 1.0
    assert mean_of(qrels, run, "recall@10") == 1.0
    assert mean_of(qrels, drop_same_ids(run), "ndcg@10") == pytest.approx(0.3801, abs=1e-4)
    assert mean_of(qrels, drop_same_ids(run), "recall@10") == 0.5


def test_v075_each_query_counts_once_and_the_depth_is_in_the_name() -> None:
    found = score({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"], "q2": ["x"]}, "map")

    assert (found.scores["map"].mean.mean, found.scores["map"].mean.n) == (0.5, 2)
    assert describe(parse_metric("map"), cut=1, depth=20).startswith("MAP@20 ")
    assert str(parse_metric("map@20")) == "map@20"


def test_a_hit_listed_twice_is_refused() -> None:
    with pytest.raises(Invalid, match="'q' has the hit 'a' twice"):
        mean_of({"q": {"a": 1}}, {"q": ["a", "b", "a"]}, "map")


def test_mrr_and_map_may_have_a_depth() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["x", "y", "a", "b"]}

    assert mean_of(qrels, run, "mrr@2") == 0.0
    assert mean_of(qrels, run, "mrr@3") == pytest.approx(1 / 3)
    assert mean_of(qrels, run, "map@3") == pytest.approx(1 / 6)
    assert mean_of(qrels, run, "ndcg_exp") == mean_of(qrels, run, "ndcg_exp@4")


@pytest.mark.parametrize("name", ["rbp", "err@2", "precision@2", "bpref", "ndcg_exp@2"])
def test_a_grade_below_zero_is_judged_and_never_relevant(name: str) -> None:
    assert mean_of({"q": {"a": -1, "b": 1}}, {"q": ["a"]}, name) == 0.0
    assert mean_of({"q": {"a": -1, "b": 1}}, {"q": ["a"]}, "judged@2") == 1.0


def test_a_foreign_scale_lifts_the_highest_grade_of_err() -> None:
    assert mean_of({"q": {"a": 4}}, {"q": ["a"]}, "err@5") == pytest.approx(15 / 16)


def test_many_queries_are_scored_like_few() -> None:
    qrels = {f"q{n}": {"a": n % 4, "b": 1} for n in range(9000)}
    run = {query: ["x", "a", "b"] for query in reversed(qrels)}

    whole = evaluate(qrels, run)
    few = evaluate({q: qrels[q] for q in ("q2", "q8999")}, run)

    for name, figure in few.scores.items():
        assert figure.values["q8999"] == whole.scores[name].values["q8999"]
        assert figure.values["q2"] == whole.scores[name].values["q2"]
    assert np.isfinite(whole.scores["rbp"].residual or 0)


@pytest.mark.parametrize("name", [str(metric) for metric in list_default_metrics()])
def test_default_names_read_back(name: str) -> None:
    assert str(parse_metric(name)) == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ndgc@10", "There is no metric 'ndgc@10'. Choose from hit@k "),
        ("precision", "needs a depth, such as precision@10"),
        ("ndcg@0", "a whole number from 1"),
        ("ndcg@", "a whole number from 1"),
        ("ndcg@1.5", "a whole number from 1"),
        ("ndcg@٣", "a whole number from 1"),
        ("rbp@10", "rbp takes no depth"),
        ("", "There is no metric ''"),
    ],
)
def test_a_name_that_means_nothing_is_refused(name: str, reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_metric(name)
    assert reason in str(refused.value)


def test_the_json_has_mean_and_queries_with_null_for_undefined() -> None:
    found = score({"q1": {"a": 0}, "q2": {"b": 1}}, {"q2": ["b"]}, "map", "rbp")

    answer = found.as_json()

    assert answer["mean"]["map"] == 1.0
    assert answer["n"]["map"] == 1
    assert answer["undefined"]["map"] == 1
    assert answer["unanswered"] == ["q1"]
    assert answer["queries"] == {
        "q1": {"map": None, "rbp": None},
        "q2": {"map": 1.0, "rbp": pytest.approx(0.2)},
    }
    assert "queries" not in found.as_json(per_query=False)
