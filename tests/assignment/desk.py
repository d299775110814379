"""Desk: a plan with blocks and slots for tests, and the acts of an SME at it."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.assignment import service
from app.models import Block, GradeEvent, Grader, Item, Plan, Project, Slot
from tests.factories import make_document, make_grader, make_item, make_project, make_query

numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Desk:
    """A project whose plan wants ``seats`` grades of every item."""

    project: Project
    plan: Plan
    items: Sequence[Item]


def make_desk(
    session: Session,
    *,
    queries: int = 1,
    items: int = 2,
    seats: int = 1,
    project: Project | None = None,
) -> Desk:
    project = project or make_project(session)
    plan = Plan(project_id=project.id, wave=1, kind="primary", seed=7)
    session.add(plan)
    session.flush()
    made = [_make_query(session, project, items) for _ in range(queries)]
    places = itertools.count(1)
    for wanted in made:
        for seat in range(1, seats + 1):
            add_block(session, plan, wanted, seat=seat, position=next(places))
    return Desk(project, plan, [item for wanted in made for item in wanted])


def _make_query(session: Session, project: Project, items: int) -> list[Item]:
    query = make_query(session, project)
    return [make_item(session, query, make_document(session, project)) for _ in range(items)]


def add_query(session: Session, desk: Desk, *, position: int) -> Block:
    return add_block(
        session, desk.plan, _make_query(session, desk.project, 1), position=position
    )


def add_block(
    session: Session,
    plan: Plan,
    items: Sequence[Item],
    *,
    seat: int = 1,
    position: int = 1,
    reserved_for: Grader | None = None,
) -> Block:
    block = Block(
        project_id=plan.project_id,
        plan_id=plan.id,
        query_ref=items[0].query_ref,
        seat=seat,
        position=position,
        reserved=reserved_for is not None,
        grader_id=reserved_for.id if reserved_for else None,
    )
    session.add(block)
    session.flush()
    session.add_all(
        Slot(block_id=block.id, item_id=item.id, kind="primary", token=f"t{next(numbers)}")
        for item in items
    )
    session.flush()
    return block


def make_sme(session: Session, desk: Desk, name: str) -> Grader:
    return make_grader(session, desk.project, name)


def next_card(session: Session, grader: Grader, after: str | None = None) -> service.SlotView:
    view = service.next_slot(session, project_id=grader.project_id, grader=grader, after=after)
    assert view is not None
    return view


def has_no_card(session: Session, grader: Grader) -> bool:
    return service.next_slot(session, project_id=grader.project_id, grader=grader) is None


def give(
    session: Session,
    grader: Grader,
    view: service.SlotView,
    value: int,
    *,
    key: str | None = None,
    note: str | None = None,
) -> service.Given:
    return service.give_grade(
        session,
        grader=grader,
        token=view.token,
        value=value,
        key=key or f"k{next(numbers)}",
        note=note,
        seen_hash=view.card_hash,
    )


def events(session: Session, grader: Grader) -> list[GradeEvent]:
    return list(
        session.scalars(
            select(GradeEvent)
            .where(GradeEvent.grader_id == grader.id)
            .order_by(GradeEvent.id)
            .execution_options(populate_existing=True)
        )
    )


def slot_state(session: Session, token: str) -> str:
    return session.scalars(select(Slot.state).where(Slot.token == token)).one()
