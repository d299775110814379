"""Desks: projects with questions to grade, as rows, without a pool behind them."""

import secrets
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import Block, GradeEvent, Plan, Project, Query, Slot
from tests.factories import make_document, make_item, make_project, make_query

Passage = str | tuple[str, int, int]
"""A whole text, or a text and the span in it."""


def make_desk(session: Session, *questions: Sequence[Passage], seats: int = 1) -> Project:
    """Return a project whose questions wait, each with these passages in this order."""
    project = make_project(session)
    plan = Plan(project_id=project.id, wave=1, kind="primary", seed=7)
    session.add(plan)
    session.flush()
    for number, passages in enumerate(questions):
        query = make_query(session, project, query_id=f"secret-query-{number}")
        items = [make_passage(session, project, query, passage) for passage in passages]
        for seat in range(1, seats + 1):
            add_block(session, plan, query, items, seat, number)
    return project


def make_passage(session: Session, project: Project, query: Query, passage: Passage) -> int:
    text, at = (passage, None) if isinstance(passage, str) else (passage[0], passage[1:])
    doc_id = f"secret-document-{secrets.token_hex(4)}"
    version = make_document(session, project, text, doc_id=doc_id)
    return make_item(session, query, version, at).id


def add_block(
    session: Session, plan: Plan, query: Query, items: list[int], seat: int, place: int
) -> None:
    block = Block(
        project_id=query.project_id,
        plan_id=plan.id,
        query_ref=query.id,
        seat=seat,
        position=place,
    )
    session.add(block)
    session.flush()
    session.add_all(
        Slot(
            block_id=block.id,
            item_id=item,
            kind="primary",
            token=secrets.token_hex(12),
            position=position,
        )
        for position, item in enumerate(items, start=1)
    )
    session.flush()


def current_values(session: Session) -> list[int | None]:
    """Return the current grades, in the order of the items."""
    return list(
        session.scalars(
            select(GradeEvent.value)
            .where(GradeEvent.current, GradeEvent.withdrawn.is_(False))
            .order_by(GradeEvent.item_id)
        )
    )


def history(session: Session) -> list[int | None]:
    """Return every event's value as it arrived."""
    return list(session.scalars(select(GradeEvent.value).order_by(GradeEvent.id)))
