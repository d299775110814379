"""Store of the corpus: documents and their versions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from sqlalchemy import Select, bindparam, func, or_, select, update
from sqlalchemy import insert as insert_into
from sqlalchemy.orm import Session

from app.models import UNKNOWN, Document, DocumentVersion, Hit, Item, Project
from app.models.base import utc_now

BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Known:
    """A document as the project holds it; ``length`` in code points, None without a text."""

    ref: int
    doc_id: str
    version_id: int
    sha256: str
    length: int | None
    tags: dict[str, list[str]]
    access: str | None


@dataclass(frozen=True, slots=True)
class NewText:
    """A text to be stored; ``text`` is None for a document that is only named."""

    sha256: str
    title: str = ""
    text: str | None = None

    @property
    def values(self) -> dict[str, Any]:
        length = None if self.text is None else len(self.text)
        return {
            "sha256": self.sha256, "title": self.title, "text": self.text, "length": length,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be added with its first version."""

    doc_id: str
    content: NewText
    tags: dict[str, list[str]]
    access: str | None = None


def split(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield pieces that fit into one statement on both databases."""
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]


def known_documents(
    session: Session, project_id: int, doc_ids: Iterable[str]
) -> dict[str, Known]:
    """Return the documents of these ids, by id; ids nobody knows are left out."""
    found: dict[str, Known] = {}
    for piece in split(list(dict.fromkeys(doc_ids))):
        rows = session.execute(
            current_versions(
                Document.id,
                Document.doc_id,
                DocumentVersion.id,
                DocumentVersion.sha256,
                DocumentVersion.length,
                Document.tags,
                Document.access,
            ).where(Document.project_id == project_id, Document.doc_id.in_(piece))
        )
        found.update((row[1], Known(*row)) for row in rows)
    return found


def current_versions(*columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .select_from(Document)
        .join(DocumentVersion, DocumentVersion.id == Document.current_version_id)
    )


def add_documents(session: Session, project_id: int, documents: list[NewDocument]) -> None:
    """Insert new documents, each with one version, which is its current one."""
    if not documents:
        return
    at = utc_now()
    rows = session.execute(
        insert_into(Document).returning(Document.doc_id, Document.id),
        [
            {
                "project_id": project_id, "doc_id": each.doc_id, "tags": each.tags,
                "access": each.access, "created_at": at,
            }
            for each in documents
        ],
    )  # fmt: skip
    refs = {row[0]: row[1] for row in rows}
    session.execute(
        insert_into(DocumentVersion),
        [
            {"document_ref": refs[each.doc_id], "created_at": at} | each.content.values
            for each in documents
        ],
    )
    for piece in split(list(refs.values())):
        _point_to_only_version(session, piece)


def _point_to_only_version(session: Session, refs: Sequence[int]) -> None:
    only = (
        select(DocumentVersion.id)
        .where(DocumentVersion.document_ref == Document.id)
        .scalar_subquery()
    )
    session.execute(
        update(Document).where(Document.id.in_(refs)).values(current_version_id=only),
        execution_options={"synchronize_session": False},
    )


def fill_versions(session: Session, filled: list[tuple[int, NewText]]) -> None:
    """Give versions without a text theirs; whole documents get their length everywhere."""
    if not filled:
        return
    session.execute(
        update(DocumentVersion),
        [{"id": version_id} | content.values for version_id, content in filled],
    )
    ends = [
        {"version": version_id, "length": len(content.text or "")}
        for version_id, content in filled
    ]
    for table in (Hit, Item):
        session.connection().execute(
            update(table)
            .where(table.document_version_id == bindparam("version"), table.whole)
            .values(span_end=bindparam("length")),
            ends,
        )


def change_texts(session: Session, changed: list[tuple[int, NewText]]) -> None:
    """Make texts the current versions of their documents; one seen before is used again."""
    if not changed:
        return
    versions = _versions(session, [ref for ref, _ in changed])
    at = utc_now()
    missing = [
        {"document_ref": ref, "created_at": at} | content.values
        for ref, content in changed
        if (ref, content.sha256) not in versions
    ]
    if missing:
        session.execute(insert_into(DocumentVersion), missing)
        versions = _versions(session, [ref for ref, _ in changed])
    session.execute(
        update(Document),
        [
            {"id": ref, "current_version_id": versions[ref, content.sha256]}
            for ref, content in changed
        ],
    )


def _versions(session: Session, refs: list[int]) -> dict[tuple[int, str], int]:
    rows = session.execute(
        select(DocumentVersion.document_ref, DocumentVersion.sha256, DocumentVersion.id).where(
            DocumentVersion.document_ref.in_(refs)
        )
    )
    return {(ref, sha256): version_id for ref, sha256, version_id in rows}


def update_labels(
    session: Session, updated: list[tuple[int, dict[str, list[str]], str | None]]
) -> None:
    """Store other tags and access of documents."""
    if updated:
        session.execute(
            update(Document),
            [{"id": ref, "tags": tags, "access": access} for ref, tags, access in updated],
        )


def used_refs(session: Session, refs: list[int]) -> set[int]:
    """Return which of these documents a hit or an item refers to, in any version."""
    hit = select(Hit.run_id).where(Hit.document_version_id == DocumentVersion.id).exists()
    item = select(Item.id).where(Item.document_version_id == DocumentVersion.id).exists()
    return set(
        session.scalars(
            select(DocumentVersion.document_ref).where(
                DocumentVersion.document_ref.in_(refs), or_(hit, item)
            )
        )
    )


def longest_ends(session: Session, version_ids: list[int]) -> dict[int, int]:
    """Return how far hits and items reach into these versions, in code points."""
    ends: dict[int, int] = {}
    for table in (Hit, Item):
        rows = session.execute(
            select(table.document_version_id, func.max(table.span_end))
            .where(table.document_version_id.in_(version_ids), ~table.whole)
            .group_by(table.document_version_id)
        )
        for version_id, end in rows:
            ends[version_id] = max(end, ends.get(version_id, 0))
    return ends


def text_of(session: Session, version_id: int) -> tuple[str, str, str | None] | None:
    """Return id, title and text of a version."""
    row = session.execute(
        select(Document.doc_id, DocumentVersion.title, DocumentVersion.text)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(DocumentVersion.id == version_id)
    ).one_or_none()
    return None if row is None else (row[0], row[1], row[2])


def _current_of(project_id: int, *columns: Any) -> Select[Any]:
    """Select current versions that have a text, in the order of their numbers.

    ``+ 0`` keeps the planner off the project's index: it would sort all texts for every
    page, where walking the versions by number needs no sort.
    """
    return (
        select(*columns)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(
            Document.project_id + 0 == project_id,
            Document.current_version_id == DocumentVersion.id,
            DocumentVersion.sha256 != UNKNOWN,
        )
        .order_by(DocumentVersion.id)
    )


def texts_after(
    session: Session, project_id: int, after: int, size: int
) -> list[tuple[int, str, str, str]]:
    """Return the next current texts: (version, id, title, text)."""
    rows = session.execute(
        _current_of(
            project_id,
            DocumentVersion.id,
            Document.doc_id,
            DocumentVersion.title,
            DocumentVersion.text,
        )
        .where(DocumentVersion.id > after)
        .limit(size)
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def renew_stamp(session: Session, project_id: int) -> None:
    """Give the corpus a stamp that none ever had, also not in a copy of the database."""
    session.execute(
        update(Project).where(Project.id == project_id).values(corpus_stamp=token_hex(16))
    )


def stamp_of(session: Session, project_id: int) -> str:
    return session.scalars(select(Project.corpus_stamp).where(Project.id == project_id)).one()
