"""Pooling: the items to grade and which runs brought them."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now


class Item(Base, kw_only=True):
    """A query and a span of one document version: the thing graded."""

    __tablename__ = "items"
    __table_args__ = (
        UniqueConstraint(
            "query_ref",
            "document_version_id",
            "whole",
            "span_start",
            "span_end",
            name="uq_items_identity",
        ),
        CheckConstraint("0 <= span_start AND (whole OR span_start < span_end)", name="span"),
        Index(None, "project_id"),
        Index(None, "document_version_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    query_ref: Mapped[int] = mapped_column(ForeignKey("queries.id"))
    document_version_id: Mapped[int] = mapped_column(ForeignKey("document_versions.id"))
    whole: Mapped[bool]
    span_start: Mapped[int]
    span_end: Mapped[int]
    """Exclusive; 0 for a whole document of unknown length."""
    kind: Mapped[str] = mapped_column(default="relevance")
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Pool(Base, kw_only=True):
    """The union of the runs' top k; extended, never rebuilt."""

    __tablename__ = "pools"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(IdText(), default="main")
    depth: Mapped[int]
    statistics: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    """Counted when the pool was built or extended, so that pages need not scan it."""
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
    extended_at: Mapped[datetime | None] = mapped_column(default=None)


class PoolRun(Base, kw_only=True):
    """A run that was pooled, and how deep."""

    __tablename__ = "pool_runs"

    pool_id: Mapped[int] = mapped_column(ForeignKey("pools.id"), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    depth: Mapped[int]
    round: Mapped[int]
    """1 for the build, then one more for each extension."""


class PoolItem(Base, kw_only=True):
    """An item of a pool; the evidence that retrieval gives for it."""

    __tablename__ = "pool_items"

    pool_id: Mapped[int] = mapped_column(ForeignKey("pools.id"), primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), primary_key=True, index=True)
    gradable: Mapped[bool]
    """Whether its text is known; others are counted, never queued."""
    best_rank: Mapped[int]
    run_count: Mapped[int]
    round: Mapped[int]


class Member(Base, kw_only=True):
    """A hit that an item stands for."""

    __tablename__ = "members"

    pool_id: Mapped[int] = mapped_column(ForeignKey("pools.id"), primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), primary_key=True, index=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    score: Mapped[float | None]
    span_start: Mapped[int]
    span_end: Mapped[int]
