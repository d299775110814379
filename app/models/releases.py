"""Releases: frozen, numbered sets of labels."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Moment, utc_now


class Release(Base, kw_only=True):
    """A frozen set of labels and its manifest."""

    __tablename__ = "releases"
    __table_args__ = (UniqueConstraint("project_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    number: Mapped[int]
    note: Mapped[str] = mapped_column(default="")
    manifest: Mapped[dict[str, Any]]
    sha256: Mapped[str]
    """Of the labels in export order."""
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), default=None)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class ReleaseLabel(Base, kw_only=True):
    """One label of a release, with the kind of its source."""

    __tablename__ = "release_labels"
    __table_args__ = (
        CheckConstraint("value BETWEEN 0 AND 3", name="value"),
        CheckConstraint("source IN ('adjudicated', 'consensus', 'judge')", name="source"),
    )

    release_id: Mapped[int] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), primary_key=True, index=True)
    value: Mapped[int]
    source: Mapped[str]
    grader_id: Mapped[int | None] = mapped_column(ForeignKey("graders.id"), default=None)
    """The judge whose label it is; None for people, of whom there may be several."""


class ReleaseQuery(Base, kw_only=True):
    """A query of the frozen set, in the wording that was graded, with its tags and place."""

    __tablename__ = "release_queries"

    release_id: Mapped[int] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    query_ref: Mapped[int] = mapped_column(ForeignKey("queries.id"), primary_key=True)
    query_version_id: Mapped[int] = mapped_column(ForeignKey("query_versions.id"))
    answerable: Mapped[bool | None]
    tags: Mapped[dict[str, Any]]
    position: Mapped[int]
    """Exports follow it, so that a later import cannot change their order."""
