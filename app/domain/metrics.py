"""Metrics: how well a run finds what the labels call relevant, query by query."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.domain.averages import Average
from app.domain.metric_names import Kind, Metric, Need, list_default_metrics
from app.domain.rank_metrics import (
    CHUNK,
    TOP_GRADE,
    Floats,
    RankedGrades,
    find_err,
    find_judged_share,
    find_ndcg_exp,
    find_rbp,
    find_rbp_residual,
    rank_grades,
    sort_ideal,
)
from app.domain.trec_metrics import TrecEval

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Sequence[str]]
Values = dict[str, float | None]
NoRelevant = Literal["skip", "zero"]


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one run: the value of each judged query, and the means over them.

    ``values`` is by query id, None where undefined. ``undefined`` lists the queries the
    metric says nothing about, which the switch may still have counted as 0.
    ``residual`` is RBP's only: how much the mean could gain from labels yet to come; a
    query without a hit leaves everything open, which is 1.
    """

    metric: Metric
    values: Values
    mean: Average
    answered: Average
    undefined: tuple[str, ...]
    residual: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one run scores against one set of labels.

    ``unanswered`` queries have labels and no hit, and count 0; ``unjudged`` queries have
    hits and no label, and are left out.
    """

    cut: int
    no_relevant: NoRelevant
    queries: tuple[str, ...]
    unanswered: tuple[str, ...]
    unjudged: tuple[str, ...]
    scores: Mapping[str, Score]

    def as_json(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return the run's part of ``goldspan evaluate --json``; undefined is null."""
        scores = self.scores.items()
        found: dict[str, Any] = {
            "mean": {name: score.mean.mean for name, score in scores},
            "n": {name: score.mean.n for name, score in scores},
            "undefined": {name: len(score.undefined) for name, score in scores},
            "unanswered": list(self.unanswered),
            "unjudged": list(self.unjudged),
            "answered_only": {
                name: {"mean": score.answered.mean, "n": score.answered.n}
                for name, score in scores
            },
            "cut": self.cut,
            "no_relevant": self.no_relevant,
        }
        residuals = {
            name: score.residual for name, score in scores if score.residual is not None
        }
        if residuals:
            found["residual"] = residuals
        if per_query:
            found["queries"] = {
                query: {name: score.values[query] for name, score in scores}
                for query in self.queries
            }
        return found


@dataclass(frozen=True, slots=True)
class Measured:
    """Values by metric, and what RBP leaves open; all by answered query, in one order."""

    columns: dict[Metric, Floats]
    residual: Floats


