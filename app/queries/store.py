"""Store of queries: questions and their wordings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy import insert as insert_into
from sqlalchemy.orm import Session

from app.models import GradeEvent, Query, QueryVersion
from app.models.base import utc_now

BATCH = 1_000


@dataclass(frozen=True, slots=True)
class QueryInfo:
    """A query in its current wording; ``answerable`` is None where nobody said."""

    query_ref: int
    query_id: str
    text: str
    need: str
    version_id: int
    tags: dict[str, list[str]]
    answerable: bool | None
    position: int


@dataclass(frozen=True, slots=True)
class NewQuery:
    """A query to be added."""

    query_id: str
    text: str
    need: str
    tags: dict[str, list[str]]
    answerable: bool | None
    position: int


def split(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield pieces that fit into one statement on both databases."""
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]


def _current(project_id: int) -> Select[Any]:
    return (
        select(
            Query.id,
            Query.query_id,
            QueryVersion.text,
            QueryVersion.need,
            QueryVersion.id,
            Query.tags,
            Query.answerable,
            Query.position,
        )
        .select_from(Query)
        .join(QueryVersion, QueryVersion.id == Query.current_version_id)
        .where(Query.project_id == project_id)
    )


def all_queries(session: Session, project_id: int) -> list[QueryInfo]:
    """Return the queries in the order of import."""
    rows = session.execute(_current(project_id).order_by(Query.position, Query.id))
    return [QueryInfo(*row) for row in rows]


def queries_by_ids(
    session: Session, project_id: int, query_ids: Iterable[str]
) -> dict[str, QueryInfo]:
    """Return the queries of these ids; ids nobody knows are left out."""
    found: dict[str, QueryInfo] = {}
    for piece in split(list(dict.fromkeys(query_ids))):
        rows = session.execute(_current(project_id).where(Query.query_id.in_(piece)))
        found.update((row[1], QueryInfo(*row)) for row in rows)
    return found


def list_queries(
    session: Session, project_id: int, *, after: int, search: str, limit: int
) -> list[QueryInfo]:
    """Return queries by position from ``after`` on, whose id or text holds ``search``."""
    wanted = _current(project_id).where(Query.position > after)
    if search:
        wanted = wanted.where(
            or_(
                Query.query_id.icontains(search, autoescape=True),
                QueryVersion.text.icontains(search, autoescape=True),
            )
        )
    rows = session.execute(wanted.order_by(Query.position, Query.id).limit(limit))
    return [QueryInfo(*row) for row in rows]


def last_position(session: Session, project_id: int) -> int:
    """Return the highest position in use, 0 without queries."""
    return (
        session.scalar(select(func.max(Query.position)).where(Query.project_id == project_id))
        or 0
    )


def add_queries(session: Session, project_id: int, queries: list[NewQuery]) -> None:
    """Insert new queries, each with its first wording, which is its current one."""
    if not queries:
        return
    at = utc_now()
    rows = session.execute(
        insert_into(Query).returning(Query.query_id, Query.id),
        [
            {
                "project_id": project_id, "query_id": each.query_id, "tags": each.tags,
                "answerable": each.answerable, "position": each.position, "created_at": at,
            }
            for each in queries
        ],
    )  # fmt: skip
    refs = {row[0]: row[1] for row in rows}
    add_wordings(session, [(refs[each.query_id], 1, each.text, each.need) for each in queries])


def add_wordings(session: Session, wordings: list[tuple[int, int, str, str]]) -> None:
    """Insert wordings (query, version, text, need) and make them the current ones."""
    if not wordings:
        return
    at = utc_now()
    rows = session.execute(
        insert_into(QueryVersion).returning(QueryVersion.query_ref, QueryVersion.id),
        [
            {
                "query_ref": ref, "version": version, "text": text, "need": need,
                "created_at": at,
            }
            for ref, version, text, need in wordings
        ],
    )  # fmt: skip
    session.execute(
        update(Query),
        [{"id": ref, "current_version_id": version_id} for ref, version_id in rows],
    )


def newest_versions(session: Session, refs: list[int]) -> dict[int, int]:
    """Return the number of the newest wording of each query."""
    rows = session.execute(
        select(QueryVersion.query_ref, func.max(QueryVersion.version))
        .where(QueryVersion.query_ref.in_(refs))
        .group_by(QueryVersion.query_ref)
    )
    return {row[0]: row[1] for row in rows}


def update_labels(
    session: Session, updated: list[tuple[int, dict[str, list[str]], bool | None]]
) -> None:
    """Store other tags and answerability of queries."""
    if updated:
        session.execute(
            update(Query),
            [
                {"id": ref, "tags": tags, "answerable": answerable}
                for ref, tags, answerable in updated
            ],
        )


def graded_refs(session: Session, refs: list[int]) -> set[int]:
    """Return which of these queries a grade refers to, in any wording."""
    graded = select(GradeEvent.id).where(GradeEvent.query_version_id == QueryVersion.id)
    return set(
        session.scalars(
            select(QueryVersion.query_ref).where(
                QueryVersion.query_ref.in_(refs), graded.exists()
            )
        )
    )


def count_queries(session: Session, project_id: int) -> tuple[int, int]:
    """Return all queries, and those said to be unanswerable."""
    row = session.execute(
        select(func.count(), func.count().filter(Query.answerable.is_(False))).where(
            Query.project_id == project_id
        )
    ).one()
    return row[0], row[1]


def wordings_of(session: Session, ref: int) -> list[QueryVersion]:
    """Return the wordings of a query, newest first."""
    return list(
        session.scalars(
            select(QueryVersion)
            .where(QueryVersion.query_ref == ref)
            .order_by(QueryVersion.version.desc())
        )
    )
