"""Intake: what the rows of a file change among the queries, first found out, then stored."""

from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from app.formats.checks import Problems
from app.formats.rows import QueryRow, Tags
from app.queries import store
from app.queries.store import NewQuery, QueryInfo

IN_USE = (
    "has another text or need here than in the project, where it was graded;"
    " give the changed question a new query_id, or start a new project"
)
ANSWERABLE = "answerable"
SAID = {"no": False, "false": False, "yes": True, "true": True}


@dataclass(slots=True)
class Changes:
    """What one batch of rows changes."""

    new: list[QueryRow] = field(default_factory=list)
    changed: list[tuple[QueryRow, QueryInfo]] = field(default_factory=list)
    updated: list[tuple[int, Tags, bool | None]] = field(default_factory=list)
    unchanged: int = 0

    def count(self) -> Counter[str]:
        """Count under the names of `ImportReport`."""
        return Counter(
            added=len(self.new),
            changed=len(self.changed),
            updated=len(self.updated),
            unchanged=self.unchanged,
        )


def read_answerable(row: QueryRow) -> bool | None:
    """Return what the row says of its answer: the field, else a tag such as answerable: no."""
    if row.answerable is not None:
        return row.answerable
    said = {SAID.get(value.strip().lower()) for value in row.tags.get(ANSWERABLE, [])}
    return said.pop() if len(said) == 1 else None


def compare(
    session: Session, project_id: int, rows: list[QueryRow], problems: Problems
) -> Changes:
    """Find out what a batch would change; rows that contradict graded wordings are problems."""
    known = store.queries_by_ids(session, project_id, (row.query_id for row in rows))
    changes = Changes()
    for row in rows:
        _place(changes, row, known.get(row.query_id))
    _refuse_graded(session, changes, problems)
    return changes


def _place(changes: Changes, row: QueryRow, known: QueryInfo | None) -> None:
    if known is None:
        changes.new.append(row)
    elif (known.text, known.need) != (row.text, row.need):
        changes.changed.append((row, known))
    elif (known.tags, known.answerable) == (row.tags, read_answerable(row)):
        changes.unchanged += 1
    else:
        changes.updated.append((known.query_ref, row.tags, read_answerable(row)))


def _refuse_graded(session: Session, changes: Changes, problems: Problems) -> None:
    if not changes.changed:
        return
    graded = store.graded_refs(session, [known.query_ref for _, known in changes.changed])
    for row, known in changes.changed:
        if known.query_ref in graded:
            problems.add(row.line, f"query {row.query_id!r} {IN_USE}")
    changes.changed = [each for each in changes.changed if each[1].query_ref not in graded]


def apply(session: Session, project_id: int, changes: Changes) -> None:
    """Store what `compare` found."""
    _add(session, project_id, changes.new)
    newest = store.newest_versions(session, [known.query_ref for _, known in changes.changed])
    store.add_wordings(
        session,
        [
            (known.query_ref, newest[known.query_ref] + 1, row.text, row.need)
            for row, known in changes.changed
        ],
    )
    labels = [
        (known.query_ref, row.tags, read_answerable(row))
        for row, known in changes.changed
        if (known.tags, known.answerable) != (row.tags, read_answerable(row))
    ]
    store.update_labels(session, changes.updated + labels)


def _add(session: Session, project_id: int, rows: list[QueryRow]) -> None:
    first = store.last_position(session, project_id) + 1
    store.add_queries(
        session,
        project_id,
        [
            NewQuery(row.query_id, row.text, row.need, row.tags, read_answerable(row), position)
            for position, row in enumerate(rows, first)
        ],
    )
