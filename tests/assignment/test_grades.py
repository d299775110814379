from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.assignment import service
from app.db import now
from app.domain.cards import card_hash
from app.errors import Conflict, Invalid, NotFound
from app.models import Block, Grader, Skip
from tests.assignment.desk import (
    events,
    give,
    has_no_card,
    make_desk,
    make_sme,
    next_card,
    slot_state,
)


def lose_lease(session: Session, grader: Grader) -> None:
    block = session.scalars(select(Block).where(Block.grader_id == grader.id)).one()
    block.lease_until = now(session) - timedelta(minutes=1)
    session.flush()


def test_a_grade_knows_what_was_seen(session: Session) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    given = give(session, ada, view, 2, note="see §4")

    (event,) = events(session, ada)
    assert (given.grade, given.kept, event.value, event.note) == (2, "slot", 2, "see §4")
    assert event.card_hash == view.card_hash == card_hash(view.card)
    assert event.guideline_id is not None
    assert event.slot_kind == "primary"


def test_a_change_of_mind_is_a_new_event_that_supersedes(session: Session) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    give(session, ada, view, 1, note="why")
    changed = give(session, ada, view, 3)

    first, second = events(session, ada)
    assert (first.current, second.current, second.supersedes_id) == (False, True, first.id)
    assert (changed.grade, changed.note) == (3, "why")
    assert service.slot_view(session, grader=ada, token=view.token).grade == 3


def test_the_same_press_twice_is_one_grade(session: Session) -> None:
    """V-034 (a)."""
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    give(session, ada, view, 2, key="once")
    again = give(session, ada, view, 2, key="once")

    assert again.repeated
    assert len(events(session, ada)) == 1
    assert next_card(session, ada).grade is None


def test_another_grade_from_the_same_form_is_a_change_of_mind(session: Session) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    give(session, ada, view, 1, key="form")
    give(session, ada, view, 3, key="form")
    give(session, ada, view, 3, key="form")

    assert [event.value for event in events(session, ada)] == [1, 3]


def test_an_earlier_press_that_arrives_late_does_not_win(session: Session) -> None:
    """V-035: grade 1 was pressed first and is delayed; grade 3 arrives before it."""
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    give(session, ada, view, 3, key="page.2")
    late = give(session, ada, view, 1, key="page.1")

    assert late.grade == 3
    assert service.slot_view(session, grader=ada, token=view.token).grade == 3
    assert [
        event.value for event in service.history(session, grader=ada, token=view.token)
    ] == [
        1,
        3,
    ]


@pytest.mark.parametrize("value", [-1, 4, 7])
def test_a_grade_off_the_scale_is_refused(session: Session, value: int) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    with pytest.raises(Invalid, match="0, 1, 2 or 3"):
        give(session, ada, view, value)
    assert events(session, ada) == []


def test_a_card_that_changed_since_it_was_opened_is_not_graded(session: Session) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)

    with pytest.raises(Conflict, match="read it again"):
        service.give_grade(
            session, grader=ada, token=view.token, value=1, key="k", seen_hash="of before"
        )


def test_nobody_grades_a_card_that_was_handed_to_another(session: Session) -> None:
    desk = make_desk(session)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    view = next_card(session, ada)

    with pytest.raises(NotFound):
        give(session, bob, view, 1)


def test_no_view_tells_what_others_said(session: Session) -> None:
    """V-033: the second SME sees a card as if nobody had ever graded it."""
    desk = make_desk(session, items=1, seats=2)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    judge = service.add_grader(session, desk.project.id, kind="judge", name="strict")
    card = service.card_of(session, desk.items[0].id)
    service.write_judge_grades(
        session,
        grader=judge,
        rows=[
            service.JudgeGrade(
                card.item_id,
                2,
                "the judge's reason",
                card.card_hash,
                card.query_version_id,
                card.document_version_id,
            )
        ],
    )
    give(session, ada, next_card(session, ada), 3, note="ada's note")

    view = next_card(session, bob)

    assert (view.grade, view.note, view.state) == (None, None, "open")
    assert "reason" not in repr(view)
    assert "ada" not in repr(view)
    assert service.my_progress(session, bob).today == 0


def test_a_late_grade_fills_the_slot_that_still_wants_one(session: Session) -> None:
    desk = make_desk(session)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    view = next_card(session, ada)
    lose_lease(session, ada)
    next_card(session, bob)

    late = give(session, ada, view, 2)

    assert late.kept == "slot"
    assert next_card(session, bob).token != view.token


def test_a_late_grade_on_a_slot_that_has_one_is_kept_as_an_extra(session: Session) -> None:
    desk = make_desk(session, items=1)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")
    view = next_card(session, ada)
    lose_lease(session, ada)
    give(session, bob, next_card(session, bob), 1)

    late = give(session, ada, view, 2)

    assert (late.kept, late.grade) == ("extra", 2)
    found = list(service.current_grades(session, desk.project.id, kind="sme"))
    assert sorted((row.slot_kind, row.value) for row in found) == [("extra", 2), ("primary", 1)]
    assert service.progress(session, desk.project.id).extra == 1


def test_two_seats_are_never_filled_by_one_sme_even_late(session: Session) -> None:
    desk = make_desk(session, items=1, seats=2)
    ada, bob, eve = (make_sme(session, desk, name) for name in ("ada", "bob", "eve"))
    first = next_card(session, ada)
    lose_lease(session, ada)
    next_card(session, bob)  # the first seat, returned
    second = next_card(session, ada)  # the second seat

    give(session, ada, second, 3)
    late = give(session, ada, first, 3)

    assert second.token != first.token
    assert late.kept == "extra"
    assert slot_state(session, first.token) == "open"
    assert has_no_card(session, eve)


