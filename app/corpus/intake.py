"""Intake: what the rows of a file change in the corpus, first found out, then stored."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from app.corpus import store
from app.corpus.store import Known, NewDocument, NewText
from app.formats.checks import Problems
from app.formats.rows import DocumentRow, Tags
from app.models import UNKNOWN

IN_USE = (
    "has another text or title here than in the project, where runs or labels refer to it;"
    " give the changed text a new doc_id, or start a new project"
)


@dataclass(slots=True)
class Changes:
    """What one batch of rows changes."""

    new: list[NewDocument] = field(default_factory=list)
    filled: list[tuple[DocumentRow, Known, NewText]] = field(default_factory=list)
    changed: list[tuple[DocumentRow, Known, NewText]] = field(default_factory=list)
    updated: list[tuple[int, Tags, str | None]] = field(default_factory=list)
    unchanged: int = 0

    def count(self) -> Counter[str]:
        """Count under the names of `ImportReport`."""
        return Counter(
            added=len(self.new),
            filled=len(self.filled),
            changed=len(self.changed),
            updated=len(self.updated),
            unchanged=self.unchanged,
        )


def hash_text(title: str, text: str) -> str:
    """Return the SHA-256 that tells versions apart: title, a line feed, text, in UTF-8."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()


def compare(
    session: Session, project_id: int, rows: list[DocumentRow], problems: Problems
) -> Changes:
    """Find out what a batch would change; rows that contradict what is in use are problems."""
    known = store.known_documents(session, project_id, (row.doc_id for row in rows))
    changes = Changes()
    for row in rows:
        _place(changes, row, known.get(row.doc_id))
    _refuse_used(session, changes, problems)
    _refuse_short(session, changes, problems)
    return changes


def _place(changes: Changes, row: DocumentRow, known: Known | None) -> None:
    content = NewText(hash_text(row.title, row.text), row.title, row.text)
    if known is None:
        changes.new.append(NewDocument(row.doc_id, content, row.tags, row.access))
        return
    if known.sha256 == UNKNOWN:
        changes.filled.append((row, known, content))
    elif known.sha256 != content.sha256:
        changes.changed.append((row, known, content))
    elif (known.tags, known.access) == (row.tags, row.access):
        changes.unchanged += 1
    else:
        changes.updated.append((known.ref, row.tags, row.access))


def _refuse_used(session: Session, changes: Changes, problems: Problems) -> None:
    if not changes.changed:
        return
    used = store.used_refs(session, [known.ref for _, known, _ in changes.changed])
    for row, known, _ in changes.changed:
        if known.ref in used:
            problems.add(row.line, f"document {row.doc_id!r} {IN_USE}")
    changes.changed = [each for each in changes.changed if each[1].ref not in used]


def _refuse_short(session: Session, changes: Changes, problems: Problems) -> None:
    """Refuse a text that is shorter than the spans a run found in it before it was known."""
    if not changes.filled:
        return
    ends = store.longest_ends(session, [known.version_id for _, known, _ in changes.filled])
    fitting = []
    for row, known, content in changes.filled:
        end = ends.get(known.version_id, 0)
        if end <= len(row.text):
            fitting.append((row, known, content))
            continue
        problems.add(
            row.line,
            f"document {row.doc_id!r} has {len(row.text):,} characters, but a run found"
            f" characters up to {end:,}; import the text that the run searched",
        )
    changes.filled = fitting


def apply(session: Session, project_id: int, changes: Changes) -> None:
    """Store what `compare` found; other texts are another corpus to those who index it."""
    if changes.new or changes.filled or changes.changed:
        store.renew_stamp(session, project_id)
    store.add_documents(session, project_id, changes.new)
    store.fill_versions(
        session, [(known.version_id, content) for _, known, content in changes.filled]
    )
    store.change_texts(session, [(known.ref, content) for _, known, content in changes.changed])
    labels = [
        (known.ref, row.tags, row.access)
        for row, known, _ in (*changes.filled, *changes.changed)
        if (known.tags, known.access) != (row.tags, row.access)
    ]
    store.update_labels(session, changes.updated + labels)
