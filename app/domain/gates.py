"""Gates: whether a judge's labels may be used, with every reason and what is missing."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum

from app.domain.agreement import Agreement
from app.domain.intervals import Interval, interval
from app.domain.words import say_count

MAX_PAIRS_MORE = 1_000_000
SETTLED_BY = 10
"""Fewer pairs on the side of a figure never rule a judge out: one miss of one is 0 %."""
NEEDED = "are needed"


class Answer(StrEnum):
    """The three answers of a gate."""

    TRUSTED = "trusted"
    NOT_TRUSTED = "not trusted"
    NOT_ENOUGH = "not enough labels"


@dataclass(frozen=True, slots=True)
class Gate:
    """What a judge must reach on the test pairs, and on how many of them.

    The lower end of each figure's 95 % interval may lie at most ``slack`` below its
    threshold; ``strict`` allows none.
    """

    tpr: float = 0.85
    tnr: float = 0.85
    kappa: float = 0.60
    pairs: int = 100
    relevant: int = 30
    irrelevant: int = 30
    queries: int = 30
    slack: float = 0.10
    strict: bool = False

    @property
    def allowed(self) -> float:
        """Return how far an interval may reach below a threshold."""
        return 0.0 if self.strict else self.slack


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's answer, with all reasons against trust and what would be needed more."""

    answer: Answer
    reasons: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def trusted(self) -> bool:
        """Say whether the labels may be used."""
        return self.answer is Answer.TRUSTED


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the gate beside what it must reach."""

    name: str
    value: float | None
    interval: Interval | None
    threshold: float
    lacking: str
    pairs: int
    """How many it rests on; for kappa, those of the smaller side of the cut."""

    @property
    def below(self) -> bool:
        """Say whether the figure is defined and under its threshold."""
        return self.value is not None and self.value < self.threshold

    @property
    def hopeless(self) -> bool:
        """Say whether even the upper end of the interval is under the threshold.

        Not under `SETTLED_BY` pairs, where a single one decides.
        """
        if self.interval is None or self.pairs < SETTLED_BY:
            return False
        return self.interval.high < self.threshold

    def is_wide(self, allowed: float) -> bool:
        """Say whether the lower end reaches too far below the threshold."""
        return self.interval is not None and self.interval.low < self.threshold - allowed


def decide(agreement: Agreement, queries: int, gate: Gate | None = None) -> Verdict:
    """Answer whether the judge may be trusted; ``queries`` is how many the pairs come from.

    1. *not trusted* when a figure cannot pass any more (its interval ends below the
       threshold, on at least 10 pairs of its side), however few the labels;
    2. else *not enough labels* when pairs, classes or queries are short, or a figure is
       undefined;
    3. else *not trusted* when a figure is below its threshold;
    4. else *not enough labels* when an interval reaches too far down: more of the same
       would settle it;
    5. else *trusted*.

    All reasons are given whatever the answer.
    """
    limits = gate or Gate()
    figures = list_figures(agreement, limits)
    short = list(count_shortages(agreement, queries, limits))
    missing = tuple(f"{say_count(needed, what)} more" for what, needed in short)
    reasons = [*describe_counts(agreement, queries, limits), *describe_figures(figures, limits)]
    answer = choose_answer(figures, short=bool(short), allowed=limits.allowed)
    if answer is Answer.TRUSTED:
        return Verdict(answer, (), ())
    return Verdict(answer, tuple(reasons), missing + tuple(count_wide(agreement, limits)))


def choose_answer(figures: list[Figure], *, short: bool, allowed: float) -> Answer:
    """Choose among the three answers; the order of the questions is that of ``decide``."""
    if any(figure.hopeless for figure in figures):
        return Answer.NOT_TRUSTED
    if short or any(figure.value is None for figure in figures):
        return Answer.NOT_ENOUGH
    if any(figure.below for figure in figures):
        return Answer.NOT_TRUSTED
    if any(figure.is_wide(allowed) for figure in figures):
        return Answer.NOT_ENOUGH
    return Answer.TRUSTED


def list_figures(agreement: Agreement, gate: Gate) -> list[Figure]:
    """Put the gate's three figures beside their thresholds."""
    rates = agreement.rates
    sides = rates.relevant, rates.irrelevant
    lacking = "no pair is relevant", "no pair is irrelevant"
    return [
        Figure("TPR", rates.tpr, agreement.tpr_interval, gate.tpr, lacking[0], sides[0]),
        Figure("TNR", rates.tnr, agreement.tnr_interval, gate.tnr, lacking[1], sides[1]),
        Figure(
            "binary kappa",
            agreement.kappa_binary,
            agreement.kappa_binary_interval,
            gate.kappa,
            "both used one side of the cut only" if agreement.n else "there are no pairs",
            min(sides),
        ),
    ]


