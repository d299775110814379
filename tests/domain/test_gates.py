"""The gate: three answers, with every reason and what is missing."""

import json

import pytest

from app.domain.agreement import measure, pair_grades
from app.domain.gates import Answer, Gate, as_json, count_pairs_more, decide, list_untold
from app.domain.kappa import Pair
from tests.data import collection
from tests.domain.test_agreement import read_labels


def make_pairs(tp: int, fn: int, tn: int, fp: int) -> list[Pair]:
    return [(2, 2)] * tp + [(2, 0)] * fn + [(0, 0)] * tn + [(0, 2)] * fp


def test_a_good_judge_on_enough_pairs_is_trusted() -> None:
    verdict = decide(measure(make_pairs(95, 5, 95, 5), cut=1), queries=40)

    assert verdict.answer is Answer.TRUSTED
    assert verdict.trusted
    assert verdict.reasons == ()
    assert verdict.missing == ()


def test_every_count_that_is_short_is_named_with_what_is_missing() -> None:
    verdict = decide(measure(make_pairs(12, 0, 50, 0), cut=1), queries=9)

    assert verdict.answer is Answer.NOT_ENOUGH
    assert verdict.reasons[:3] == (
        "62 pairs; 100 are needed",
        "12 relevant pairs; 30 are needed",
        "9 queries; 30 are needed",
    )
    assert verdict.missing[:3] == ("38 pairs more", "18 relevant pairs more", "21 queries more")


def test_one_of_a_thing_is_said_in_the_singular() -> None:
    verdict = decide(measure(make_pairs(1, 0, 98, 0), cut=1), queries=29)

    assert "1 relevant pair; 30 are needed" in verdict.reasons
    assert verdict.missing[0] == "1 pair more"
    assert "1 query more" in verdict.missing


def test_a_figure_that_cannot_pass_is_not_trusted_however_few_the_labels() -> None:
    verdict = decide(measure(make_pairs(2, 18, 20, 0), cut=1), queries=5)

    assert verdict.answer is Answer.NOT_TRUSTED
    assert "TPR 0.100 (between 0.027 and 0.301) is below 0.85" in verdict.reasons
    assert "40 pairs; 100 are needed" in verdict.reasons
    assert "60 pairs more" in verdict.missing


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param(make_pairs(40, 0, 0, 1), id="one of one irrelevant pair"),
        pytest.param(make_pairs(0, 9, 40, 0), id="nine of nine relevant pairs"),
    ],
)
def test_a_side_of_fewer_than_ten_pairs_rules_no_judge_out(pairs: list[Pair]) -> None:
    verdict = decide(measure(pairs, cut=1), queries=40)

    assert verdict.answer is Answer.NOT_ENOUGH
    assert any("is below 0.85" in reason for reason in verdict.reasons)


def test_a_side_of_ten_pairs_may_rule_a_judge_out() -> None:
    assert decide(measure(make_pairs(0, 10, 40, 0), cut=1), queries=40).answer is (
        Answer.NOT_TRUSTED
    )


def test_a_count_that_is_short_is_read_once() -> None:
    verdict = decide(measure(make_pairs(20, 2, 95, 5), cut=1), queries=40)

    assert verdict.missing[0] == "8 relevant pairs more"
    assert list_untold(verdict.reasons, verdict.missing) == list(verdict.missing[1:])
    assert verdict.missing[1].startswith("about ")


def test_a_low_figure_on_too_few_labels_may_still_pass() -> None:
    verdict = decide(measure(make_pairs(16, 4, 20, 0), cut=1), queries=5)

    assert verdict.answer is Answer.NOT_ENOUGH
    assert "TPR 0.800 (between 0.583 and 0.919) is below 0.85" in verdict.reasons


def test_a_low_figure_on_enough_labels_is_not_trusted_with_all_reasons() -> None:
    verdict = decide(measure(make_pairs(83, 17, 60, 40), cut=1), queries=40)

    assert verdict.answer is Answer.NOT_TRUSTED
    assert verdict.reasons == (
        "TPR 0.830 (between 0.744 and 0.891) is below 0.85",
        "TNR 0.600 (between 0.502 and 0.690) is below 0.85",
        "binary kappa 0.430 (between 0.308 and 0.551) is below 0.60",
    )
    assert verdict.missing == ()


def test_a_figure_just_below_does_not_read_as_the_threshold() -> None:
    verdict = decide(measure(make_pairs(8499, 1501, 9500, 500), cut=1), queries=40)

    assert verdict.reasons[0].startswith("TPR 0.849 ")


def test_a_wide_interval_asks_for_more_of_the_same() -> None:
    verdict = decide(measure(make_pairs(26, 4, 95, 5), cut=1), queries=40)

    assert verdict.answer is Answer.NOT_ENOUGH
    assert verdict.reasons == (
        "TPR 0.866 may be as low as 0.703, and that must not be below 0.75",
    )
    assert len(verdict.missing) == 1
    assert verdict.missing[0].startswith("about ")
    assert "relevant pairs more" in verdict.missing[0]


def test_a_strict_gate_wants_the_whole_interval_above() -> None:
    found = measure(make_pairs(95, 5, 95, 5), cut=1)

    assert decide(found, queries=40, gate=Gate(strict=True)).trusted
    assert not decide(
        measure(make_pairs(90, 10, 95, 5), cut=1), queries=40, gate=Gate(strict=True)
    ).trusted


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        pytest.param(make_pairs(0, 0, 100, 0), "TPR is undefined", id="nothing relevant"),
        pytest.param(make_pairs(100, 0, 0, 0), "TNR is undefined", id="everything relevant"),
        pytest.param([], "binary kappa is undefined: there are no pairs", id="no pairs"),
    ],
)
def test_an_undefined_figure_is_a_lack_of_labels(pairs: list[Pair], reason: str) -> None:
    verdict = decide(measure(pairs, cut=1), queries=40)

    assert verdict.answer is Answer.NOT_ENOUGH
    assert any(told.startswith(reason) for told in verdict.reasons)


def test_at_exactly_the_threshold_a_figure_passes() -> None:
    verdict = decide(measure(make_pairs(170, 30, 170, 30), cut=1), queries=30)

    assert verdict.trusted


def test_more_pairs_at_a_rate_on_the_threshold_never_satisfy_a_strict_gate() -> None:
    assert count_pairs_more(0.85, 100, 0.85) is None


def test_none_of_the_published_judges_is_trusted() -> None:
    name = "llmjudge-A"
    human = read_labels("qrels.test.human.trec", name)
    judges = sorted((collection(name) / "judges").glob("*.trec"))
    assert len(judges) == 17
    for path in judges:
        pairs = list(pair_grades(human, read_labels(f"judges/{path.name}", name)).values())
        for cut in (1, 2):
            verdict = decide(measure(pairs, cut), queries=30)

            assert verdict.answer is Answer.NOT_TRUSTED, path.name
            assert verdict.reasons


@pytest.mark.parametrize("pairs", [make_pairs(12, 3, 9, 1), []])
def test_the_json_has_exactly_the_promised_keys_and_no_nan(pairs: list[Pair]) -> None:
    found = measure(pairs, cut=1)

    answer = as_json(found, decide(found, queries=3))

    assert list(answer) == [
        "n", "confusion", "tpr", "tnr", "kappa", "kappa_binary", "kappa_quadratic",
        "alpha_ordinal", "intervals", "gate",
    ]  # fmt: skip
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
