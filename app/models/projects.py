"""Projects: the frame of one ground truth, who belongs to it, what happened in it."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now


class Project(Base, kw_only=True):
    """One corpus, its queries, and the labels that are made for them."""

    __tablename__ = "projects"
    __table_args__ = (CheckConstraint("cut BETWEEN 1 AND 3", name="cut"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    slug: Mapped[str] = mapped_column(IdText(), unique=True)
    name: Mapped[str]
    cut: Mapped[int] = mapped_column(default=1)
    """Binary relevance is ``grade >= cut``."""
    cut_fixed_at: Mapped[datetime | None] = mapped_column(default=None)
    """When somebody first looked at a test split; the cut stays from then on."""
    context_chars: Mapped[int] = mapped_column(default=600)
    embed_url: Mapped[str | None] = mapped_column(default=None)
    """OpenAI-compatible embeddings endpoint of the dense retriever; LSA without one."""
    embed_model: Mapped[str | None] = mapped_column(default=None)
    embed_key_name: Mapped[str | None] = mapped_column(default=None)
    """The name of the secret, never the secret."""
    corpus_stamp: Mapped[str] = mapped_column(default="")
    """Another one, never seen before, whenever the text of a document changes."""
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Membership(Base, kw_only=True):
    """One role of one person in one project."""

    __tablename__ = "memberships"
    __table_args__ = (
        CheckConstraint("role IN ('admin', 'adjudicator', 'sme', 'viewer')", name="role"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Guideline(Base, kw_only=True):
    """One version of what graders are told."""

    __tablename__ = "guidelines"
    __table_args__ = (UniqueConstraint("project_id", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    version: Mapped[int]
    text: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class AuditEvent(Base, kw_only=True):
    """Something a person or a command did to a project."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "project_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    verb: Mapped[str]
    what: Mapped[str]
    at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Import(Base, kw_only=True):
    """A file that was taken in; the same bytes for the same purpose are taken once."""

    __tablename__ = "imports"
    __table_args__ = (UniqueConstraint("project_id", "kind", "name", "sha256"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    kind: Mapped[str]
    """corpus, queries, run, qrels or grades."""
    name: Mapped[str] = mapped_column(IdText())
    """What the rows were stored under (a run's or grader's name), else empty."""
    sha256: Mapped[str]
    """Of the file's bytes and of the options that change what is stored."""
    file_name: Mapped[str]
    rows: Mapped[int]
    skipped: Mapped[int] = mapped_column(default=0)
    report: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), default=None)
    at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
