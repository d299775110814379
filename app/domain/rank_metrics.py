"""Rank metrics: what trec_eval has not, from one table of the grades down each list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
UNJUDGED = -(2**31)  # below every grade, so that it never counts as one
RBP_PATIENCE = 0.8
TOP_GRADE = 3
CHUNK = 4096  # queries at a time, so that memory does not grow with the run


@dataclass(frozen=True, slots=True)
class RankedGrades:
    """The grades of many lists, first hit left: (queries, longest list), int.

    UNJUDGED fills the ranks without a label and, beyond ``lengths`` (queries,), the rest.
    """

    grades: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Say which ranks hold a hit."""
        return np.arange(self.grades.shape[1]) < self.lengths[:, None]


def rank_grades(
    lists: Sequence[Sequence[str]], judged: Sequence[Mapping[str, int]]
) -> RankedGrades:
    """Look up each hit's grade; ``lists`` and ``judged`` are by query, in the same order."""
    lengths = np.array([len(hits) for hits in lists], dtype=np.int64)
    pairs = zip(lists, judged, strict=True)
    flat = (map(grades.get, hits, repeat(UNJUDGED)) for hits, grades in pairs)
    return RankedGrades(fill_rows(flat, lengths, UNJUDGED), lengths)


def fill_rows(
    rows: Iterable[Iterable[int]], lengths: NDArray[np.int64], empty: int
) -> NDArray[np.int64]:
    """Lay rows of known lengths out as a table, (rows, longest), the rest ``empty``."""
    width = int(lengths.max(initial=0))
    table = np.full((len(lengths), width), empty, dtype=np.int64)
    table[np.arange(width) < lengths[:, None]] = np.fromiter(
        chain.from_iterable(rows), dtype=np.int64, count=int(lengths.sum())
    )
    return table


def find_judged_share(ranked: RankedGrades, k: int) -> Floats:
    """Return the share of the first k hits that have a label, 0..1; 0 of no hits.

    Divided by the hits there are, down to k, as ir_measures does.
    """
    labelled = (ranked.grades[:, :k] != UNJUDGED).sum(axis=1)
    shown = np.minimum(ranked.lengths, k)
    return np.asarray(labelled / np.maximum(shown, 1), dtype=np.float64)


def discount(width: int) -> Floats:
    """Return 1 / log2(rank + 1) of ranks 1..width (Jarvelin and Kekalainen 2002)."""
    return np.asarray(1 / np.log2(np.arange(2, width + 2)), dtype=np.float64)


def gain_exponentially(grades: NDArray[np.int64]) -> Floats:
    """Return 2^grade - 1 (Burges 2005); 0 of no label and of grades below 0."""
    return np.exp2(np.maximum(grades, 0).astype(np.float64)) - 1


def gain_linearly(grades: NDArray[np.int64]) -> Floats:
    """Return the grade itself; 0 of no label and of grades below 0."""
    return np.maximum(grades, 0).astype(np.float64)


def sum_discounted(gains: Floats, k: int | None) -> Floats:
    """Return the discounted sum of gains down to k, by row."""
    taken = gains[:, :k]
    return np.asarray(taken @ discount(taken.shape[1]), dtype=np.float64)


def sort_ideal(judged: Sequence[Mapping[str, int]]) -> NDArray[np.int64]:
    """Return all grades of each query, best first: the ideal list, padded with 0.

    All judged documents take part, retrieved or not.
    """
    lengths = np.array([len(grades) for grades in judged], dtype=np.int64)
    table = fill_rows((grades.values() for grades in judged), lengths, 0)
    return np.sort(np.maximum(table, 0), axis=1)[:, ::-1]


def find_ndcg_exp(ranked: RankedGrades, ideal: NDArray[np.int64], k: int | None) -> Floats:
    """Return nDCG with gain 2^grade - 1, 0..1; 0 where no document has a gain."""
    best = sum_discounted(gain_exponentially(ideal), k)
    reached = sum_discounted(gain_exponentially(ranked.grades), k)
    return reached / np.where(best > 0, best, 1)


def find_err(ranked: RankedGrades, k: int, top_grade: int) -> Floats:
    """Return expected reciprocal rank down to k, 0..1 (Chapelle and others 2009).

    A hit satisfies with probability (2^grade - 1) / 2^top_grade.
    """
    stops = gain_exponentially(ranked.grades[:, :k]) / 2.0**top_grade
    still = np.cumprod(1 - stops, axis=1)
    reaching = np.concatenate([np.ones((len(stops), 1)), still[:, :-1]], axis=1)[
        :, : stops.shape[1]
    ]
    ranks = np.arange(1, stops.shape[1] + 1)
    return np.asarray((stops * reaching / ranks).sum(axis=1), dtype=np.float64)


def weigh_patience(width: int) -> Floats:
    """Return (1 - p) p^(rank - 1) of ranks 1..width (Moffat and Zobel 2008)."""
    return (1 - RBP_PATIENCE) * RBP_PATIENCE ** np.arange(width, dtype=np.float64)


def find_rbp(ranked: RankedGrades, cut: int) -> Floats:
    """Return rank-biased precision, 0..1, binary at the cut, p = .8: its lower end."""
    hits = ranked.grades >= cut
    return np.asarray(hits @ weigh_patience(hits.shape[1]), dtype=np.float64)


def find_rbp_residual(ranked: RankedGrades) -> Floats:
    """Return how much RBP could still gain, 0..1.

    That is the weight of the ranks without a label inside the list, and of all ranks
    below it.
    """
    unknown = ranked.inside & (ranked.grades == UNJUDGED)
    inside = unknown @ weigh_patience(unknown.shape[1])
    return np.asarray(inside + RBP_PATIENCE**ranked.lengths, dtype=np.float64)


def condense(hits: Sequence[str], judged: Mapping[str, int]) -> list[str]:
    """Return the hits that have a label, in order: the condensed list (Sakai 2007).

    A metric of it says "condensed" in its name: it is another figure.
    """
    return [hit for hit in hits if hit in judged]
