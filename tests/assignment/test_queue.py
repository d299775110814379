from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.assignment import service
from app.db import now
from app.errors import NotFound
from app.models import Block, Grader
from tests.assignment.desk import (
    add_block,
    add_query,
    give,
    has_no_card,
    make_desk,
    make_sme,
    next_card,
    slot_state,
)


def expire(session: Session, grader: Grader) -> None:
    block = session.scalars(select(Block).where(Block.grader_id == grader.id)).one()
    block.lease_until = now(session) - timedelta(minutes=1)
    session.flush()


def test_an_sme_keeps_their_block_until_it_is_finished(session: Session) -> None:
    desk = make_desk(session, queries=2, items=2)
    ada = make_sme(session, desk, "ada")

    first = next_card(session, ada)
    again = next_card(session, ada)
    give(session, ada, first, 1)
    second = next_card(session, ada)

    assert first.token == again.token
    assert (first.place, first.total, second.place) == (1, 2, 2)
    assert second.query_text == first.query_text


def test_the_next_block_comes_when_one_is_finished_and_then_nothing(session: Session) -> None:
    desk = make_desk(session, queries=2, items=1)
    ada = make_sme(session, desk, "ada")

    first = next_card(session, ada)
    assert give(session, ada, first, 3).block_done
    second = next_card(session, ada)
    give(session, ada, second, 0)

    assert second.token != first.token
    assert has_no_card(session, ada)


def test_the_card_behind_one_can_be_asked_for_before_it_is_graded(session: Session) -> None:
    desk = make_desk(session, queries=2, items=2)
    ada = make_sme(session, desk, "ada")

    first = next_card(session, ada)
    second = next_card(session, ada, after=first.token)

    assert second.place == 2
    assert next_card(session, ada, after=second.token).token == first.token
    give(session, ada, first, 1)
    assert (
        service.next_slot(session, project_id=ada.project_id, grader=ada, after=second.token)
        is None
    )


def test_a_second_sme_gets_the_second_seat_and_a_third_nothing(session: Session) -> None:
    """V-032."""
    desk = make_desk(session, items=2, seats=2)
    ada, bob, eve = (make_sme(session, desk, name) for name in ("ada", "bob", "eve"))

    for _ in range(2):
        give(session, ada, next_card(session, ada), 2)

    assert has_no_card(session, ada)
    assert next_card(session, bob).total == 2
    assert has_no_card(session, eve)


def test_a_block_that_waits_for_one_sme_is_not_given_to_another(session: Session) -> None:
    desk = make_desk(session, queries=1, items=1)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    add_block(session, desk.plan, desk.items, seat=2, position=0, reserved_for=bob)

    assert next_card(session, ada).total == 1
    assert next_card(session, bob).token != next_card(session, ada).token
    assert has_no_card(session, make_sme(session, desk, "eve"))


def test_a_block_nobody_touched_for_a_day_goes_to_another_sme_with_its_grades(
    session: Session,
) -> None:
    desk = make_desk(session, items=3)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    give(session, ada, next_card(session, ada), 2)
    expire(session, ada)

    seen = {next_card(session, bob).token}
    while not has_no_card(session, bob):
        view = next_card(session, bob)
        seen.add(view.token)
        give(session, bob, view, 1)

    assert len(seen) == 2


def test_an_unfinished_block_that_went_back_comes_first(session: Session) -> None:
    desk = make_desk(session, queries=1, items=2)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    mine = next_card(session, ada)
    give(session, ada, mine, 2)
    add_query(session, desk, position=0)
    expire(session, ada)
    next_card(session, bob)  # takes the one at the head, and returns what has expired

    assert next_card(session, ada).total == 2


def test_a_card_never_handed_to_an_sme_is_not_theirs(session: Session) -> None:
    desk = make_desk(session)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    token = next_card(session, ada).token

    with pytest.raises(NotFound):
        service.slot_view(session, grader=bob, token=token)
    with pytest.raises(NotFound):
        service.slot_view(session, grader=bob, token="guessed")
    assert slot_state(session, token) == "open"
