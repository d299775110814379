"""Agreement between two graders: small cases, and oracles."""

import json
import math
import random
import warnings

import krippendorff
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from app.domain.agreement import (
    confusion,
    mean_difference,
    measure,
    pair_grades,
    rates,
    raw_agreement,
)
from app.domain.averages import average
from app.domain.intervals import wilson
from app.domain.kappa import (
    Pair,
    Weights,
    alpha_ordinal,
    cohen_kappa,
    count_pairs,
    cut_table,
    kappa_binary,
    kappa_interval,
)
from app.errors import Invalid
from tests.data import collection

GRADES = [0, 1, 2, 3]
WEIGHTS: tuple[Weights | None, ...] = (None, "linear", "quadratic")


def make_pairs(n: int, seed: int, noise: float = 0.4) -> list[Pair]:
    draw = random.Random(seed)
    pairs = []
    for _ in range(n):
        human = draw.choice(GRADES)
        pairs.append((human, draw.choice(GRADES) if draw.random() < noise else human))
    return pairs


def read_labels(path: str, name: str) -> dict[tuple[str, str], int]:
    with (collection(name) / path).open(encoding="utf-8") as lines:
        rows = [line.split() for line in lines]
    return {(row[0], row[2]): min(3, int(row[3])) for row in rows}


def test_v060_a_failed_grade_is_missing_and_the_mean_says_what_it_rests_on() -> None:
    found = average([1, None, 3, math.nan])

    assert (found.mean, found.n, found.of, found.missing) == (2.0, 2, 4, 2)
    assert average([None]).mean is None


@pytest.mark.parametrize(
    ("pairs", "kappa", "agreed"),
    [
        pytest.param([(0, 0)] * 5, None, 1.0, id="V-061 one grade used throughout"),
        pytest.param([(0, 0)] * 60 + [(0, 1)] * 29, 0.0, 60 / 89, id="V-061 one side constant"),
        pytest.param([], None, None, id="no pairs"),
        pytest.param([(0, 0), (1, 1)], 1.0, 1.0, id="full agreement"),
    ],
)
def test_kappa_at_its_edges(
    pairs: list[Pair], kappa: float | None, agreed: float | None
) -> None:
    for weights in WEIGHTS:
        assert cohen_kappa(pairs, weights) == kappa
    assert raw_agreement(pairs) == agreed


def test_v062_items_that_one_rater_left_out_do_not_count() -> None:
    first = dict(enumerate([1, 1, 0, 0, 1, 0, 1, 1, 1, 0]))
    second: dict[int, int | None] = {**dict(enumerate([1, 0, 0, 0, 1, 0])), 6: None}

    pairs = list(pair_grades(first, second).values())

    assert len(pairs) == 6
    assert cohen_kappa(pairs) == pytest.approx(0.6667, abs=1e-4)


def test_v063_weights_come_from_the_whole_scale() -> None:
    pairs = list(zip([0, 0, 0, 1, 1, 3, 3, 3], [0, 0, 1, 1, 0, 3, 3, 1], strict=True))

    assert cohen_kappa(pairs) == pytest.approx(0.4419, abs=1e-4)
    assert cohen_kappa(pairs, "linear") == pytest.approx(0.6279, abs=1e-4)
    assert cohen_kappa(pairs, "quadratic") == pytest.approx(0.7624, abs=1e-4)


def test_v064_kappa_stands_beside_agreement_marginals_and_baseline() -> None:
    found = measure([(1, 1)] * 95 + [(1, 0)] * 3 + [(0, 1)] * 2, cut=1)

    assert found.raw_agreement == 0.95
    assert found.kappa == pytest.approx(-0.0246, abs=1e-4)
    assert found.human_counts == (2, 98, 0, 0)
    assert found.judge_counts == (3, 97, 0, 0)
    assert found.baseline == 0.98


def test_v065_a_rate_without_its_class_is_undefined() -> None:
    first = rates([(0, 0), (0, 0), (0, 2), (0, 0), (0, 0)], cut=2)
    second = rates([(3, 3), (3, 0)], cut=2)

    assert (first.tpr, first.tnr) == (None, 0.8)
    assert (second.tpr, second.tnr) == (0.5, None)
    macro = average([first.tpr, second.tpr])
    assert (macro.mean, macro.n, macro.missing) == (0.5, 1, 1)


def test_the_judges_own_cut_moves_only_the_judge() -> None:
    found = rates([(2, 1), (2, 2), (1, 1), (0, 0)], cut=2, judge_cut=1)

    assert (found.tp, found.fn, found.tn, found.fp) == (2, 0, 1, 1)
    assert found.prevalence == 0.5


def test_a_grade_off_the_scale_is_refused() -> None:
    with pytest.raises(Invalid, match="Grade 4 is not on the scale 0 to 3"):
        cohen_kappa([(4, 1)])


