"""Service of evaluation: scoring runs with a release, keeping it, comparing, holes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.domain.metric_names import DEFAULT_DEPTHS
from app.domain.significance import Comparison, compare_runs
from app.domain.spans import Span
from app.errors import Invalid, NotFound
from app.evaluation import store
from app.evaluation.scoring import UNITS, Label, LabelSet, RunScores, Unit, score_hits
from app.models import Project, Release, Run
from app.releases import service as releases
from app.retrieval import service as retrieval

HUMAN = frozenset({"adjudicated", "consensus"})


@dataclass(frozen=True, slots=True)
class RunEvaluation:
    """One run scored with one release; ``summary`` is what `scoring.score_hits` says."""

    id: int
    run_id: int
    name: str
    depth: int
    chunking: str
    cut: int
    summary: dict[str, Any]

    def share(self, part: str, k: int) -> float | None:
        """Return the share of the first k hits: "labelled" of all, "human" of labelled."""
        top = self.summary["top"][str(k)]
        whole = top["labelled"] if part == "human" else top["hits"]
        return top[part] / whole if whole else None

    def holes(self, k: int) -> int:
        """Count the hits down to k that have no label."""
        top: dict[str, int] = self.summary["top"][str(k)]
        return top["hits"] - top["labelled"]


@dataclass(frozen=True, slots=True)
class Fresh:
    """Scores that were computed and not stored yet."""

    release_id: int
    cut: int
    unit: Unit
    refs: dict[str, int]
    runs: tuple[tuple[int, RunScores], ...]


def evaluate_release(
    session: Session,
    project: Project,
    number: int | None = None,
    *,
    cut: int | None = None,
    unit: str = "span",
) -> list[RunEvaluation]:
    """Score every finished run with a release (the newest), where that was not done yet."""
    release = releases.find_release(session, project.id, number)
    keep(session, compute_missing(session, project, release, cut=cut, unit=unit))
    return list_evaluations(session, project, release, cut=cut, unit=unit)


def compute_missing(
    session: Session,
    project: Project,
    release: Release,
    *,
    cut: int | None = None,
    unit: str = "span",
) -> Fresh:
    """Score the runs that were not scored yet; reads only, so that nobody waits for it."""
    wanted, counted = _check_cut(project, cut), _check_unit(unit)
    known = store.evaluations_of(session, release.id, cut=wanted, unit=counted)
    waiting = [run for run in retrieval.runs_done(session, project.id) if run.id not in known]
    if not waiting:
        return Fresh(release.id, wanted, counted, {}, ())
    labels, refs = load_labels(session, release)
    scored = (
        (run.id, score_hits(labels, load_hits(session, run), cut=wanted, unit=counted))
        for run in waiting
    )
    return Fresh(release.id, wanted, counted, refs, tuple(scored))


def keep(session: Session, fresh: Fresh) -> None:
    """Store fresh scores; those somebody else stored in the meantime stay as they are."""
    known = store.evaluations_of(session, fresh.release_id, cut=fresh.cut, unit=fresh.unit)
    for run_id, scores in fresh.runs:
        if run_id in known:
            continue
        try:
            with session.begin_nested():
                store.add_evaluation(
                    session,
                    release_id=fresh.release_id,
                    run_id=run_id,
                    cut=fresh.cut,
                    unit=fresh.unit,
                    summary=scores.summary,
                    scores=_list_scores(scores, fresh.refs),
                )
        except IntegrityError:  # scored twice at the same moment: both say the same
            continue


def _list_scores(
    scores: RunScores, refs: dict[str, int]
) -> Iterator[tuple[str, int, float | None]]:
    for metric, values in scores.values.items():
        for query, value in values.items():
            yield metric, refs[query], value


def list_evaluations(
    session: Session,
    project: Project,
    release: Release,
    *,
    cut: int | None = None,
    unit: str = "span",
) -> list[RunEvaluation]:
    """Return what was scored already, in the order the runs were made."""
    wanted = _check_cut(project, cut)
    known = store.evaluations_of(session, release.id, cut=wanted, unit=_check_unit(unit))
    return [
        RunEvaluation(
            id=known[run.id].id,
            run_id=run.id,
            name=run.name,
            depth=run.depth,
            chunking=name_chunking(run, known[run.id].summary),
            cut=wanted,
            summary=known[run.id].summary,
        )
        for run in retrieval.runs_done(session, project.id)
        if run.id in known
    ]


def name_chunking(run: Run, summary: dict[str, Any]) -> str:
    """Say how a run's hits were cut; a file tells only whether they are whole documents."""
    if summary["whole"]:
        return "whole documents"
    return run.chunking or "spans of an imported run"


