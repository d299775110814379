"""Corpus: documents and the versions of their text."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now

UNKNOWN = "unknown"
"""The hash of a version whose text nobody has: a run named a document off the corpus."""


class Document(Base, kw_only=True):
    """A document of a project, known by the id its owner gave it."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("project_id", "doc_id"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    doc_id: Mapped[str] = mapped_column(IdText())
    tags: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    """Name to a list of texts."""
    access: Mapped[str | None] = mapped_column(default=None)
    current_version_id: Mapped[int | None] = mapped_column(
        ForeignKey("document_versions.id", use_alter=True), default=None
    )
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class DocumentVersion(Base, kw_only=True):
    """One text of a document, never changed; offsets are code points of ``text``."""

    __tablename__ = "document_versions"
    __table_args__ = (
        UniqueConstraint("document_ref", "sha256"),
        CheckConstraint("(text IS NULL) = (length IS NULL)", name="length_of_text"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    document_ref: Mapped[int] = mapped_column(ForeignKey("documents.id"))
    sha256: Mapped[str]
    """Of title, a line feed and text in UTF-8, or ``UNKNOWN``."""
    title: Mapped[str] = mapped_column(default="")
    text: Mapped[str | None] = mapped_column(default=None)
    length: Mapped[int | None] = mapped_column(default=None)
    """Code points."""
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
