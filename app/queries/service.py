"""Service of queries: taking questions in, and handing them to other rooms."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from app.errors import Invalid, NotFound
from app.formats.detect import QUERIES
from app.formats.rows import QueryRow
from app.models import Project, QueryVersion
from app.projects import imports
from app.projects.imports import Checked, ImportReport, Told, hear_nothing
from app.projects.taking import Intake, Loading, import_checked, preview_checked
from app.queries import intake, store
from app.queries.store import QueryInfo

PAGE = 50


@dataclass(frozen=True, slots=True)
class QueryCounts:
    """How many there are, and how many of them nobody can answer from the corpus."""

    queries: int
    unanswerable: int


def _show(row: QueryRow) -> dict[str, Any]:
    return {
        "query_id": row.query_id,
        "text": row.text,
        "need": row.need,
        "tags": row.tags,
        "answerable": intake.read_answerable(row),
    }


INTAKE = Intake(
    "queries", intake.compare, intake.apply, lambda row: len(row.text) + len(row.need), _show
)


def check_queries(
    path: Path,
    *,
    file_name: str,
    format: str | None = None,
    skip_bad: bool = False,
    told: Told = hear_nothing,
) -> Checked[QueryRow]:
    """Read a whole file of queries without a database, so that no lock waits for it.

    Raises:
        BadFile: with all bad lines, unless they are to be skipped.
        Invalid: where the file or its format cannot be found.
    """
    return imports.check_file(
        "queries", QUERIES, path, file_name=file_name, form=format, skip_bad=skip_bad, told=told
    )


def import_queries(
    session: Session,
    project: Project,
    path: Path,
    *,
    file_name: str,
    format: str | None = None,
    skip_bad: bool = False,
    by: int | None = None,
    checked: Checked[QueryRow] | None = None,
    told: Told = hear_nothing,
) -> ImportReport:
    """Take in a file of queries, all or nothing; the same file again changes nothing.

    Hand in ``checked`` where the file was checked before the transaction began.

    Raises:
        BadFile: with all bad lines, and those that contradict graded wordings.
        Invalid: where the file or its format cannot be found.
    """
    checked = checked or check_queries(
        path, file_name=file_name, format=format, skip_bad=skip_bad
    )
    return import_checked(session, project.id, checked, INTAKE, by=by, told=told)


def preview_queries(
    session: Session,
    project: Project,
    path: Path,
    *,
    file_name: str,
    format: str | None = None,
    skip_bad: bool = False,
    checked: Checked[QueryRow] | None = None,
    told: Told = hear_nothing,
) -> ImportReport:
    """Say what `import_queries` would do, with the first 20 rows; a reading session will do."""
    checked = checked or check_queries(
        path, file_name=file_name, format=format, skip_bad=skip_bad
    )
    return preview_checked(session, project.id, checked, INTAKE, told=told)


LOADING = Loading("query", check_queries, import_queries, preview_queries)


def list_current(session: Session, project_id: int) -> list[QueryInfo]:
    """Return all queries in their current wording, in the order of import."""
    return store.all_queries(session, project_id)


def by_ids(session: Session, project_id: int, query_ids: Iterable[str]) -> dict[str, QueryInfo]:
    """Return the queries of these ids in their current wording; unknown ids are left out."""
    return store.queries_by_ids(session, project_id, query_ids)


def fingerprint(session: Session, project_id: int) -> str:
    """Return a SHA-256 that changes when a query comes or its wording changes."""
    digest = hashlib.sha256()
    for each in store.all_queries(session, project_id):
        digest.update(f"{each.query_ref} {each.version_id}\n".encode())
    return digest.hexdigest()


def counts(session: Session, project_id: int) -> QueryCounts:
    """Count the queries."""
    return QueryCounts(*store.count_queries(session, project_id))


def list_queries(
    session: Session, project_id: int, *, after: int = 0, search: str = ""
) -> tuple[list[QueryInfo], int | None]:
    """Return 50 queries in the order of import, and the place to go on after."""
    if "\x00" in search:
        raise Invalid("The NUL character cannot be searched for.")
    found = store.list_queries(session, project_id, after=after, search=search, limit=PAGE + 1)
    return found[:PAGE], found[PAGE - 1].position if len(found) > PAGE else None


def query_by_id(
    session: Session, project_id: int, query_id: str
) -> tuple[QueryInfo, list[QueryVersion]]:
    """Return a query and its wordings, the newest first."""
    found = {} if "\x00" in query_id else by_ids(session, project_id, [query_id])
    if query_id not in found:
        raise NotFound(f"There is no query {query_id[:200]!r} in this project.")
    return found[query_id], store.wordings_of(session, found[query_id].query_ref)
