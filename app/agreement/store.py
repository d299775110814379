"""Store of agreement: current grades item by item, judges, and the looks at them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Integer, Select, and_, exists, func, or_, select, type_coerce
from sqlalchemy.orm import Session

from app.models import (
    Block,
    Document,
    DocumentVersion,
    GateReport,
    GradeEvent,
    Grader,
    Item,
    Judge,
    Plan,
    Query,
    QueryVersion,
    Slot,
)

BATCH = 5_000
NO_LABELS = ("training", "repeat")
"""Slots whose grades teach or check a grader, and are no label of the item."""


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One current grade; ``outdated`` if the item's text or the query's wording is no more."""

    item_id: int
    query_ref: int
    grader_id: int
    kind: str
    slot_kind: str
    value: int
    outdated: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """An item in words: the query, the document and the beginning of the span."""

    item_id: int
    query_id: str
    query: str
    doc_id: str
    title: str
    snippet: str


def iterate_grades(
    session: Session, project_id: int, *, judge_id: int | None = None, split: str | None = None
) -> Iterator[GradeRow]:
    """Yield the current grades by item, grader and age, from one statement: one moment.

    With ``judge_id`` of no other judge; with ``split`` of that part of the validation
    sample only.
    """
    wanted = _select_grades(project_id)
    if judge_id is not None:
        wanted = wanted.where(or_(Grader.kind == "sme", Grader.judge_id == judge_id))
    if split is not None:
        wanted = wanted.where(GradeEvent.item_id.in_(_select_sample(project_id, split)))
    rows = session.execute(wanted, execution_options={"yield_per": BATCH})
    return (GradeRow(*row) for row in rows)


def _select_grades(project_id: int) -> Select[int, int, int, str, str, int, bool]:
    outdated = or_(
        Item.document_version_id != Document.current_version_id,
        GradeEvent.query_version_id != Query.current_version_id,
    )
    return (
        select(
            GradeEvent.item_id,
            Item.query_ref,
            GradeEvent.grader_id,
            Grader.kind,
            GradeEvent.slot_kind,
            type_coerce(GradeEvent.value, Integer),
            outdated,
        )
        .join(Item, Item.id == GradeEvent.item_id)
        .join(Grader, Grader.id == GradeEvent.grader_id)
        .join(Query, Query.id == Item.query_ref)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(
            Item.project_id == project_id,
            GradeEvent.current.is_(True),
            GradeEvent.value.is_not(None),
            GradeEvent.slot_kind.not_in(NO_LABELS),
        )
        .order_by(GradeEvent.item_id, GradeEvent.grader_id, GradeEvent.id)
    )


def _select_sample(project_id: int, split: str) -> Select[int]:
    return (
        select(Slot.item_id)
        .join(Block, Block.id == Slot.block_id)
        .where(Block.project_id == project_id, Slot.kind == "validation", Slot.split == split)
    )


def has_sample(session: Session, project_id: int) -> bool:
    """Tell whether a validation sample was ever planned."""
    planned = exists().where(Plan.project_id == project_id, Plan.kind == "validation")
    return bool(session.scalar(select(planned)))


def has_split(session: Session, project_id: int, split: str) -> bool:
    """Tell whether the validation sample has items of a split."""
    return bool(session.scalar(select(_select_sample(project_id, split).exists())))


def judges_of(session: Session, project_id: int) -> list[Judge]:
    """Return the judges, the newest first."""
    return list(
        session.scalars(
            select(Judge).where(Judge.project_id == project_id).order_by(Judge.id.desc())
        )
    )


def judge_by_name(session: Session, project_id: int, name: str) -> Judge | None:
    return session.scalars(
        select(Judge).where(Judge.project_id == project_id, Judge.name == name)
    ).one_or_none()


def graders_of(session: Session, project_id: int) -> dict[int, Grader]:
    return {
        grader.id: grader
        for grader in session.scalars(select(Grader).where(Grader.project_id == project_id))
    }


def newest_report(session: Session, judge_id: int, splits: Sequence[str]) -> GateReport | None:
    return session.scalars(
        select(GateReport)
        .where(GateReport.judge_id == judge_id, GateReport.split.in_(splits))
        .order_by(GateReport.id.desc())
        .limit(1)
    ).one_or_none()


def count_looks(session: Session, judge_id: int, split: str, *, until: int) -> int:
    """Count the looks at different labels, up to and with one report."""
    return session.execute(
        select(func.count(func.distinct(GateReport.labels_hash))).where(
            GateReport.judge_id == judge_id, GateReport.split == split, GateReport.id <= until
        )
    ).scalar_one()


def passages(
    session: Session, item_ids: Sequence[int], *, characters: int
) -> dict[int, Passage]:
    """Return items in words, each with the first characters of its span."""
    snippet = func.substr(DocumentVersion.text, Item.span_start + 1, characters)
    rows = session.execute(
        select(
            Item.id,
            Query.query_id,
            QueryVersion.text,
            Document.doc_id,
            DocumentVersion.title,
            func.coalesce(snippet, ""),
        )
        .join(Query, Query.id == Item.query_ref)
        .join(QueryVersion, QueryVersion.id == Query.current_version_id)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
        .where(Item.id.in_(item_ids))
    )
    return {row[0]: Passage(*row) for row in rows}


def reasons_of(
    session: Session, judge_id: int, item_ids: Sequence[int]
) -> dict[int, str | None]:
    """Return what the judge gave as its reason, by item."""
    rows = session.execute(
        select(GradeEvent.item_id, GradeEvent.reason)
        .join(Grader, and_(Grader.id == GradeEvent.grader_id, Grader.judge_id == judge_id))
        .where(GradeEvent.item_id.in_(item_ids), GradeEvent.current.is_(True))
    )
    return {row[0]: row[1] for row in rows}