def test_nothing_measured_is_undefined_throughout() -> None:
    found = measure([], cut=1)

    assert found.n == 0
    assert found.rates.ppv is None
    assert found.mean_difference is None
    assert found.alpha_ordinal is None
    assert found.kappa_binary_interval is None
    assert found.tpr_interval is None


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(5))
def test_kappa_equals_scikit_learn(weights: Weights | None, seed: int) -> None:
    pairs = make_pairs(60, seed)
    left, right = zip(*pairs, strict=True)

    expected = cohen_kappa_score(left, right, labels=GRADES, weights=weights)

    assert cohen_kappa(pairs, weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_kappa_equals_statsmodels(seed: int) -> None:
    table = cut_table(count_pairs(make_pairs(80, seed)), 1)

    expected = cohens_kappa(table)
    found = kappa_interval(table)

    assert found is not None
    assert found.low == pytest.approx(max(-1, expected.kappa_low), abs=1e-9)
    assert found.high == pytest.approx(min(1, expected.kappa_upp), abs=1e-9)


@pytest.mark.parametrize(
    ("right", "n"), [(0, 5), (5, 5), (1, 3), (85, 100), (1, 1000), (999, 1000)]
)
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_wilson_equals_statsmodels(right: int, n: int, level: float) -> None:
    low, high = proportion_confint(right, n, alpha=1 - level, method="wilson")

    found = wilson(right, n, level)

    assert found is not None
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)


def test_wilson_of_nothing_is_undefined() -> None:
    assert wilson(0, 0) is None


def test_wilson_of_a_full_share_ends_at_one() -> None:
    found = wilson(3, 3)

    assert found is not None
    assert found.high == 1.0
    assert found.low == pytest.approx(0.4385, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_krippendorff_where_grades_are_missing(seed: int) -> None:
    draw = random.Random(seed)
    items = [[draw.choice([None, *GRADES]) for _ in range(4)] for _ in range(40)]
    values = [[math.nan if grade is None else grade for grade in row] for row in items]

    expected = krippendorff.alpha(
        reliability_data=list(zip(*values, strict=True)),
        level_of_measurement="ordinal",
        value_domain=GRADES,
    )

    assert alpha_ordinal(items) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([], id="no items"),
        pytest.param([[1, None], [None, 2]], id="nobody shares an item"),
        pytest.param([[1, 1], [1, 1]], id="one grade used throughout"),
    ],
)
def test_alpha_without_evidence_is_undefined(items: list[list[int | None]]) -> None:
    assert alpha_ordinal(items) is None


def test_alpha_of_pairs_is_that_of_two_raters() -> None:
    pairs = make_pairs(50, seed=9)

    assert measure(pairs, cut=1).alpha_ordinal == pytest.approx(alpha_ordinal(pairs))


def check_judge(pairs: list[Pair], expected: dict[str, object], judge_cuts: list[int]) -> None:
    whole = measure(pairs, cut=1)
    assert whole.n == expected["n_pairs"]
    assert whole.confusion == tuple(map(tuple, expected["confusion_rows_human_cols_judge"]))  # type: ignore[call-overload]
    for name, key in [
        ("raw_agreement", "raw_agreement"),
        ("kappa", "kappa_nominal"),
        ("kappa_linear", "kappa_linear"),
        ("kappa_quadratic", "kappa_quadratic"),
        ("alpha_ordinal", "alpha_ordinal"),
        ("mean_difference", "mean_signed_error_judge_minus_human"),
    ]:
        assert getattr(whole, name) == pytest.approx(expected[key], abs=1e-6), key
    for cut, judge_cut in zip([1, 2, 3], judge_cuts, strict=True):
        at_cut = expected["at_threshold"][f"human>={cut},judge>={judge_cut}"]  # type: ignore[index]
        check_cut(pairs, cut, judge_cut, at_cut)


def check_cut(
    pairs: list[Pair], cut: int, judge_cut: int, expected: dict[str, float | None]
) -> None:
    found = measure(pairs, cut, judge_cut)
    values = {
        "TP": found.rates.tp, "FN": found.rates.fn, "FP": found.rates.fp, "TN": found.rates.tn,
        "TPR": found.rates.tpr, "TNR": found.rates.tnr, "precision": found.rates.ppv,
        "NPV": found.rates.npv, "accuracy": found.rates.agreed, "kappa": found.kappa_binary,
        "prevalence_human": found.rates.prevalence,
    }  # fmt: skip
    for key, value in values.items():
        if expected[key] is None:
            assert value is None, (cut, key)
        else:
            assert value == pytest.approx(expected[key], abs=1e-6), (cut, key)
    assert kappa_binary(pairs, cut, judge_cut) == found.kappa_binary


@pytest.mark.parametrize(
    ("judge", "judge_cuts"), [("umbrela-gpt-4o", [1, 2, 3]), ("binary-gpt-4o", [1, 1, 1])]
)
def test_dl21_judges_measure_as_expected(judge: str, judge_cuts: list[int]) -> None:
    name = "dl21-passage-A"
    expected = json.loads((collection(name) / "expected/agreement.json").read_text())
    human = read_labels("qrels.trec", name)
    pairs = list(pair_grades(human, read_labels(f"judges/{judge}.trec", name)).values())

    check_judge(pairs, expected["judges"][judge], judge_cuts)


def test_the_published_judges_measure_as_expected() -> None:
    name = "llmjudge-A"
    expected = json.loads((collection(name) / "expected/agreement.json").read_text())["judges"]
    wanted = {**expected["labels_as_shipped"], **expected["labels_above_3_counted_as_3"]}
    human = read_labels("qrels.test.human.trec", name)
    for judge, figures in wanted.items():
        pairs = pair_grades(human, read_labels(f"judges/{judge}.trec", name))

        check_judge(list(pairs.values()), figures, [1, 2, 3])


def test_no_measure_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pairs in ([], [(0, 0)], [(3, 0)], [(0, 0), (3, 3)]):
            measure(pairs, cut=2)
    assert confusion([(3, 0)])[3] == (1, 0, 0, 0)
    assert mean_difference([(3, 0), (0, 1)]) == -1.0
