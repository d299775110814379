"""Rows for tests of scores: runs and releases, made directly."""

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from app.models import (
    DocumentVersion,
    Hit,
    Item,
    Project,
    Query,
    Release,
    ReleaseLabel,
    ReleaseQuery,
    Run,
    RunQuery,
)
from tests.factories import make_item

Place = tuple[DocumentVersion, tuple[int, int] | None]


def make_run(
    session: Session,
    project: Project,
    name: str,
    answers: Mapping[Query, Sequence[Place]] | Sequence[tuple[Query, Sequence[Place]]],
    *,
    chunking: str | None = None,
) -> Run:
    """Return a finished run; a place is a document's version and a span, None: all of it."""
    pairs = list(answers.items() if isinstance(answers, Mapping) else answers)
    run = Run(
        project_id=project.id,
        name=name,
        retriever=None,
        chunking=chunking,
        depth=max((len(places) for _, places in pairs), default=0),
    )
    session.add(run)
    session.flush()
    for query, places in pairs:
        session.add(RunQuery(run_id=run.id, query_ref=query.id, hits=len(places)))
        for rank, (version, at) in enumerate(places, start=1):
            start, end = at or (0, version.length or 0)
            session.add(
                Hit(
                    run_id=run.id,
                    query_ref=query.id,
                    rank=rank,
                    document_version_id=version.id,
                    whole=at is None,
                    span_start=start,
                    span_end=end,
                    score=float(-rank),
                )
            )
    session.flush()
    return run


def make_release(
    session: Session,
    project: Project,
    queries: Sequence[Query],
    labels: Sequence[tuple[Item, int]],
    *,
    source: str = "consensus",
    number: int = 1,
) -> Release:
    """Return a release of these labels, with its queries frozen in the order given."""
    release = Release(
        project_id=project.id,
        number=number,
        manifest={"labels": len(labels), "queries": len(queries)},
        sha256="0" * 64,
    )
    session.add(release)
    session.flush()
    for query in queries:
        session.add(
            ReleaseQuery(
                release_id=release.id,
                query_ref=query.id,
                query_version_id=query.current_version_id or 0,
                answerable=query.answerable,
                tags={},
                position=query.position,
            )
        )
    for item, value in labels:
        session.add(
            ReleaseLabel(release_id=release.id, item_id=item.id, value=value, source=source)
        )
    session.flush()
    return release


def label(
    session: Session,
    query: Query,
    version: DocumentVersion,
    value: int,
    at: tuple[int, int] | None = None,
) -> tuple[Item, int]:
    """Return an item with its grade, as `make_release` takes them."""
    return make_item(session, query, version, at), value
