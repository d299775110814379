"""Store of releases: rows that are written once, and read in one order for ever."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, case, func, insert, literal, select
from sqlalchemy.orm import Session

from app.models import (
    Document,
    DocumentVersion,
    Item,
    Pool,
    Project,
    Query,
    QueryVersion,
    Release,
    ReleaseLabel,
    ReleaseQuery,
)

BATCH = 5_000
QUERIES_AT_ONCE = 500
"""Below the number of variables that SQLite takes in one statement."""


@dataclass(frozen=True, slots=True)
class ReleasedLabel:
    """One label of a release; ``end`` is exclusive, ``length`` the document's or None."""

    query_ref: int
    query_id: str
    document_version_id: int
    doc_id: str
    length: int | None
    whole: bool
    start: int
    end: int
    value: int
    source: str
    grader_id: int | None


@dataclass(frozen=True, slots=True)
class ReleasedQuery:
    """One query of the frozen set, as it was worded then."""

    query_ref: int
    query_id: str
    text: str
    need: str
    tags: dict[str, list[str]]
    answerable: bool | None


@dataclass(frozen=True, slots=True)
class LabelledText:
    """One labelled span with its text; ``text`` is None where nobody has it."""

    doc_id: str
    length: int | None
    whole: bool
    start: int
    end: int
    title: str
    text: str | None


def lock_project(session: Session, project_id: int) -> None:
    """Let one release at a time be cut; SQLite has one writer anyway."""
    session.execute(select(Project.id).where(Project.id == project_id).with_for_update())


def newest_number(session: Session, project_id: int) -> int:
    """Return the number of the newest release, 0 without one."""
    newest = session.scalar(
        select(func.max(Release.number)).where(Release.project_id == project_id)
    )
    return newest or 0


def release_by_number(session: Session, project_id: int, number: int) -> Release | None:
    return session.scalars(
        select(Release).where(Release.project_id == project_id, Release.number == number)
    ).one_or_none()


def releases_of(session: Session, project_id: int) -> list[Release]:
    """Return the releases, the newest first."""
    return list(
        session.scalars(
            select(Release)
            .where(Release.project_id == project_id)
            .order_by(Release.number.desc())
        )
    )


def newest_pool(session: Session, project_id: int) -> Pool | None:
    return session.scalars(
        select(Pool).where(Pool.project_id == project_id).order_by(Pool.id.desc()).limit(1)
    ).one_or_none()


def add_queries(session: Session, release_id: int, project_id: int) -> None:
    """Freeze the project's queries: wording, tags and order."""
    frozen = select(
        literal(release_id),
        Query.id,
        Query.current_version_id,
        Query.answerable,
        Query.tags,
        Query.position,
    ).where(Query.project_id == project_id, Query.current_version_id.is_not(None))
    columns = (
        "release_id", "query_ref", "query_version_id", "answerable", "tags", "position",
    )  # fmt: skip
    session.execute(insert(ReleaseQuery).from_select(columns, frozen))


def add_labels(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Add labels in bulk; keys are those of the table."""
    session.connection().execute(insert(ReleaseLabel), rows)


def queries_of(session: Session, release_id: int) -> list[ReleasedQuery]:
    """Return the frozen queries in the order of import."""
    rows = session.execute(
        select(
            ReleaseQuery.query_ref,
            Query.query_id,
            QueryVersion.text,
            QueryVersion.need,
            ReleaseQuery.tags,
            ReleaseQuery.answerable,
        )
        .join(Query, Query.id == ReleaseQuery.query_ref)
        .join(QueryVersion, QueryVersion.id == ReleaseQuery.query_version_id)
        .where(ReleaseQuery.release_id == release_id)
        .order_by(ReleaseQuery.position, Query.query_id)
    )
    return [ReleasedQuery(*row) for row in rows]


def query_refs_of(session: Session, release_id: int) -> list[int]:
    """Return the frozen queries by number in the order of import."""
    return list(
        session.scalars(
            select(ReleaseQuery.query_ref)
            .join(Query, Query.id == ReleaseQuery.query_ref)
            .where(ReleaseQuery.release_id == release_id)
            .order_by(ReleaseQuery.position, Query.query_id)
        )
    )


def labels_of_queries(
    session: Session, release_id: int, query_refs: Sequence[int]
) -> Iterator[ReleasedLabel]:
    """Yield the labels of at most 500 queries by query, document, whole first, start, end."""
    session.flush()
    rows = session.connection().execute(  # as plain rows, in half the time of the session's
        select(
            Item.query_ref,
            Query.query_id,
            Item.document_version_id,
            Document.doc_id,
            DocumentVersion.length,
            Item.whole,
            Item.span_start,
            Item.span_end,
            ReleaseLabel.value,
            ReleaseLabel.source,
            ReleaseLabel.grader_id,
        )
        .join(ReleaseLabel, ReleaseLabel.item_id == Item.id)
        .join(Query, Query.id == Item.query_ref)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(ReleaseLabel.release_id == release_id, Item.query_ref.in_(query_refs))
        .order_by(
            Query.position,
            Query.query_id,
            Document.doc_id,
            _is_part(),
            Item.span_start,
            Item.span_end,
        )
    )
    return (ReleasedLabel(*row) for row in rows.all())


def _is_part() -> ColumnElement[int]:
    return case((Item.whole, 0), else_=1)


def texts_of(session: Session, release_id: int, *, spans: bool) -> Iterator[LabelledText]:
    """Yield every labelled span once (or document, without ``spans``), in constant memory."""
    place: list[ColumnElement[Any]] = [literal(value=True), literal(0), literal(0)]
    keys: list[ColumnElement[Any]] = [Item.document_version_id.expression]
    text: ColumnElement[Any] = DocumentVersion.text.expression
    if spans:
        length = Item.span_end - Item.span_start
        part = func.substr(DocumentVersion.text, Item.span_start + 1, length)
        place = [Item.whole.expression, Item.span_start.expression, Item.span_end.expression]
        keys += place
        text = case((Item.whole, text), else_=part)
    chosen = (
        select(func.min(Item.id))
        .join(ReleaseLabel, ReleaseLabel.item_id == Item.id)
        .where(ReleaseLabel.release_id == release_id)
        .group_by(*keys)
    )
    rows = session.execute(
        select(Document.doc_id, DocumentVersion.length, *place, DocumentVersion.title, text)
        .select_from(Item)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(Item.id.in_(chosen))
        .order_by(Document.doc_id, _is_part(), Item.span_start, Item.span_end),
        execution_options={"yield_per": 500},
    )
    return (LabelledText(*row) for row in rows)


def in_batches(rows: Iterable[int], size: int) -> Iterator[list[int]]:
    """Cut numbers into lists of at most ``size``."""
    batch: list[int] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
