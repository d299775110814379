"""Store of the corpus' pages: counts, the list of documents, one of them."""

from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from app.corpus.store import current_versions
from app.models import Document, DocumentVersion


def count_documents(session: Session, project_id: int) -> tuple[int, int, int]:
    """Return documents with a text, documents without one, characters."""
    row = session.execute(
        current_versions(
            func.count(DocumentVersion.length),
            func.count(),
            func.coalesce(func.sum(DocumentVersion.length), 0),
        ).where(Document.project_id == project_id)
    ).one()
    return row[0], row[1] - row[0], row[2]


def count_access(session: Session, project_id: int) -> list[tuple[str, int]]:
    """Return the access labels, each with its number of documents."""
    rows = session.execute(
        select(Document.access, func.count())
        .where(Document.project_id == project_id, Document.access.is_not(None))
        .group_by(Document.access)
        .order_by(Document.access)
    )
    return [(str(access), count) for access, count in rows]


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the list of documents."""

    doc_id: str
    title: str
    length: int | None
    tags: dict[str, list[str]]
    access: str | None


def list_documents(
    session: Session, project_id: int, *, after: str, search: str, limit: int
) -> list[Listed]:
    """Return documents by id from ``after`` on, whose id or title holds ``search``."""
    wanted = current_versions(
        Document.doc_id,
        DocumentVersion.title,
        DocumentVersion.length,
        Document.tags,
        Document.access,
    ).where(Document.project_id == project_id, Document.doc_id > after)
    if search:
        wanted = wanted.where(
            or_(
                Document.doc_id.icontains(search, autoescape=True),
                DocumentVersion.title.icontains(search, autoescape=True),
            )
        )
    rows = session.execute(wanted.order_by(Document.doc_id).limit(limit))
    return [Listed(*row) for row in rows]


def document_by_id(session: Session, project_id: int, doc_id: str) -> Document | None:
    return session.scalars(
        select(Document).where(Document.project_id == project_id, Document.doc_id == doc_id)
    ).one_or_none()


def versions_of(session: Session, ref: int) -> list[DocumentVersion]:
    """Return the versions of a document, newest first."""
    return list(
        session.scalars(
            select(DocumentVersion)
            .where(DocumentVersion.document_ref == ref)
            .order_by(DocumentVersion.id.desc())
        )
    )
