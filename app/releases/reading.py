"""Reading: the releases of a project, and the labels of one in their order."""

from collections.abc import Iterator, Sequence

from sqlalchemy.orm import Session

from app.errors import NotFound
from app.models import Release
from app.releases import store
from app.releases.store import ReleasedLabel, ReleasedQuery


def releases_of(session: Session, project_id: int) -> list[Release]:
    """Return the releases of a project, the newest first."""
    return store.releases_of(session, project_id)


def find_release(session: Session, project_id: int, number: int | None = None) -> Release:
    """Return a release by number, the newest where none is given.

    Raises:
        NotFound: there is no such release, or none at all.
    """
    wanted = store.newest_number(session, project_id) if number is None else number
    release = store.release_by_number(session, project_id, wanted)
    if release is None and number is None:
        raise NotFound("There is no release yet. Cut one first.")
    if release is None:
        raise NotFound(f"There is no release {number} in this project.")
    return release


def queries_of(session: Session, release: Release) -> list[ReleasedQuery]:
    """Return the frozen queries of a release in the order of import."""
    return store.queries_of(session, release.id)


def labels_of(session: Session, release: Release) -> Iterator[ReleasedLabel]:
    """Yield every label of a release in export order, in constant memory.

    The order is total: query (of import), document id, whole document first, start, end.
    """
    refs = store.query_refs_of(session, release.id)
    return read_labels(session, release.id, refs, release.manifest["labels"])


def read_labels(
    session: Session, release_id: int, query_refs: Sequence[int], labels: int
) -> Iterator[ReleasedLabel]:
    """Read some queries at a time, about 5,000 labels, so that the first come at once."""
    each = max(1, labels // max(1, len(query_refs)))
    size = min(store.QUERIES_AT_ONCE, max(1, store.BATCH // each))
    for batch in store.in_batches(query_refs, size):
        yield from store.labels_of_queries(session, release_id, batch)
