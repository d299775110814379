"""Assignment: wanted grades, who holds them, and the grades that came."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, IdText, Moment, utc_now

HELD = text("state = 'held'")
OPEN = text("state = 'open'")

# SQLite uses a partial index only where a query says its condition word for word, and
# PostgreSQL nearly so: these are how ``current.is_(True)`` reads on each of them.
IS_CURRENT = {"postgresql": "current IS true", "sqlite": "current IS 1"}


def _current(name: str, *columns: str, unique: bool = False, also: str = "") -> Index:
    """Return an index of the grades in force."""
    where = {dialect: text(said + also) for dialect, said in IS_CURRENT.items()}
    return Index(
        name,
        *columns,
        unique=unique,
        postgresql_where=where["postgresql"],
        sqlite_where=where["sqlite"],
    )


class Grader(Base, kw_only=True):
    """An SME or a judge; one place for everybody who grades."""

    __tablename__ = "graders"
    __table_args__ = (
        UniqueConstraint("project_id", "kind", "name"),
        UniqueConstraint("project_id", "user_id"),
        CheckConstraint("kind IN ('sme', 'judge')", name="kind"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    kind: Mapped[str]
    name: Mapped[str] = mapped_column(IdText())
    pseudonym: Mapped[str]
    """How the grader appears outside the project, such as ``sme-2``."""
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), default=None)
    judge_id: Mapped[int | None] = mapped_column(ForeignKey("judges.id"), default=None)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Plan(Base, kw_only=True):
    """One wave of wanted grades."""

    __tablename__ = "plans"
    __table_args__ = (
        UniqueConstraint("project_id", "wave"),
        CheckConstraint("kind IN ('validation', 'primary')", name="kind"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    wave: Mapped[int]
    kind: Mapped[str]
    seed: Mapped[int]
    settings: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Block(Base, kw_only=True):
    """The slots of one query that one SME works through; a claim touches this row only."""

    __tablename__ = "blocks"
    __table_args__ = (
        UniqueConstraint("plan_id", "query_ref", "seat"),
        UniqueConstraint("plan_id", "query_ref", "grader_id"),
        CheckConstraint("state IN ('open', 'held', 'done')", name="state"),
        Index(
            "ix_blocks_open",
            "project_id",
            "position",
            "id",
            postgresql_where=OPEN,
            sqlite_where=OPEN,
        ),
        Index(
            "ix_blocks_held",
            "project_id",
            "grader_id",
            unique=True,
            postgresql_where=HELD,
            sqlite_where=HELD,
        ),
        Index(
            "ix_blocks_reserved",
            "project_id",
            "grader_id",
            "position",
            "id",
            postgresql_where=OPEN,
            sqlite_where=OPEN,
        ),
        Index("ix_blocks_lease", "lease_until", postgresql_where=HELD, sqlite_where=HELD),
        Index(None, "grader_id", "state"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    plan_id: Mapped[int] = mapped_column(ForeignKey("plans.id"))
    query_ref: Mapped[int] = mapped_column(ForeignKey("queries.id"), index=True)
    seat: Mapped[int]
    position: Mapped[int]
    state: Mapped[str] = mapped_column(default="open")
    grader_id: Mapped[int | None] = mapped_column(ForeignKey("graders.id"), default=None)
    """Who holds or finished it; for a reserved open block, whom it waits for."""
    reserved: Mapped[bool] = mapped_column(default=False)
    extra: Mapped[bool] = mapped_column(default=False)
    """Opened later, for passages that somebody set aside."""
    lease_until: Mapped[datetime | None] = mapped_column(default=None)
    finished_at: Mapped[datetime | None] = mapped_column(default=None)


class Claim(Base, kw_only=True):
    """That a grader once held a block: what they were shown is theirs to grade, if late."""

    __tablename__ = "claims"

    block_id: Mapped[int] = mapped_column(ForeignKey("blocks.id"), primary_key=True)
    grader_id: Mapped[int] = mapped_column(ForeignKey("graders.id"), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Slot(Base, kw_only=True):
    """One wanted grade of one item."""

    __tablename__ = "slots"
    __table_args__ = (
        UniqueConstraint("block_id", "item_id"),
        CheckConstraint("state IN ('open', 'done', 'skipped', 'cancelled')", name="state"),
        CheckConstraint(
            "kind IN ('primary', 'training', 'repeat', 'adjudication', 'validation')",
            name="kind",
        ),
        Index(None, "block_id", "state", "position"),
        Index(None, "item_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    block_id: Mapped[int] = mapped_column(ForeignKey("blocks.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    kind: Mapped[str]
    token: Mapped[str] = mapped_column(unique=True)
    """Random; the only identifier a grader's page holds."""
    position: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(default="open")
    split: Mapped[str | None] = mapped_column(default=None)
    """dev or test, for the validation sample."""
    stratum: Mapped[str | None] = mapped_column(default=None)
    inclusion: Mapped[float | None] = mapped_column(default=None)
    """The probability with which the item entered the validation sample, (0, 1]."""