@dataclass(frozen=True, slots=True)
class Gaps:
    """Which queries have a hit, (queries,), and for each need which lack it."""

    answered: NDArray[np.bool_]
    lacking: dict[Need, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Batch:
    """The answered queries of a run, ready to be measured."""

    queries: list[str]
    hits: list[Sequence[str]]
    judged: list[Mapping[str, int]]

    def split(self) -> Iterator["Batch"]:
        """Yield the queries a few thousand at a time, so that memory stays flat."""
        for start in range(0, len(self.queries), CHUNK):
            part = slice(start, start + CHUNK)
            yield Batch(self.queries[part], self.hits[part], self.judged[part])


def evaluate(
    qrels: Qrels,
    run: Run,
    metrics: Sequence[Metric] | None = None,
    *,
    cut: int = 1,
    no_relevant: NoRelevant = "skip",
) -> Evaluation:
    """Score a run: every query first, then the mean over the judged queries.

    ``qrels`` is {query: {hit id: grade}}, ``run`` {query: [hit id, best first]}. A grade
    below 0 is a label and never relevant. A query without labels is left out and listed;
    a judged query without hits counts 0; one with nothing relevant is undefined and left
    out, or counts 0 with ``no_relevant="zero"``, as in trec_eval -c. P@k divides by k
    however short the list; ideal lists and recall know all judged documents. No hit is
    removed, whatever its id.

    Raises:
        Invalid: the run names a hit twice for one query.
    """
    asked = tuple(dict.fromkeys(list_default_metrics() if metrics is None else metrics))
    queries = tuple(query for query, grades in qrels.items() if grades)
    answered = np.array([bool(run.get(query)) for query in queries], dtype=bool)
    measured = measure_run(qrels, run, [q for q in queries if run.get(q)], asked, cut)
    gaps = find_gaps([qrels[query] for query in queries], answered, cut)
    zero = no_relevant == "zero"
    return Evaluation(
        cut=cut,
        no_relevant=no_relevant,
        queries=queries,
        unanswered=tuple(q for q, there in zip(queries, answered, strict=True) if not there),
        unjudged=tuple(query for query, hits in run.items() if hits and not qrels.get(query)),
        scores={str(m): score_metric(m, queries, measured, gaps, zero=zero) for m in asked},
    )


def measure_run(
    qrels: Qrels, run: Run, queries: list[str], metrics: Sequence[Metric], cut: int
) -> Measured:
    """Measure the queries, all of them judged and answered, in their order."""
    highest = max((max(grades.values()) for grades in qrels.values() if grades), default=0)
    trec = TrecEval(qrels, metrics, cut)
    others = [metric for metric in metrics if metric not in trec.metrics]
    whole = Batch(queries, [run[query] for query in queries], [qrels[q] for q in queries])
    parts = [Measured({metric: np.empty(0) for metric in metrics}, np.empty(0))]
    for batch in whole.split():
        found = trec.measure(dict(zip(batch.queries, batch.hits, strict=True)))
        more = measure_others(batch, others, cut, max(TOP_GRADE, highest))
        parts.append(Measured(found | more.columns, more.residual))
    return Measured(
        {
            metric: np.concatenate([part.columns[metric] for part in parts])
            for metric in metrics
        },
        np.concatenate([part.residual for part in parts]),
    )


def measure_others(
    batch: Batch, metrics: Sequence[Metric], cut: int, top_grade: int
) -> Measured:
    """Measure what trec_eval has not, from one table of grades."""
    if not metrics:
        return Measured({}, np.empty(0))
    kinds = {metric.kind for metric in metrics}
    ranked = rank_grades(batch.hits, batch.judged)
    ideal = sort_ideal(batch.judged if Kind.NDCG_EXP in kinds else [])
    return Measured(
        {metric: measure_one(metric, ranked, ideal, cut, top_grade) for metric in metrics},
        find_rbp_residual(ranked) if Kind.RBP in kinds else np.empty(0),
    )


def measure_one(
    metric: Metric, ranked: RankedGrades, ideal: NDArray[np.int64], cut: int, top_grade: int
) -> Floats:
    """Measure one metric on a table of grades, (queries,)."""
    depth = ranked.grades.shape[1] if metric.k is None else metric.k
    match metric.kind:
        case Kind.NDCG_EXP:
            return find_ndcg_exp(ranked, ideal, metric.k)
        case Kind.ERR:
            return find_err(ranked, depth, top_grade)
        case Kind.RBP:
            return find_rbp(ranked, cut)
        case Kind.JUDGED:
            return find_judged_share(ranked, depth)
        case _:
            raise ValueError(f"trec_eval measures {metric}")


def find_gaps(
    judged: Sequence[Mapping[str, int]], answered: NDArray[np.bool_], cut: int
) -> Gaps:
    """Say which queries have a hit, and for each need which lack it."""
    best = np.array([max(grades.values()) for grades in judged], dtype=np.int64)
    lacking = {Need.RELEVANT: best < cut, Need.GAIN: best < 1, Need.NOTHING: best < best}
    return Gaps(answered, lacking)


def score_metric(
    metric: Metric, queries: tuple[str, ...], measured: Measured, gaps: Gaps, *, zero: bool
) -> Score:
    """Put one metric's values and means together; ``zero`` counts a gap as 0."""
    lacking, answered = gaps.lacking[metric.kind.need], gaps.answered
    values = spread(measured.columns[metric], answered, 0.0)
    kept = np.where(lacking, 0.0 if zero else np.nan, values)
    listed = (None if value != value else value for value in kept.tolist())
    residual = None
    if metric.kind is Kind.RBP:
        open_share = spread(measured.residual, answered, 1.0)
        residual = average_column(open_share[~np.isnan(kept)]).mean
    return Score(
        metric=metric,
        values=dict(zip(queries, listed, strict=True)),
        mean=average_column(kept),
        answered=average_column(kept[answered]),
        undefined=tuple(queries[at] for at in np.flatnonzero(lacking)),
        residual=residual,
    )


def spread(values: Floats, answered: NDArray[np.bool_], otherwise: float) -> Floats:
    """Lay values of the answered queries out over all of them."""
    whole = np.full(len(answered), otherwise)
    whole[answered] = values
    return whole


def average_column(values: Floats) -> Average:
    """Average a column in which NaN is missing; see ``averages.average``."""
    present = values[~np.isnan(values)]
    mean = float(present.mean()) if len(present) else None
    return Average(mean, len(present), len(values))


def drop_same_ids(run: Run) -> dict[str, list[str]]:
    """Return the run without the hits whose id is their query's.

    Only for collections whose queries are themselves documents; whoever uses it says so
    beside the figures.
    """
    return {query: [hit for hit in hits if hit != query] for query, hits in run.items()}
