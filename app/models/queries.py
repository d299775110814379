"""Queries: what searchers ask, in versions."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now


class Query(Base, kw_only=True):
    """A query of a project, known by the id its owner gave it."""

    __tablename__ = "queries"
    __table_args__ = (
        UniqueConstraint("project_id", "query_id"),
        Index(None, "project_id", "position", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    query_id: Mapped[str] = mapped_column(IdText())
    tags: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    answerable: Mapped[bool | None] = mapped_column(default=None)
    """None: nobody said. False only where a person or a tag says so."""
    position: Mapped[int]
    """The order of import."""
    current_version_id: Mapped[int | None] = mapped_column(
        ForeignKey("query_versions.id", use_alter=True), default=None
    )
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class QueryVersion(Base, kw_only=True):
    """One wording of a query and its need, never changed."""

    __tablename__ = "query_versions"
    __table_args__ = (UniqueConstraint("query_ref", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    query_ref: Mapped[int] = mapped_column(ForeignKey("queries.id"))
    version: Mapped[int]
    text: Mapped[str]
    need: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
