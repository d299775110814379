"""Reports: evaluations as JSON, as CSV and as the rows of the score board."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.metric_names import DEFAULT_DEPTHS, Kind, Metric, describe
from app.domain.metrics import NoRelevant
from app.errors import Invalid
from app.evaluation.scoring import BUDGET
from app.evaluation.service import RunEvaluation

Values = Mapping[str, Mapping[str, float | None]]

BOARD = (
    Kind.NDCG,
    Kind.NDCG_EXP,
    Kind.HIT,
    Kind.PRECISION,
    Kind.RECALL,
    Kind.F1,
    Kind.MRR,
    Kind.MAP,
)
BY_METRIC = frozenset(
    {"mean", "n", "undefined", "interval", "answered_only", "characters_read", "residual"}
)
BUDGETS = (f"coverage@{BUDGET}c", f"span_recall@{BUDGET}c")
ENOUGH_JUDGED = 0.8
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
# At the start, and behind what some spreadsheets part columns at (V-086).
FORMULA = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])")
DEFINITIONS = {
    Kind.HIT: "The share of queries with at least one relevant result down to this rank.",
    Kind.PRECISION: "The share of the ranks down to k that hold a relevant result. "
    "Always divided by k, however short the list.",
    Kind.RECALL: "Of the relevant results that were labelled, the share found down to k. "
    "What nobody has labelled is not in it.",
    Kind.F1: "The harmonic mean of precision and recall at k.",
    Kind.MRR: "One divided by the rank of the first relevant result; 0 without one.",
    Kind.MAP: "The precision at each relevant result found, averaged over all relevant ones.",
    Kind.NDCG: "The grades found, discounted by the logarithm of their rank, divided by the "
    "best order there could be. A grade of 3 counts three times a grade of 1. "
    "The cut plays no part.",
    Kind.NDCG_EXP: "As nDCG, with 2 to the power of the grade, minus 1: a grade of 3 counts "
    "seven times a grade of 1.",
    Kind.JUDGED: "The share of the results down to k that have a label. Where it is low, the "
    "other figures say little: a result without a label counts as not relevant.",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of the board: its key, its heading, what it means."""

    key: str
    title: str
    definition: str


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that may be compared rank by rank: their hits were cut alike."""

    chunking: str
    runs: tuple[RunEvaluation, ...]


def list_columns(k: int, cut: int, depth: int | None = None) -> list[Column]:
    """Return the metrics of the board at depth k; the last is judged@k.

    ``depth`` is where all the runs shown end: MAP of a run cut at 20 is MAP@20.
    """
    metrics = [
        Metric(kind, None if kind in (Kind.MRR, Kind.MAP) else k)
        for kind in (*BOARD, Kind.JUDGED)
    ]
    return [
        Column(str(metric), describe(metric, cut, depth), DEFINITIONS[metric.kind])
        for metric in metrics
    ]


def short_title(column: Column) -> str:
    """Return a heading's first words; two kinds of gain are told apart."""
    head, _, notes = column.title.partition(" (")
    return f"{head} exp" if notes.startswith("exponential") else head


def shared_depth(evaluations: Sequence[RunEvaluation]) -> int | None:
    """Return the depth that all runs have, None where they differ."""
    depths = {each.depth for each in evaluations}
    return depths.pop() if len(depths) == 1 else None


def group_runs(evaluations: Iterable[RunEvaluation]) -> list[Group]:
    """Group runs by the way their hits were cut, in order of appearance."""
    groups: dict[str, list[RunEvaluation]] = {}
    for each in evaluations:
        groups.setdefault(each.chunking, []).append(each)
    return [Group(chunking, tuple(runs)) for chunking, runs in groups.items()]


def list_budgets(evaluations: Sequence[RunEvaluation]) -> list[str]:
    """Return the metrics within a budget of characters that every run has."""
    shared = [each.summary["metrics"].keys() for each in evaluations]
    return [name for name in BUDGETS if shared and all(name in metrics for metrics in shared)]


def read_mean(
    evaluation: RunEvaluation, metric: str, no_relevant: NoRelevant = "skip"
) -> dict[str, Any]:
    """Return mean, n, low, high and undefined of one metric, by the switch."""
    found: dict[str, Any] = evaluation.summary["metrics"][metric]
    return {**found, **found["zero"]} if no_relevant == "zero" and "zero" in found else found


