"""Store of evaluation: what runs scored, query by query."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from app.models import Evaluation, Query, ReleaseQuery, Score

BATCH = 5_000


def evaluations_of(
    session: Session, release_id: int, *, cut: int, unit: str
) -> dict[int, Evaluation]:
    """Return what was scored with a release, by run."""
    rows = session.scalars(
        select(Evaluation).where(
            Evaluation.release_id == release_id,
            Evaluation.cut == cut,
            Evaluation.unit == unit,
        )
    )
    return {row.run_id: row for row in rows}


def count_scored(session: Session, release_id: int) -> int:
    """Count the runs that were scored with a release."""
    runs = select(func.count(Evaluation.run_id.distinct()))
    return session.scalar(runs.where(Evaluation.release_id == release_id)) or 0


def add_evaluation(
    session: Session,
    *,
    release_id: int,
    run_id: int,
    cut: int,
    unit: str,
    summary: dict[str, Any],
    scores: Iterable[tuple[str, int, float | None]],
) -> Evaluation:
    """Store a summary and its values, given as metric, query and value."""
    made = Evaluation(release_id=release_id, run_id=run_id, cut=cut, unit=unit, summary=summary)
    session.add(made)
    session.flush()
    for batch in _batches(scores):
        session.execute(
            insert(Score),
            [
                {"evaluation_id": made.id, "metric": metric, "query_ref": ref, "value": value}
                for metric, ref, value in batch
            ],
        )
    return made


def _batches(
    rows: Iterable[tuple[str, int, float | None]],
) -> Iterator[list[tuple[str, int, float | None]]]:
    stream = iter(rows)
    while batch := list(islice(stream, BATCH)):
        yield batch


def values_of(
    session: Session, evaluation_id: int, metrics: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """Return the values behind the means of some metrics, by query id."""
    rows = session.execute(
        select(Score.metric, Query.query_id, Score.value)
        .join(Query, Query.id == Score.query_ref)
        .where(Score.evaluation_id == evaluation_id, Score.metric.in_(metrics))
        .order_by(Query.position, Query.id)
    )
    found: dict[str, dict[str, float | None]] = {metric: {} for metric in metrics}
    for metric, query_id, value in rows:
        found[metric][query_id] = value
    return found


def queries_after(
    session: Session, evaluation_id: int, *, after: int, limit: int
) -> list[tuple[int, int, str]]:
    """Return place, reference and id of the release's queries after a place."""
    rows = session.execute(
        select(ReleaseQuery.position, Query.id, Query.query_id)
        .join(Query, Query.id == ReleaseQuery.query_ref)
        .join(Evaluation, Evaluation.release_id == ReleaseQuery.release_id)
        .where(Evaluation.id == evaluation_id, ReleaseQuery.position > after)
        .order_by(ReleaseQuery.position)
        .limit(limit)
    )
    return [(position, ref, query_id) for position, ref, query_id in rows]


def values_at(
    session: Session, evaluation_id: int, refs: Sequence[int], metrics: Sequence[str]
) -> dict[tuple[int, str], float | None]:
    """Return values by query and metric."""
    rows = session.execute(
        select(Score.query_ref, Score.metric, Score.value).where(
            Score.evaluation_id == evaluation_id,
            Score.metric.in_(metrics),
            Score.query_ref.in_(refs),
        )
    )
    return {(ref, metric): value for ref, metric, value in rows}