def load_labels(session: Session, release: Release) -> tuple[LabelSet, dict[str, int]]:
    """Return a release's labels by query id, and the queries' references."""
    frozen = releases.queries_of(session, release)
    by_query: dict[str, list[Label]] = {query.query_id: [] for query in frozen}
    for row in releases.labels_of(session, release):
        end = row.length if row.whole else row.end
        span = Span(str(row.document_version_id), row.start, end, whole=row.whole)
        by_query[row.query_id].append(Label(span, row.value, row.source in HUMAN))
    unanswerable = frozenset(each.query_id for each in frozen if each.answerable is False)
    refs = {query.query_id: query.query_ref for query in frozen}
    return LabelSet(by_query, unanswerable), refs


def load_hits(session: Session, run: Run) -> dict[str, list[Span]]:
    """Return a run's hits by query id, best first, keyed as `load_labels` keys documents."""
    hits: dict[str, list[Span]] = {}
    for hit in retrieval.hits_of(session, run.id):
        span = hit.span
        keyed = Span(str(hit.version_id), span.start, span.end, whole=span.whole)
        hits.setdefault(hit.query_id, []).append(keyed)
    return hits


def _check_cut(project: Project, cut: int | None) -> int:
    if cut is None:
        return project.cut
    if cut not in (1, 2, 3):
        raise Invalid(f"The cut is 1, 2 or 3, not {cut}.")
    return cut


def _check_unit(unit: str) -> Unit:
    for known in UNITS:
        if unit == known:
            return known
    raise Invalid(f"The unit is {' or '.join(UNITS)}, not {unit}.")


def evaluation_of(evaluations: Iterable[RunEvaluation], name: str) -> RunEvaluation:
    """Return the run of that name, or refuse."""
    for each in evaluations:
        if each.name == name:
            return each
    raise NotFound(f"There are no scores of a run {name}. Score the runs first.")


def compare(
    session: Session, first: RunEvaluation, second: RunEvaluation, metric: str
) -> Comparison:
    """Compare two runs over the queries that both have a value for."""
    if metric not in first.summary["metrics"] or metric not in second.summary["metrics"]:
        raise Invalid(f"These runs have no {metric} in common.")
    values = (store.values_of(session, each.id, [metric])[metric] for each in (first, second))
    return compare_runs(*values)


def values_of(
    session: Session, evaluation: RunEvaluation, metrics: Iterable[str]
) -> dict[str, dict[str, float | None]]:
    """Return the values behind the means of some metrics, by query id."""
    return store.values_of(session, evaluation.id, list(metrics))


def all_values(
    session: Session, evaluations: Iterable[RunEvaluation]
) -> dict[str, dict[str, dict[str, float | None]]]:
    """Return the values behind all means, by run, metric and query id."""
    return {
        each.name: values_of(session, each, each.summary["metrics"]) for each in evaluations
    }


def count_scored(session: Session, release_id: int) -> int:
    """Count the runs that were scored with a release."""
    return store.count_scored(session, release_id)


@dataclass(frozen=True, slots=True)
class QueryRow:
    """The values of one query, by metric; an empty mapping where it was not scored."""

    position: int
    query_id: str
    values: dict[str, float | None]


def list_queries(
    session: Session,
    evaluation: RunEvaluation,
    metrics: Sequence[str],
    *,
    after: int = -1,
    limit: int = 50,
) -> list[QueryRow]:
    """Return the queries of a release after a place, each with its values."""
    queries = store.queries_after(session, evaluation.id, after=after, limit=limit)
    found = store.values_at(session, evaluation.id, [ref for _, ref, _ in queries], metrics)
    return [
        QueryRow(place, query_id, {m: found[ref, m] for m in metrics if (ref, m) in found})
        for place, ref, query_id in queries
    ]


def count_waiting(
    session: Session, project: Project, release: Release, *, cut: int, unit: str = "span"
) -> int:
    """Count the finished runs that were not scored with a release yet."""
    known = store.evaluations_of(session, release.id, cut=cut, unit=unit)
    return sum(run.id not in known for run in retrieval.runs_done(session, project.id))


def check_depth(k: int) -> int:
    """Return a depth that is computed, or refuse."""
    if k not in DEFAULT_DEPTHS:
        raise Invalid(f"The depth is one of {', '.join(map(str, DEFAULT_DEPTHS))}, not {k}.")
    return k
