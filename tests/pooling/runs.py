"""Runs for tests of pooling: hits written down as (document, start, end)."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from app.models import DocumentVersion, Hit, Project, Query, Run

Place = tuple[DocumentVersion, int, int] | DocumentVersion


def make_run(
    session: Session, project: Project, name: str, hits: dict[int, Sequence[Place]]
) -> Run:
    """Return a complete run; ``hits`` gives query to places, a version alone is whole."""
    run = Run(project_id=project.id, name=name, retriever=None, depth=20)
    session.add(run)
    session.flush()
    for query_ref, places in hits.items():
        for rank, place in enumerate(places, start=1):
            session.add(_make_hit(run, query_ref, rank, place))
    session.flush()
    return run


def _make_hit(run: Run, query_ref: int, rank: int, place: Place) -> Hit:
    version, start, end = place if isinstance(place, tuple) else (place, 0, place.length or 0)
    return Hit(
        run_id=run.id,
        query_ref=query_ref,
        rank=rank,
        document_version_id=version.id,
        whole=not isinstance(place, tuple),
        span_start=start,
        span_end=end,
        score=float(100 - rank),
    )


def refs(*queries: Query) -> list[int]:
    return [query.id for query in queries]
