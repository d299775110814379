"""Significance: whether two runs differ by more than chance over the queries."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.intervals import Interval

RESAMPLES = 10_000
MAX_CELLS = 4_000_000  # drawn at a time, about 32 MB


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first run minus the second over the ``n`` queries both have a value for.

    ``p_value`` is two-sided; None where there is nothing to compare.
    """

    n: int
    mean_difference: float | None
    p_value: float | None
    interval: Interval | None


def compare_runs(
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Comparison:
    """Compare two runs' values by query id; the same seed gives the same answer."""
    differences = subtract_values(first, second)
    if not len(differences):
        return Comparison(0, None, None, None)
    return Comparison(
        n=len(differences),
        mean_difference=float(differences.mean()),
        p_value=flip_signs(differences, seed, resamples),
        interval=bootstrap_mean(differences, seed, resamples, level),
    )


def subtract_values(
    first: Mapping[str, float | None], second: Mapping[str, float | None]
) -> NDArray[np.float64]:
    """Return first minus second of every query that both have a value for, (n,).

    Queries are taken in the order of their ids, so that the draws do not depend on the
    order of the input.
    """
    pairs = ((first[query], second.get(query)) for query in sorted(first))
    return np.array([a - b for a, b in pairs if a is not None and b is not None])


def flip_signs(
    differences: NDArray[np.float64], seed: int = 0, resamples: int = RESAMPLES
) -> float:
    """Return the two-sided p of a paired randomization test (Fisher; Smucker 2007), 0..1.

    Were the runs alike, each difference could as well have had the other sign: p is the
    share of random signs that give a sum as far from 0, the observed one among them.
    """
    draw = np.random.default_rng(seed)
    observed = abs(float(differences.sum()))
    # Sums of the same numbers in another order differ in their last digits.
    enough = observed - 1e-9 * max(1.0, float(np.abs(differences).sum()))
    as_far = 0
    for rows in split_rows(resamples, len(differences)):
        signs = draw.integers(0, 2, size=(rows, len(differences)), dtype=np.int8) * 2 - 1
        as_far += int((np.abs(signs @ differences) >= enough).sum())
    return (as_far + 1) / (resamples + 1)


def bootstrap_mean(
    differences: NDArray[np.float64],
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval:
    """Return the percentile bootstrap interval of a mean (Efron 1979) over the queries."""
    draw = np.random.default_rng(seed)
    size = len(differences)
    means = [
        differences[draw.integers(0, size, size=(rows, size))].mean(axis=1)
        for rows in split_rows(resamples, size)
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def split_rows(rows: int, width: int) -> list[int]:
    """Split rows into parts of at most MAX_CELLS cells each, so that memory stays flat."""
    most = max(1, MAX_CELLS // max(1, width))
    return [min(most, rows - start) for start in range(0, rows, most)]
