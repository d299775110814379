"""Scoring: what one run scores against the labels of a release, from values alone."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from app.domain.averages import average
from app.domain.intervals import Interval
from app.domain.metric_names import DEFAULT_DEPTHS
from app.domain.metrics import Evaluation, Score, evaluate
from app.domain.significance import bootstrap_mean
from app.domain.span_metrics import (
    BudgetKind,
    BudgetMetric,
    BudgetValue,
    GoldSpan,
    measure_within,
    merge_gold,
    rank_units,
)
from app.domain.spans import Span

Unit = Literal["span", "document"]
Hits = Mapping[str, Sequence[Span]]
Values = Mapping[str, float | None]

BUDGET = 2000
RESAMPLES = 2_000
ENOUGH_FOR_NORMAL = 1_000
UNITS: tuple[Unit, ...] = ("span", "document")


@dataclass(frozen=True, slots=True)
class Label:
    """One label; the span's doc_id is a key of the document's version."""

    span: Span
    grade: int
    human: bool


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of a release by query id, and the queries declared unanswerable.

    Every query of the frozen set is a key, with no labels where none were made.
    """

    by_query: Mapping[str, Sequence[Label]]
    unanswerable: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Tell whether every label is of a whole document."""
        return all(label.span.whole for labels in self.by_query.values() for label in labels)

    def answerable(self) -> dict[str, Sequence[Label]]:
        """Return the labels of the queries that are scored."""
        kept = self.by_query.items()
        return {query: labels for query, labels in kept if query not in self.unanswerable}


@dataclass(frozen=True, slots=True)
class RunScores:
    """What one run scores: a summary that is small, and every value behind its means."""

    summary: dict[str, Any]
    values: dict[str, Values]


def score_hits(labels: LabelSet, hits: Hits, *, cut: int, unit: Unit = "span") -> RunScores:
    """Score one run; ``hits`` is by query id, best first.

    With unit *span* the labelled spans are counted, unless all labels are of whole
    documents; then, and with unit *document*, a document counts once, at its best hit, and
    its grade is the highest of its labels.
    """
    judged = labels.answerable()
    spans = unit == "span" and not labels.whole
    asked = {query: hits.get(query, ()) for query in judged}
    if not spans:
        asked = {query: keep_documents(shown) for query, shown in asked.items()}
    count = _count_spans if spans else _count_documents
    qrels, run = count(judged, asked)
    found = evaluate(qrels, run, cut=cut)
    budgets = _measure_budgets(judged, asked, cut) if spans else {}
    summary: dict[str, Any] = {
        "unit": "span" if spans else "document",
        "whole": all(hit.whole for shown in hits.values() for hit in shown),
        "queries": len(found.queries),
        "metrics": {name: _sum_up(score) for name, score in found.scores.items()},
        "unanswered": list(found.unanswered),
        "unjudged": sorted(query for query, given in judged.items() if not given),
        "nothing_relevant": _list_nothing_relevant(judged, cut),
        "unanswerable": sorted(labels.unanswerable),
        "false_finds": _count_false_finds(labels, hits, cut),
        "top": count_top(judged, asked, spans=spans),
    }
    values: dict[str, Values] = {name: score.values for name, score in found.scores.items()}
    for name, column in budgets.items():
        values[name] = {query: each.value for query, each in column.items()}
        summary["metrics"][name] = _sum_up_budget(column)
    return RunScores(_with_residual(summary, found), values)


def _with_residual(summary: dict[str, Any], found: Evaluation) -> dict[str, Any]:
    residuals = {
        name: score.residual
        for name, score in found.scores.items()
        if score.residual is not None
    }
    return summary | ({"residual": residuals} if residuals else {})


def _count_spans(
    judged: Mapping[str, Sequence[Label]], hits: Hits
) -> tuple[dict[str, dict[str, int]], dict[str, Sequence[str]]]:
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, Sequence[str]] = {}
    for query, labels in judged.items():
        ranked = rank_units(_as_gold(labels), hits[query])
        run[query] = ranked.ranking
        # A label that no hit meets is still a label: the query is judged.
        qrels[query] = ranked.grades or ({"label": 0} if labels else {})
    return qrels, run


def _count_documents(
    judged: Mapping[str, Sequence[Label]], hits: Hits
) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    qrels: dict[str, dict[str, int]] = {query: {} for query in judged}
    for query, labels in judged.items():
        grades = qrels[query]
        for label in labels:
            key = label.span.doc_id
            grades[key] = max(label.grade, grades.get(key, label.grade))
    run = {query: [span.doc_id for span in spans] for query, spans in hits.items()}
    return qrels, run


def keep_documents(hits: Sequence[Span]) -> list[Span]:
    """Keep the best hit of each document."""
    best: dict[str, Span] = {}
    for hit in hits:
        best.setdefault(hit.doc_id, hit)
    return list(best.values())


def _as_gold(labels: Iterable[Label]) -> list[GoldSpan]:
    return [GoldSpan(label.span, label.grade) for label in labels]


def _sum_up(score: Score) -> dict[str, Any]:
    """Put a metric's mean, its interval and what they rest on into a small mapping."""
    interval = find_interval(score.values)
    found: dict[str, Any] = {
        "mean": score.mean.mean,
        "n": score.mean.n,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "undefined": len(score.undefined),
        "answered": {"mean": score.answered.mean, "n": score.answered.n},
    }
    if score.undefined:
        filled = {query: value or 0.0 for query, value in score.values.items()}
        whole = find_interval(filled)
        found["zero"] = {
            "mean": average(filled.values()).mean,
            "n": len(filled),
            "low": whole and whole.low,
            "high": whole and whole.high,
        }
    return found