def list_counts(
    agreement: Agreement, queries: int, gate: Gate
) -> tuple[tuple[str, int, int], ...]:
    """Return (what, how many there are, how many are wanted)."""
    return (
        ("pair", agreement.n, gate.pairs),
        ("relevant pair", agreement.rates.relevant, gate.relevant),
        ("irrelevant pair", agreement.rates.irrelevant, gate.irrelevant),
        ("query", queries, gate.queries),
    )


def count_shortages(
    agreement: Agreement, queries: int, gate: Gate
) -> Iterator[tuple[str, int]]:
    """Yield what is short, and how many more are wanted."""
    for what, there, wanted in list_counts(agreement, queries, gate):
        if there < wanted:
            yield what, wanted - there


def describe_counts(agreement: Agreement, queries: int, gate: Gate) -> Iterator[str]:
    """Yield one sentence for each count that is short."""
    for what, there, wanted in list_counts(agreement, queries, gate):
        if there < wanted:
            yield f"{say_count(there, what)}; {wanted} {NEEDED}"


def list_untold(reasons: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return what is missing beyond the counts that the reasons name already.

    A count that is short stands in both, first and in the same order; for programs each
    list is whole, a person reads it once.
    """
    return list(missing[sum(reason.endswith(NEEDED) for reason in reasons) :])


def describe_figures(figures: list[Figure], gate: Gate) -> Iterator[str]:
    """Yield one sentence for each figure that does not pass."""
    for figure in figures:
        if figure.value is None or figure.interval is None:
            yield f"{figure.name} is undefined: {figure.lacking}"
            continue
        shown = f"{figure.name} {round_down(figure.value)}"
        low, high = round_down(figure.interval.low), round_down(figure.interval.high)
        if figure.below:
            yield f"{shown} (between {low} and {high}) is below {figure.threshold:.2f}"
        elif figure.is_wide(gate.allowed):
            floor = figure.threshold - gate.allowed
            yield f"{shown} may be as low as {low}, and that must not be below {floor:.2f}"


def round_down(value: float) -> Decimal:
    """Return three decimals, never more than the value: 0.8499 does not read as 0.850."""
    return Decimal(str(value)).quantize(Decimal("0.001"), ROUND_FLOOR)


def count_wide(agreement: Agreement, gate: Gate) -> Iterator[str]:
    """Yield about how many more pairs would narrow an interval enough, at the same rate."""
    rates = agreement.rates
    for name, right, there, threshold in (
        ("relevant", rates.tp, rates.relevant, gate.tpr),
        ("irrelevant", rates.tn, rates.irrelevant, gate.tnr),
    ):
        share = right / there if there else None
        if share is None or share < threshold:
            continue
        more = count_pairs_more(share, there, threshold - gate.allowed)
        if more:
            yield f"about {say_count(more, f'{name} pair')} more for a narrower interval"


def count_pairs_more(share: float, there: int, floor: float) -> int | None:
    """Return how many more pairs lift the lower end to ``floor``; None where none would."""

    def reaches(n: int) -> bool:
        found = interval(round(share * n), n)
        return found is not None and found.low >= floor

    return find_first(reaches, there)


def find_first(holds: Callable[[int], bool], start: int) -> int | None:
    """Return the fewest steps from ``start`` after which a once-true claim holds."""
    high = 1
    if holds(start):
        return 0
    while not holds(start + high):
        high *= 2
        if high > MAX_PAIRS_MORE:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(start + middle) else (middle, high)
    return high


def as_json(agreement: Agreement, verdict: Verdict) -> dict[str, object]:
    """Return the keys of ``goldspan agreement --json``; undefined is null."""
    return {
        "n": agreement.n,
        "confusion": [list(row) for row in agreement.confusion],
        "tpr": agreement.rates.tpr,
        "tnr": agreement.rates.tnr,
        "kappa": agreement.kappa,
        "kappa_binary": agreement.kappa_binary,
        "kappa_quadratic": agreement.kappa_quadratic,
        "alpha_ordinal": agreement.alpha_ordinal,
        "intervals": {
            "tpr": ends_of(agreement.tpr_interval),
            "tnr": ends_of(agreement.tnr_interval),
            "kappa_binary": ends_of(agreement.kappa_binary_interval),
        },
        "gate": {
            "answer": str(verdict.answer),
            "reasons": list(verdict.reasons),
            "missing": list(verdict.missing),
        },
    }


def ends_of(found: Interval | None) -> list[float] | None:
    """Return [low, high], or None."""
    return None if found is None else [found.low, found.high]
