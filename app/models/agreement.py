"""Agreement: what was measured about a judge, and every look at a test split."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Moment, utc_now


class GateReport(Base, kw_only=True):
    """One look at a judge: figures, answer, all reasons."""

    __tablename__ = "gate_reports"
    __table_args__ = (
        CheckConstraint("split IN ('dev', 'test', 'all')", name="split"),
        Index(None, "judge_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    judge_id: Mapped[int] = mapped_column(ForeignKey("judges.id"))
    split: Mapped[str]
    cut: Mapped[int]
    labels_hash: Mapped[str]
    """Of the pairs looked at: the same labels again are the same look."""
    figures: Mapped[dict[str, Any]]
    answer: Mapped[str]
    """trusted, not trusted, not enough labels."""
    reasons: Mapped[list[str]]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), default=None)
    at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
