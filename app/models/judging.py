"""Judging: judges, their batches, and every call that was made."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now

ALIVE = text("state IN ('planned', 'running', 'paused')")
UNKNOWN_OUTCOME = text("outcome IS NULL")


class Judge(Base, kw_only=True):
    """One immutable version of endpoint, model, parameters and prompt, or a file of labels."""

    __tablename__ = "judges"
    __table_args__ = (
        UniqueConstraint("project_id", "identity_hash"),
        UniqueConstraint("project_id", "name"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(IdText())
    identity_hash: Mapped[str]
    endpoint: Mapped[str | None]
    """None where the labels were imported."""
    model: Mapped[str | None]
    parameters: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    prompt: Mapped[str | None] = mapped_column(default=None)
    key_name: Mapped[str | None] = mapped_column(default=None)
    """The name of the secret, never the secret; bound to the endpoint."""
    access: Mapped[list[str]] = mapped_column(default_factory=list)
    """Labels of restricted documents that the endpoint may receive; others go to no judge."""
    own_cut: Mapped[int | None] = mapped_column(default=None)
    """The judge's grade from which it counts as relevant; None is the project's cut."""
    guideline_id: Mapped[int | None] = mapped_column(ForeignKey("guidelines.id"), default=None)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Batch(Base, kw_only=True):
    """One launch of a judge over items."""

    __tablename__ = "batches"
    __table_args__ = (
        CheckConstraint(
            "state IN ('planned', 'running', 'paused', 'cancelled', 'stopped', 'finished')",
            name="state",
        ),
        Index(None, "project_id", "id"),
        Index("ix_batches_alive", "state", postgresql_where=ALIVE, sqlite_where=ALIVE),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    judge_id: Mapped[int] = mapped_column(ForeignKey("judges.id"), index=True)
    scope: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(default="planned")
    why: Mapped[str | None] = mapped_column(default=None)
    """Why it stopped or waits, in words."""
    paused_until: Mapped[datetime | None] = mapped_column(default=None)
    pairs: Mapped[int]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), default=None)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
    started_at: Mapped[datetime | None] = mapped_column(default=None)
    finished_at: Mapped[datetime | None] = mapped_column(default=None)


class BatchChunk(Base, kw_only=True):
    """The pairs of a batch that one workflow works through."""

    __tablename__ = "batch_chunks"

    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    attempt: Mapped[int] = mapped_column(default=1)
    """Raised when the chunk is sent off again, so that its workflow id is new."""
    state: Mapped[str] = mapped_column(default="planned")
    """planned, done."""


class BatchPair(Base, kw_only=True):
    """One item of a batch; open until it has a verdict or has failed for good."""

    __tablename__ = "batch_pairs"
    __table_args__ = (
        Index(None, "batch_id", "chunk", "state"),
        Index(None, "batch_id", "state"),
        CheckConstraint("state IN ('open', 'done', 'failed')", name="state"),
    )

    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"), primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), primary_key=True, index=True)
    chunk: Mapped[int]
    state: Mapped[str] = mapped_column(default="open")
    reason: Mapped[str | None] = mapped_column(default=None)
    """Why it failed: timeout, malformed, truncated, off scale, refused ..."""
    grade_id: Mapped[int | None] = mapped_column(ForeignKey("grades.id"), default=None)


class Attempt(Base, kw_only=True):
    """One call to a judge, written before it is sent."""

    __tablename__ = "attempts"
    __table_args__ = (
        Index(None, "batch_id", "id"),
        Index(
            "ix_attempts_unknown",
            "batch_id",
            "item_id",
            postgresql_where=UNKNOWN_OUTCOME,
            sqlite_where=UNKNOWN_OUTCOME,
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    started_at: Mapped[datetime]
    outcome: Mapped[str | None] = mapped_column(default=None)
    """verdict, or the kind of failure; None: unknown, the process died while it was in
    flight."""
    reason: Mapped[str | None] = mapped_column(default=None)
    """Of a failure, in words; never text of a passage."""
    milliseconds: Mapped[float | None] = mapped_column(default=None)
    tokens_in: Mapped[int | None] = mapped_column(default=None)
    tokens_out: Mapped[int | None] = mapped_column(default=None)
    tokens_cached: Mapped[int | None] = mapped_column(default=None)
    model: Mapped[str | None] = mapped_column(default=None)
    """As the server named it."""
    answer: Mapped[str | None] = mapped_column(default=None)
    suspicious: Mapped[bool] = mapped_column(default=False)
    """The card holds text that seems to dictate a grade."""