class GradeEvent(Base, kw_only=True):
    """A grade, a change of mind or an undo: always a new row that supersedes the last."""

    __tablename__ = "grades"
    __table_args__ = (
        UniqueConstraint("slot_id", "token"),
        UniqueConstraint("supersedes_id"),
        CheckConstraint("value BETWEEN 0 AND 3", name="value"),
        CheckConstraint("(value IS NULL) = withdrawn", name="withdrawn"),
        _current(
            "ix_grades_current_slot",
            "slot_id",
            "grader_id",
            unique=True,
            also=" AND slot_id IS NOT NULL",
        ),
        _current(
            "ix_grades_current_imported",
            "item_id",
            "grader_id",
            unique=True,
            also=" AND slot_id IS NULL",
        ),
        _current("ix_grades_item", "item_id"),
        _current("ix_grades_own", "grader_id", "created_at", also=" AND slot_id IS NOT NULL"),
        Index("ix_grades_grader", "grader_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    slot_id: Mapped[int | None] = mapped_column(ForeignKey("slots.id"))
    slot_kind: Mapped[str]
    """The slot's kind; ``extra`` where the slot wanted no more, without a slot ``imported``
    or ``judge``."""
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    grader_id: Mapped[int] = mapped_column(ForeignKey("graders.id"))
    token: Mapped[str | None] = mapped_column(default=None)
    """Made by the page, so that a double press is one grade."""
    value: Mapped[int | None]
    withdrawn: Mapped[bool] = mapped_column(default=False)
    current: Mapped[bool] = mapped_column(default=True)
    supersedes_id: Mapped[int | None] = mapped_column(ForeignKey("grades.id"), default=None)
    note: Mapped[str | None] = mapped_column(default=None)
    reason: Mapped[str | None] = mapped_column(default=None)
    """What a judge gave as its reason."""
    context_opened: Mapped[bool] = mapped_column(default=False)
    guideline_id: Mapped[int | None] = mapped_column(ForeignKey("guidelines.id"), default=None)
    query_version_id: Mapped[int] = mapped_column(ForeignKey("query_versions.id"))
    document_version_id: Mapped[int] = mapped_column(ForeignKey("document_versions.id"))
    card_hash: Mapped[str | None] = mapped_column(default=None)
    """None for an imported grade: nobody knows what its grader saw."""
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)


class Skip(Base, kw_only=True):
    """A slot that an SME set aside, and why."""

    __tablename__ = "skips"
    __table_args__ = (UniqueConstraint("slot_id", "grader_id"), Index(None, "grader_id", "id"))

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    slot_id: Mapped[int] = mapped_column(ForeignKey("slots.id"))
    grader_id: Mapped[int] = mapped_column(ForeignKey("graders.id"))
    reason: Mapped[str]
    reopened: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(Moment(), default_factory=utc_now)
