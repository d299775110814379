"""Agreement: how well a judge's grades follow the experts' on the same items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.domain.intervals import Interval, interval
from app.domain.kappa import (
    SCALE_SIZE,
    Counts,
    Pair,
    alpha_of,
    count_pairs,
    cut_table,
    kappa_interval,
    kappa_of,
)

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Rates:
    """A judge's decisions against the human's: counts, and shares that may be undefined."""

    tp: int
    fn: int
    tn: int
    fp: int

    @property
    def n(self) -> int:
        """Count the pairs."""
        return self.tp + self.fn + self.tn + self.fp

    @property
    def relevant(self) -> int:
        """Count the pairs the human calls relevant."""
        return self.tp + self.fn

    @property
    def irrelevant(self) -> int:
        """Count the pairs the human calls irrelevant."""
        return self.tn + self.fp

    @property
    def tpr(self) -> float | None:
        """Share of the relevant pairs that the judge calls relevant."""
        return divide(self.tp, self.relevant)

    @property
    def tnr(self) -> float | None:
        """Share of the irrelevant pairs that the judge calls irrelevant."""
        return divide(self.tn, self.irrelevant)

    @property
    def ppv(self) -> float | None:
        """Share of the judge's relevant pairs that are relevant."""
        return divide(self.tp, self.tp + self.fp)

    @property
    def npv(self) -> float | None:
        """Share of the judge's irrelevant pairs that are irrelevant."""
        return divide(self.tn, self.tn + self.fn)

    @property
    def prevalence(self) -> float | None:
        """Share of the pairs that the human calls relevant."""
        return divide(self.relevant, self.n)

    @property
    def agreed(self) -> float | None:
        """Share of the pairs both put on the same side of the cut."""
        return divide(self.tp + self.tn, self.n)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Everything measured on one set of pairs; None is "undefined", never a number.

    ``confusion``, ``human_counts`` and ``judge_counts`` are by grade 0..3, rows of the
    first are the human's. ``baseline`` is what always saying the human's commonest grade
    would agree on. ``mean_difference`` is judge minus human, in grades.
    """

    n: int
    cut: int
    judge_cut: int
    confusion: tuple[tuple[int, ...], ...]
    human_counts: tuple[int, ...]
    judge_counts: tuple[int, ...]
    raw_agreement: float | None
    baseline: float | None
    mean_difference: float | None
    rates: Rates
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    kappa_binary: float | None
    alpha_ordinal: float | None
    tpr_interval: Interval | None
    tnr_interval: Interval | None
    kappa_binary_interval: Interval | None


def divide(part: int, whole: int) -> float | None:
    """Return a share, or None of nothing."""
    return part / whole if whole else None


def pair_grades(
    human: Mapping[Key, int | None], judge: Mapping[Key, int | None]
) -> dict[Key, Pair]:
    """Return (human, judge) of every item that both graded, in the human's order.

    A skip, a "cannot judge" and a failed call are None, and are no grade.
    """
    pairs = {}
    for key, left in human.items():
        right = judge.get(key)
        if left is not None and right is not None:
            pairs[key] = (left, right)
    return pairs


def confusion(pairs: Sequence[Pair], size: int = SCALE_SIZE) -> tuple[tuple[int, ...], ...]:
    """Count the pairs by grade: rows the human's 0..size-1, columns the judge's."""
    return tuple(tuple(map(int, row)) for row in count_pairs(pairs, size))


def raw_agreement(pairs: Sequence[Pair]) -> float | None:
    """Return the share of pairs with the same grade."""
    return divide(sum(human == judge for human, judge in pairs), len(pairs))


def mean_difference(pairs: Sequence[Pair]) -> float | None:
    """Return the mean of judge minus human in grades: above 0 the judge is lenient."""
    return divide(sum(judge - human for human, judge in pairs), len(pairs))


def rates(pairs: Sequence[Pair], cut: int, judge_cut: int | None = None) -> Rates:
    """Count the judge's right and wrong decisions; relevant is ``grade >= cut``.

    ``judge_cut`` is the judge's own grade from which it counts as relevant, the same as
    the human's unless calibrated.
    """
    return rates_of(count_pairs(pairs), cut, cut if judge_cut is None else judge_cut)


def rates_of(table: Counts, cut: int, judge_cut: int) -> Rates:
    """Return the rates of a confusion table; see ``rates``."""
    (tn, fp), (fn, tp) = cut_table(table, cut, judge_cut).tolist()
    return Rates(tp=tp, fn=fn, tn=tn, fp=fp)


def measure(pairs: Sequence[Pair], cut: int, judge_cut: int | None = None) -> Agreement:
    """Measure a judge on (human, judge) pairs of grades 0..3, every pair counting once."""
    own_cut = cut if judge_cut is None else judge_cut
    table = count_pairs(pairs)
    human_counts = tuple(map(int, table.sum(axis=1)))
    found = rates_of(table, cut, own_cut)
    folded = cut_table(table, cut, own_cut)
    return Agreement(
        n=len(pairs),
        cut=cut,
        judge_cut=own_cut,
        confusion=confusion(pairs),
        human_counts=human_counts,
        judge_counts=tuple(map(int, table.sum(axis=0))),
        raw_agreement=raw_agreement(pairs),
        baseline=divide(max(human_counts), len(pairs)),
        mean_difference=mean_difference(pairs),
        rates=found,
        kappa=kappa_of(table),
        kappa_linear=kappa_of(table, "linear"),
        kappa_quadratic=kappa_of(table, "quadratic"),
        kappa_binary=kappa_of(folded),
        alpha_ordinal=alpha_of((table + table.T).astype(float)),
        tpr_interval=interval(found.tp, found.relevant),
        tnr_interval=interval(found.tn, found.irrelevant),
        kappa_binary_interval=kappa_interval(folded),
    )