def find_interval(values: Values, level: float = 0.95) -> Interval | None:
    """Return the interval of a mean over queries; None for fewer than two values.

    Percentile bootstrap (Efron 1979), seeded; from 1,000 queries on the normal
    approximation, which it then equals to the digits shown.
    """
    present = np.array([value for value in values.values() if value is not None])
    if len(present) < 2:
        return None
    if len(present) < ENOUGH_FOR_NORMAL:
        return bootstrap_mean(present, resamples=RESAMPLES, level=level)
    mean = float(present.mean())
    half = 1.959964 * float(present.std(ddof=1)) / math.sqrt(len(present))
    return Interval(mean - half, mean + half)


def _measure_budgets(
    judged: Mapping[str, Sequence[Label]], hits: Hits, cut: int
) -> dict[str, dict[str, BudgetValue]]:
    """Measure within the first characters, the only fair view across chunkings."""
    gold = {query: _as_gold(labels) for query, labels in judged.items() if labels}
    return {
        str(metric): {
            query: measure_within(metric, hits[query], labels, cut)
            for query, labels in gold.items()
        }
        for metric in (BudgetMetric(kind, BUDGET) for kind in BudgetKind)
    }


def _sum_up_budget(column: Mapping[str, BudgetValue]) -> dict[str, Any]:
    values = {query: each.value for query, each in column.items()}
    mean, interval = average(values.values()), find_interval(values)
    return {
        "mean": mean.mean,
        "n": mean.n,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "undefined": mean.missing,
        "characters": average(each.characters_read for each in column.values()).mean,
        "skipped": sum(each.skipped for each in column.values()),
    }


def _list_nothing_relevant(judged: Mapping[str, Sequence[Label]], cut: int) -> list[str]:
    """List the queries that were judged and of which nothing is relevant."""
    return sorted(
        query
        for query, labels in judged.items()
        if labels and all(label.grade < cut for label in labels)
    )


def _count_false_finds(labels: LabelSet, hits: Hits, cut: int) -> int:
    """Count unanswerable queries with a relevant label: the label or the tag is wrong."""
    return sum(
        any(label.grade >= cut for label in labels.by_query.get(query, ()))
        for query in labels.unanswerable
        if hits.get(query)
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What a hit is compared with, and whether a person stands behind it."""

    span: Span
    human: bool


def list_known(labels: Sequence[Label], *, spans: bool) -> list[_Known]:
    """Return merged relevant spans and irrelevant ones, as `rank_units` compares hits."""
    if not spans:
        return [_Known(label.span, label.human) for label in labels]
    units = merge_gold(_as_gold(labels))
    known = [
        _Known(
            unit.span,
            any(each.human and each.grade and unit.span.contains(each.span) for each in labels),
        )
        for unit in units
    ]
    return known + [_Known(each.span, each.human) for each in labels if each.grade < 1]


def trace_hits(
    labels: Sequence[Label], hits: Sequence[Span], *, spans: bool
) -> list[bool | None]:
    """Say of each hit whether a person labelled it (True), a judge (False), nobody (None)."""
    known = list_known(labels, spans=spans)
    if spans:
        return [
            next((each.human for each in known if hit.matches(each.span)), None) for hit in hits
        ]
    human: dict[str, bool] = {}
    for each in known:
        human[each.span.doc_id] = each.human or human.get(each.span.doc_id, False)
    return [human.get(hit.doc_id) for hit in hits]


def count_top(
    judged: Mapping[str, Sequence[Label]], hits: Hits, *, spans: bool
) -> dict[str, dict[str, int]]:
    """Count for each depth the hits, those with a label, and those with a person's label."""
    counts = {k: {"hits": 0, "labelled": 0, "human": 0} for k in DEFAULT_DEPTHS}
    for query, labels in judged.items():
        traced = trace_hits(labels, hits[query][: max(DEFAULT_DEPTHS)], spans=spans)
        for k, found in counts.items():
            found["hits"] += len(traced[:k])
            found["labelled"] += sum(human is not None for human in traced[:k])
            found["human"] += sum(human is True for human in traced[:k])
    return {str(k): found for k, found in counts.items()}
