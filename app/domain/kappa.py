"""Kappa and alpha: agreement beyond what chance alone would give."""

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.domain.intervals import Interval, normal_quantile
from app.errors import Invalid

Pair = tuple[int, int]
Weights = Literal["linear", "quadratic"]
Counts = NDArray[np.int64]
SCALE_SIZE = 4  # grades 0..3


def count_pairs(pairs: Sequence[Pair], size: int = SCALE_SIZE) -> Counts:
    """Count pairs in a (size, size) table: rows the first grader, columns the second.

    Raises:
        Invalid: a grade is not on the scale 0..size-1.
    """
    for grade in {grade for pair in pairs for grade in pair}:
        if not 0 <= grade < size:
            raise Invalid(f"Grade {grade} is not on the scale 0 to {size - 1}.")
    table = np.zeros((size, size), dtype=np.int64)
    if pairs:
        left, right = np.array(pairs, dtype=np.int64).T
        np.add.at(table, (left, right), 1)
    return table


def weigh_steps(size: int, weights: Weights | None) -> Counts:
    """Return how wrong each pair of grades is, (size, size); 0 on the diagonal.

    The steps are those of the declared scale, used or not: from 1 to 3 is always two.
    """
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    if weights is None:
        return (steps > 0).astype(np.int64)
    return steps if weights == "linear" else steps**2


def kappa_of(table: Counts, weights: Weights | None = None) -> float | None:
    """Return Cohen's kappa (Cohen 1960, weighted 1968) of a square table of counts, -1..1.

    None where chance alone explains everything: no pairs, or one grade used throughout.
    """
    wrong = weigh_steps(len(table), weights)
    by_chance = int((wrong * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    if by_chance == 0:
        return None
    return 1 - int(table.sum()) * int((wrong * table).sum()) / by_chance


def cohen_kappa(
    pairs: Sequence[Pair], weights: Weights | None = None, size: int = SCALE_SIZE
) -> float | None:
    """Return Cohen's kappa of (first, second) grades on 0..size-1; see ``kappa_of``."""
    return kappa_of(count_pairs(pairs, size), weights)


def cut_table(table: Counts, cut: int, second_cut: int | None = None) -> Counts:
    """Fold a table to 2 x 2, [0] irrelevant and [1] relevant: ``grade >= cut``."""
    columns = cut if second_cut is None else second_cut
    rows = np.stack([table[:cut].sum(axis=0), table[cut:].sum(axis=0)])
    return np.stack([rows[:, :columns].sum(axis=1), rows[:, columns:].sum(axis=1)], axis=1)


def kappa_binary(
    pairs: Sequence[Pair], cut: int, second_cut: int | None = None, size: int = SCALE_SIZE
) -> float | None:
    """Return kappa of relevant against not, each side at its own cut (the same by default)."""
    return kappa_of(cut_table(count_pairs(pairs, size), cut, second_cut))


def kappa_interval(table: Counts, level: float = 0.95) -> Interval | None:
    """Return the large-sample interval of unweighted kappa, within -1..1; None with kappa.

    Fleiss, Cohen and Everitt 1969, formula (13), as in statsmodels. Pairs count as
    independent.
    """
    kappa = kappa_of(table)
    if kappa is None:
        return None
    n = table.sum()
    share = table / n
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    kept = 1 - kappa
    same = np.diag(share)
    agreed = (same * (1 - (rows + columns) * kept) ** 2).sum()
    crossed = share * np.add.outer(columns, rows) ** 2
    split = kept**2 * (crossed.sum() - np.diag(crossed).sum())
    chance = (rows * columns).sum()
    spread = agreed + split - (kappa - chance * kept) ** 2
    half = normal_quantile(level) * math.sqrt(max(0.0, spread) / n) / (1 - chance)
    return Interval(max(-1.0, kappa - half), min(1.0, kappa + half))


def count_grades(
    items: Iterable[Sequence[int | None]], size: int = SCALE_SIZE
) -> NDArray[np.int64]:
    """Count each item's grades, (items, size); a grade a rater did not give is None."""
    rows = [[grade for grade in item if grade is not None] for item in items]
    table = np.zeros((len(rows), size), dtype=np.int64)
    for row, grades in zip(table, rows, strict=True):
        for grade in grades:
            if not 0 <= grade < size:
                raise Invalid(f"Grade {grade} is not on the scale 0 to {size - 1}.")
            row[grade] += 1
    return table


def alpha_ordinal(
    items: Iterable[Sequence[int | None]], size: int = SCALE_SIZE
) -> float | None:
    """Return Krippendorff's ordinal alpha, at most 1, of two or more raters.

    ``items`` holds the grades of one item a row, None where a rater gave none; items
    with fewer than two grades say nothing and are left out. None where it is 0/0.
    Krippendorff 2019, chapter 12.
    """
    table = count_grades(items, size)
    raters = table.sum(axis=1)
    table, raters = table[raters > 1], raters[raters > 1]
    shares = table / np.maximum(raters - 1, 1)[:, None]
    return alpha_of(shares.T @ table - np.diag(shares.sum(axis=0)))


def alpha_of(coincidences: NDArray[np.float64]) -> float | None:
    """Return ordinal alpha of a symmetric table of coincidences, (size, size)."""
    totals = coincidences.sum(axis=0)
    below = np.cumsum(totals) - totals / 2  # the middle of each grade's ranks
    distance = np.subtract.outer(below, below) ** 2
    by_chance = float((np.outer(totals, totals) * distance).sum())
    if by_chance == 0:
        return None
    return 1 - float((totals.sum() - 1) * (coincidences * distance).sum()) / by_chance
