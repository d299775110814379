"""Evaluation: what runs score against a release."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Moment, utc_now


class Evaluation(Base, kw_only=True):
    """One run scored with one release."""

    __tablename__ = "evaluations"
    __table_args__ = (UniqueConstraint("release_id", "run_id", "cut", "unit"),)

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    release_id: Mapped[int] = mapped_column(ForeignKey("releases.id"))
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), index=True)
    cut: Mapped[int]
    unit: Mapped[str]
    """span, chunk or document."""
    summary: Mapped[dict[str, Any]]
    """Means and intervals by metric, queries counted apart, labels at each depth."""
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Score(Base, kw_only=True):
    """The value of one metric for one query; None is undefined."""

    __tablename__ = "scores"

    evaluation_id: Mapped[int] = mapped_column(ForeignKey("evaluations.id"), primary_key=True)
    metric: Mapped[str] = mapped_column(primary_key=True)
    query_ref: Mapped[int] = mapped_column(
        ForeignKey("queries.id"), primary_key=True, index=True
    )
    value: Mapped[float | None]
