"""Trec metrics: the figures trec_eval has, computed by trec_eval's own code."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytrec_eval

from app.domain.metric_names import Kind, Metric
from app.domain.rank_metrics import Floats
from app.errors import Invalid

MEASURES = {
    Kind.HIT: "success",
    Kind.PRECISION: "P",
    Kind.RECALL: "recall",
    Kind.MRR: "recip_rank",
    Kind.MAP: "map",
    Kind.NDCG: "ndcg",
    Kind.R_PRECISION: "Rprec",
    Kind.BPREF: "bpref",
}
CUT_MEASURES = {Kind.MAP: "map_cut", Kind.NDCG: "ndcg_cut"}
Row = Mapping[str, float]


class TrecEval:
    """trec_eval over one set of labels: ready once, asked for many lists."""

    def __init__(
        self, qrels: Mapping[str, Mapping[str, int]], metrics: Iterable[Metric], cut: int
    ) -> None:
        self.metrics = tuple(metric for metric in metrics if needed_measures(metric))
        names = {name for metric in self.metrics for name in needed_measures(metric)}
        self.evaluator = (
            pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=cut) if names else None
        )

    def measure(self, run: Mapping[str, Sequence[str]]) -> dict[Metric, Floats]:
        """Return each metric's values, (queries,), for lists of hits, none of them empty.

        trec_eval gets falling whole numbers as scores: the order given is the order used,
        and nothing ties.
        """
        scored = {query: score_falling(query, hits) for query, hits in run.items()}
        if self.evaluator is None or not run:
            return {metric: np.zeros(len(run)) for metric in self.metrics}
        found = self.evaluator.evaluate(scored)
        rows = [found[query] for query in run]
        return {metric: read_values(metric, rows) for metric in self.metrics}


def needed_measures(metric: Metric) -> tuple[str, ...]:
    """Return the trec_eval measures a metric is made of; none where it is not trec_eval's."""
    if metric.kind is Kind.F1:
        return (f"P_{metric.k}", f"recall_{metric.k}")
    if metric.kind not in MEASURES:
        return ()
    if metric.k is None or metric.kind is Kind.MRR:
        return (MEASURES[metric.kind],)
    return (f"{CUT_MEASURES.get(metric.kind, MEASURES[metric.kind])}_{metric.k}",)


def read_values(metric: Metric, rows: Sequence[Row]) -> Floats:
    """Return one metric of every row, (rows,)."""
    columns = [
        np.array([row[name] for row in rows], dtype=np.float64)
        for name in needed_measures(metric)
    ]
    if metric.kind is Kind.F1:
        return combine_f1(*columns)
    if metric.kind is Kind.MRR and metric.k is not None:
        # A first relevant hit below rank k counts nothing.
        return np.where(columns[0] * metric.k > 1 - 1e-9, columns[0], 0.0)
    return columns[0]


def combine_f1(precision: Floats, recall: Floats) -> Floats:
    """Return the harmonic mean of precision and recall; 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / np.where(total > 0, total, 1)


def score_falling(query: str, hits: Sequence[str]) -> dict[str, int]:
    """Give a list falling whole scores, the last hit 1.

    Raises:
        Invalid: a hit stands twice in the list.
    """
    # As ordering.falling_scores, but in C: this runs for every hit of every run.
    scored = dict(zip(hits, range(len(hits), 0, -1), strict=True))
    if len(scored) != len(hits):
        twice = next(hit for hit, count in Counter(hits).items() if count > 1)
        raise Invalid(f"Query {query!r} has the hit {twice!r} twice.")
    return scored