def test_undo_opens_the_last_card_again(session: Session) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    first = next_card(session, ada)
    give(session, ada, first, 2)

    assert service.withdraw(session, grader=ada, key="u1") == first.token
    assert service.withdraw(session, grader=ada, key="u1") == first.token

    grade, undo = events(session, ada)
    assert (undo.value, undo.withdrawn, undo.supersedes_id) == (None, True, grade.id)
    assert next_card(session, ada).token == first.token
    assert list(service.current_grades(session, desk.project.id)) == []
    assert service.withdraw(session, grader=ada, key="u2") is None


def test_undo_reaches_back_into_the_block_just_finished(session: Session) -> None:
    desk = make_desk(session, queries=2, items=1)
    ada = make_sme(session, desk, "ada")
    first = next_card(session, ada)
    give(session, ada, first, 2)
    second = next_card(session, ada)

    assert service.withdraw(session, grader=ada, key="u") == first.token
    assert next_card(session, ada).token == first.token
    give(session, ada, first, 0)
    assert next_card(session, ada).token == second.token


def test_a_skipped_card_goes_to_another_sme_and_then_to_the_admin(session: Session) -> None:
    """V-042: a skip is no grade, and nothing that counts as one."""
    desk = make_desk(session, items=1)
    ada, bob, eve = (make_sme(session, desk, name) for name in ("ada", "bob", "eve"))
    view = next_card(session, ada)

    service.skip(session, grader=ada, token=view.token, reason="not my field", key="s")
    service.skip(session, grader=ada, token=view.token, reason="not my field", key="s")

    assert has_no_card(session, ada)
    again = next_card(session, bob)
    assert again.token != view.token
    service.skip(session, grader=bob, token=again.token, reason="unclear", key="s")
    assert has_no_card(session, eve)
    counted = service.progress(session, desk.project.id)
    assert (counted.wanted, counted.graded, counted.skipped, counted.open) == (1, 0, 1, 0)
    assert list(service.current_grades(session, desk.project.id)) == []


def test_undo_takes_back_a_skip(session: Session) -> None:
    desk = make_desk(session, items=2)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)
    service.skip(session, grader=ada, token=view.token, reason="later", key="s")

    assert service.withdraw(session, grader=ada, key="u") == view.token
    assert session.scalars(select(Skip)).all() == []
    assert next_card(session, ada).token == view.token
    counted = service.progress(session, desk.project.id)
    assert (counted.wanted, counted.open, counted.skipped) == (2, 2, 0)


def test_the_admin_opens_what_two_smes_set_aside(session: Session) -> None:
    desk = make_desk(session, items=1)
    ada, bob, eve = (make_sme(session, desk, name) for name in ("ada", "bob", "eve"))
    for sme in (ada, bob):
        token = next_card(session, sme).token
        service.skip(session, grader=sme, token=token, reason="unclear", key="s")

    assert service.reopen_skipped(session, desk.project.id) == 1
    assert next_card(session, eve).total == 1


def test_a_note_changes_without_changing_the_grade(session: Session) -> None:
    desk = make_desk(session)
    ada = make_sme(session, desk, "ada")
    view = next_card(session, ada)
    with pytest.raises(Conflict, match="Grade this passage first"):
        service.set_note(session, grader=ada, token=view.token, note="n", key="n0")
    give(session, ada, view, 2)

    service.set_note(session, grader=ada, token=view.token, note="top 3 of 10", key="n1")

    shown = service.slot_view(session, grader=ada, token=view.token)
    assert (shown.grade, shown.note) == (2, "top 3 of 10")


def test_counters_agree_with_the_rows_after_every_act(session: Session) -> None:
    """V-043: save, change, delete, save again."""
    desk = make_desk(session, items=3, seats=2)
    ada, bob = make_sme(session, desk, "ada"), make_sme(session, desk, "bob")

    def counted() -> tuple[int, int, int, int]:
        now_ = service.progress(session, desk.project.id)
        smes = {sme.name: sme.graded for sme in now_.smes}
        return now_.wanted, now_.graded, smes["ada"], smes["bob"]

    first = next_card(session, ada)
    give(session, ada, first, 2)
    assert counted() == (6, 1, 1, 0)
    give(session, ada, first, 1)
    assert counted() == (6, 1, 1, 0)
    service.withdraw(session, grader=ada, key="u")
    assert counted() == (6, 0, 0, 0)
    give(session, ada, first, 3)
    give(session, bob, next_card(session, bob), 0)
    assert counted() == (6, 2, 1, 1)
    assert len(list(service.current_grades(session, desk.project.id))) == 2


def test_a_judge_has_one_grade_of_an_item_however_often_it_is_written(session: Session) -> None:
    desk = make_desk(session, items=2)
    judge = service.add_grader(session, desk.project.id, kind="judge", name="strict")
    cards = service.cards_of(session, [item.id for item in desk.items])
    rows = [
        service.JudgeGrade(
            each.item_id,
            1,
            "why",
            each.card_hash,
            each.query_version_id,
            each.document_version_id,
        )
        for each in cards.values()
    ]

    first = service.write_judge_grades(session, grader=judge, rows=rows)
    again = service.write_judge_grades(session, grader=judge, rows=rows)

    assert first == again
    assert first.keys() == {item.id for item in desk.items}
    assert len(events(session, judge)) == 2