def as_json(
    project: str,
    release: int,
    evaluations: Iterable[RunEvaluation],
    *,
    no_relevant: NoRelevant = "skip",
    values: Mapping[str, Values] | None = None,
) -> dict[str, Any]:
    """Return what ``goldspan evaluate PROJECT --json`` prints.

    ``values`` are by run name, metric and query id; with them each run has its ``queries``.
    """
    found = {}
    for each in evaluations:
        found[each.name] = _run_as_json(each, no_relevant)
        if values is not None:
            found[each.name]["queries"] = _turn(values[each.name], no_relevant)
    return {"project": project, "release": release, "runs": found}


def _run_as_json(each: RunEvaluation, no_relevant: NoRelevant) -> dict[str, Any]:
    summary = each.summary
    means = {name: read_mean(each, name, no_relevant) for name in summary["metrics"]}
    found = {
        "mean": {name: mean["mean"] for name, mean in means.items()},
        "n": {name: mean["n"] for name, mean in means.items()},
        "undefined": {name: mean["undefined"] for name, mean in means.items()},
        "interval": {name: [mean["low"], mean["high"]] for name, mean in means.items()},
        "answered_only": {
            name: mean["answered"] for name, mean in means.items() if "answered" in mean
        },
        "unit": summary["unit"],
        "cut": each.cut,
        "no_relevant": no_relevant,
        "chunking": each.chunking,
        "human_share": {str(k): each.share("human", k) for k in DEFAULT_DEPTHS},
        "holes": {str(k): each.holes(k) for k in DEFAULT_DEPTHS},
        "characters_read": {
            name: mean["characters"] for name, mean in means.items() if "characters" in mean
        },
    }
    listed = ("unanswered", "unjudged", "nothing_relevant", "unanswerable", "residual")
    return found | {key: summary[key] for key in listed if key in summary}


def keep_metrics(found: dict[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """Keep some metrics of what `as_json` returns; none named keeps all.

    Raises:
        Invalid: a metric is not among those a project is scored by.
    """
    if not metrics:
        return found
    for run in found["runs"].values():
        missing = [name for name in metrics if name not in run["mean"]]
        if missing:
            raise Invalid(
                f"A project has no scores by {', '.join(missing)}, only by "
                f"{', '.join(run['mean'])}. Others are measured from files."
            )
        for key in BY_METRIC & run.keys():
            run[key] = {name: run[key][name] for name in metrics if name in run[key]}
        for query, row in run.get("queries", {}).items():
            run["queries"][query] = {name: row[name] for name in metrics if name in row}
    return found


def _turn(values: Values, no_relevant: NoRelevant) -> dict[str, dict[str, float | None]]:
    queries: dict[str, dict[str, float | None]] = {}
    for metric, column in values.items():
        for query, value in column.items():
            filled = 0.0 if value is None and no_relevant == "zero" else value
            queries.setdefault(query, {})[metric] = filled
    return queries


def board_csv(evaluations: Sequence[RunEvaluation], no_relevant: NoRelevant) -> Iterator[str]:
    """Yield the board as CSV: a line for each run and metric."""
    basis = ("run", "chunking", "unit", "cut", "no_relevant", "metric")
    figures = ("mean", "low", "high", "n", "undefined")
    yield csv_line((*basis, *figures))
    for each in evaluations:
        told = (each.name, each.chunking, each.summary["unit"], each.cut, no_relevant)
        for name in each.summary["metrics"]:
            mean = read_mean(each, name, no_relevant)
            yield csv_line((*told, name, *(mean[key] for key in figures)))


def queries_csv(values: Values) -> Iterator[str]:
    """Yield the values behind the means as CSV: a line for each query."""
    metrics = list(values)
    yield csv_line(("query_id", *metrics))
    for query, row in _turn(values, "skip").items():
        yield csv_line((query, *(row.get(metric) for metric in metrics)))


def csv_line(cells: Iterable[Any]) -> str:
    """Write one line of CSV; a text that a spreadsheet would run as a formula is quoted."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(map(_guard, cells))
    return out.getvalue()


def _guard(cell: Any) -> Any:
    return FORMULA.sub(r"\1'", cell) if isinstance(cell, str) and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    """Say whether a spreadsheet takes a text for a number, such as -5 or +4.2."""
    return NUMBER.fullmatch(cell) is not None
