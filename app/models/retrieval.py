"""Retrieval: what retrievers returned."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now


class Run(Base, kw_only=True):
    """What one retriever returned for a set of queries."""

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("project_id", "name"),
        CheckConstraint(
            "state IN ('planned', 'running', 'done', 'failed', 'cancelled')", name="state"
        ),
        CheckConstraint("order_rule IN ('score', 'rank')", name="order_rule"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(IdText())
    retriever: Mapped[str | None]
    """``bm25@chars:400:100`` for a built-in one, None for an imported file."""
    chunking: Mapped[str | None] = mapped_column(default=None)
    corpus_fingerprint: Mapped[str | None] = mapped_column(default=None)
    query_fingerprint: Mapped[str | None] = mapped_column(default=None)
    depth: Mapped[int]
    order_rule: Mapped[str] = mapped_column(default="score")
    pipeline: Mapped[str | None] = mapped_column(default=None)
    stage: Mapped[str | None] = mapped_column(default=None)
    state: Mapped[str] = mapped_column(default="done")
    error: Mapped[str | None] = mapped_column(default=None)
    queries_total: Mapped[int] = mapped_column(default=0)
    queries_done: Mapped[int] = mapped_column(default=0)
    hits_total: Mapped[int] = mapped_column(default=0)
    report: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
    finished_at: Mapped[datetime | None] = mapped_column(default=None)


class RunQuery(Base, kw_only=True):
    """That a run has answered a query, with what it took; the answer may be no hits."""

    __tablename__ = "run_queries"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    query_ref: Mapped[int] = mapped_column(ForeignKey("queries.id"), primary_key=True)
    hits: Mapped[int]
    milliseconds: Mapped[float | None] = mapped_column(default=None)
    cost: Mapped[float | None] = mapped_column(default=None)


class Hit(Base, kw_only=True):
    """One line of a run, at its place in the run's declared order."""

    __tablename__ = "hits"
    __table_args__ = (Index(None, "document_version_id"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    query_ref: Mapped[int] = mapped_column(ForeignKey("queries.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    """1 is best."""
    document_version_id: Mapped[int] = mapped_column(ForeignKey("document_versions.id"))
    whole: Mapped[bool]
    span_start: Mapped[int]
    span_end: Mapped[int]
    """Exclusive; 0 for a whole document of unknown length."""
    score: Mapped[float | None]
