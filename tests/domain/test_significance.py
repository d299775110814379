"""Significance: the randomization test and the bootstrap, against exact answers."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import bootstrap

from app.domain import significance
from app.domain.significance import bootstrap_mean, compare_runs, flip_signs, split_rows


def test_the_randomization_test_comes_close_to_all_sign_flips() -> None:
    differences = np.array([0.3, 0.1, -0.05, 0.2, 0.15, -0.1, 0.25, 0.05, 0.0, 0.12])
    sums = [abs(np.dot(signs, differences)) for signs in product([-1, 1], repeat=10)]
    exact = np.mean(np.array(sums) >= differences.sum() - 1e-9)

    assert flip_signs(differences, seed=3) == pytest.approx(exact, abs=0.01)


def test_equal_runs_do_not_differ() -> None:
    values: dict[str, float | None] = {"q1": 0.1, "q2": 0.7}

    found = compare_runs(values, values)

    assert (found.mean_difference, found.p_value) == (0.0, 1.0)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_undefined_and_missing_queries_take_no_part() -> None:
    found = compare_runs({"q1": 0.5, "q2": None, "q3": 1.0}, {"q1": 0.25, "q2": 0.1})

    assert (found.n, found.mean_difference) == (1, 0.25)


def test_nothing_in_common_is_undefined() -> None:
    found = compare_runs({"q1": None}, {"q2": 0.3})

    assert (found.n, found.mean_difference, found.p_value, found.interval) == (0, *[None] * 3)


def test_the_same_seed_gives_the_same_answer_in_any_order_of_queries() -> None:
    draw = np.random.default_rng(1)
    first: dict[str, float | None] = {f"q{n}": float(draw.random()) for n in range(40)}
    second: dict[str, float | None] = {f"q{n}": float(draw.random()) for n in range(40)}
    turned = dict(reversed(first.items()))

    assert compare_runs(first, second, seed=5) == compare_runs(turned, second, seed=5)
    assert compare_runs(first, second, seed=5) != compare_runs(first, second, seed=6)


def test_the_bootstrap_comes_close_to_scipys() -> None:
    differences = np.random.default_rng(2).normal(0.1, 0.3, size=60)
    expected = bootstrap((differences,), np.mean, method="percentile", rng=1)

    found = bootstrap_mean(differences, seed=4)

    assert found.low == pytest.approx(expected.confidence_interval.low, abs=0.01)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=0.01)


def test_memory_is_bounded_and_no_draw_is_lost() -> None:
    parts = split_rows(10_000, 50_000)

    assert sum(parts) == 10_000
    assert max(parts) * 50_000 <= significance.MAX_CELLS
