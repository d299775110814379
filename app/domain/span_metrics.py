"""Span metrics: what a run finds counted in labelled spans, so that chunkings compare."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.spans import Span, span_coverage
from app.errors import Invalid

MIN_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """A labelled span of a query, grade 0..3."""

    span: Span
    grade: int


@dataclass(frozen=True, slots=True)
class RankedUnits:
    """One query as ``metrics.evaluate`` takes it: what was found in order, and its grades.

    A unit is a merged relevant span; a hit that finds none stands for itself.
    """

    ranking: tuple[str, ...]
    grades: dict[str, int]


class BudgetKind(StrEnum):
    """What is measured inside a budget of characters."""

    COVERAGE = "coverage"
    SPAN_RECALL = "span_recall"


@dataclass(frozen=True, slots=True)
class BudgetMetric:
    """A metric over the first characters a run shows, such as ``coverage@2000c``."""

    kind: BudgetKind
    characters: int

    def __str__(self) -> str:
        return f"{self.kind.value}@{self.characters}c"


@dataclass(frozen=True, slots=True)
class BudgetValue:
    """A share 0..1, None without relevant spans, beside the characters it took to read.

    ``skipped`` hits are documents of unknown length, which cannot be read.
    """

    value: float | None
    characters_read: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The hits that fit a budget whole, and the piece of the next one that still fits."""

    whole: tuple[Span, ...]
    piece: Span | None
    skipped: int

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return everything read."""
        return self.whole if self.piece is None else (*self.whole, self.piece)

    @property
    def characters(self) -> int:
        """Count the characters read; a text shown twice is read twice."""
        return sum(span.length or 0 for span in self.spans)


def merge_gold(gold: Iterable[GoldSpan], cut: int = 1) -> list[GoldSpan]:
    """Merge the spans with a grade of ``cut`` or more that share characters.

    A merged span has the highest grade of its parts. Spans that only touch stay two, and
    a whole document never merges with a span of it.
    """
    merged: list[GoldSpan] = []
    wanted = (labelled for labelled in gold if labelled.grade >= cut)
    for labelled in sorted(wanted, key=lambda labelled: key_of(labelled.span)):
        if merged and shares_characters(merged[-1].span, labelled.span):
            merged[-1] = join_gold(merged[-1], labelled)
        else:
            merged.append(labelled)
    return merged


def key_of(span: Span) -> tuple[bool, tuple[str, int, int, bool]]:
    """Sort whole documents apart from spans, so that neighbours in order may merge."""
    return span.whole, span.order_key()


def shares_characters(one: Span, other: Span) -> bool:
    """Say whether two spans are to be counted as one."""
    if one.whole and other.whole:
        return one.doc_id == other.doc_id
    return one.whole == other.whole and one.overlap(other) > 0


def join_gold(one: GoldSpan, other: GoldSpan) -> GoldSpan:
    """Join two labelled spans that share characters."""
    first, second = one.span, other.span
    longer = first if first.reach >= second.reach else second
    joined = Span(first.doc_id, min(first.start, second.start), longer.end, first.whole)
    return GoldSpan(joined, max(one.grade, other.grade))


def rank_units(
    gold: Sequence[GoldSpan], hits: Iterable[Span], min_overlap: float = MIN_OVERLAP
) -> RankedUnits:
    """Turn the labelled spans and the ranked hits of one query into units.

    A hit finds every merged relevant span it matches (overlap / the shorter length at
    least ``min_overlap``) that no earlier hit found; several found by one hit follow each
    other, best grade first. A hit that finds nothing new keeps its rank: as grade 0 where
    it repeats a found span or matches one graded 0, else as unjudged.
    """
    units = merge_gold(gold)
    read = [labelled.span for labelled in gold if labelled.grade < 1]
    known = [unit.span for unit in units] + read
    names = {unit.span: f"span {unit.span.doc_id} {at}" for at, unit in enumerate(units)}
    grades = {names[unit.span]: unit.grade for unit in units}
    waiting = sorted(units, key=lambda unit: (-unit.grade, unit.span))
    ranking: list[str] = []
    for rank, hit in enumerate(hits, start=1):
        found = [unit for unit in waiting if hit.matches(unit.span, min_overlap)]
        waiting = [unit for unit in waiting if unit not in found]
        ranking += [names[unit.span] for unit in found]
        if not found:
            ranking.append(f"hit {rank}")
            if any(hit.matches(span, min_overlap) for span in known):
                grades[f"hit {rank}"] = 0
    return RankedUnits(tuple(ranking), grades)


def span_recall(
    hits: Iterable[Span],
    gold: Iterable[GoldSpan],
    cut: int = 1,
    min_overlap: float = MIN_OVERLAP,
) -> float | None:
    """Return the share of merged relevant spans that some hit matches; None without any."""
    units = merge_gold(gold, cut)
    shown = list(hits)
    found = sum(any(hit.matches(unit.span, min_overlap) for hit in shown) for unit in units)
    return found / len(units) if units else None


def parse_budget_metric(name: str) -> BudgetMetric:
    """Read ``coverage@2000c`` or ``span_recall@2000c``: what, within how many characters.

    Raises:
        Invalid: the name means nothing.
    """
    kinds = "|".join(kind.value for kind in BudgetKind)
    read = re.fullmatch(rf"({kinds})@([1-9][0-9]{{0,8}})c", name, re.ASCII)
    if read is None:
        raise Invalid(
            f"There is no metric {name!r}. Within a budget of characters there are "
            "coverage@2000c and span_recall@2000c, with any whole number."
        )
    return BudgetMetric(BudgetKind(read[1]), int(read[2]))


def read_within(hits: Iterable[Span], characters: int) -> Reading:
    """Read hits in order until the budget is used up, the last one perhaps in part."""
    whole: list[Span] = []
    left, skipped = characters, 0
    for hit in hits:
        if hit.length is None:
            skipped += 1
        elif hit.length <= left:
            whole.append(hit)
            left -= hit.length
        else:
            piece = Span(hit.doc_id, hit.start, hit.start + left) if left else None
            return Reading(tuple(whole), piece, skipped)
    return Reading(tuple(whole), None, skipped)


def measure_within(
    metric: BudgetMetric, hits: Iterable[Span], gold: Iterable[GoldSpan], cut: int = 1
) -> BudgetValue:
    """Measure the first characters of one query's hits.

    Coverage takes the last hit as far as the budget goes, so that chunkings compare at
    the same length; a span counts as recalled only by a hit read to its end.
    """
    reading = read_within(hits, metric.characters)
    wanted = [labelled for labelled in gold if labelled.grade >= cut]
    if metric.kind is BudgetKind.COVERAGE:
        value = span_coverage(reading.spans, [labelled.span for labelled in wanted])
        return BudgetValue(value, reading.characters, reading.skipped)
    read = sum(span.length or 0 for span in reading.whole)
    return BudgetValue(span_recall(reading.whole, wanted, cut), read, reading.skipped)
