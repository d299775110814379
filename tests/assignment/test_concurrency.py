"""Many SMEs at once, with real threads and real commits."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import func, select

from app.assignment import service
from app.db import Database, transaction
from app.models import Block, GradeEvent, Grader, Slot
from tests.assignment.desk import Desk, give, make_desk, make_sme


def open_desk(
    database: Database, people: int, *, queries: int, items: int, seats: int = 1
) -> tuple[Desk, list[Grader]]:
    with transaction(database) as session:
        desk = make_desk(session, queries=queries, items=items, seats=seats)
        return desk, [make_sme(session, desk, f"sme {number}") for number in range(people)]


def grade_all(database: Database, start: Barrier, grader: Grader) -> int:
    """Claim and grade, each in a transaction of its own, until nothing is left."""
    start.wait()
    graded = 0
    after: str | None = None
    while True:
        with transaction(database) as session:
            view = service.next_slot(
                session, project_id=grader.project_id, grader=grader, after=after
            )
        if view is None:
            return graded
        with transaction(database) as session:
            given = give(session, grader, view, graded % 4, key=f"{grader.id}.{graded}")
        assert given.kept == "slot"
        graded += 1
        after = view.token


def at_once(people: int, act: Callable[[Barrier, int], int]) -> list[int]:
    start = Barrier(people)
    with ThreadPoolExecutor(people) as pool:
        return [one.result() for one in [pool.submit(act, start, n) for n in range(people)]]


@pytest.mark.parametrize(
    ("people", "queries", "items", "seats"),
    [
        pytest.param(8, 20, 5, 1, id="8 people, 100 passages once (V-031)"),
        pytest.param(50, 30, 3, 2, id="50 people, 90 passages twice"),
    ],
)
def test_no_slot_is_handed_out_twice_and_no_grade_is_lost(
    database: Database, people: int, queries: int, items: int, seats: int
) -> None:
    desk, graders = open_desk(database, people, queries=queries, items=items, seats=seats)

    counts = at_once(people, lambda start, n: grade_all(database, start, graders[n]))

    wanted = queries * items * seats
    with transaction(database, write=False) as session:
        slots = Counter(session.scalars(select(Slot.state)))
        rows = session.execute(
            select(GradeEvent.slot_id, GradeEvent.item_id, GradeEvent.grader_id)
        )
        found = [tuple(row) for row in rows]
        blocks = Counter(session.scalars(select(Block.state)))
        progress = service.progress(session, desk.project.id)
    assert sum(counts) == wanted
    assert slots == {"done": wanted}
    assert len({slot for slot, _, _ in found}) == len(found) == wanted
    assert len({(item, grader) for _, item, grader in found}) == wanted
    assert blocks == {"done": queries * seats}
    assert (progress.graded, progress.open) == (wanted, 0)


def test_the_same_press_sent_twice_at_once_is_one_grade(database: Database) -> None:
    """V-034 (a)."""
    _, (grader,) = open_desk(database, 1, queries=1, items=2)
    with transaction(database) as session:
        view = service.next_slot(session, project_id=grader.project_id, grader=grader)
    assert view is not None

    def press(start: Barrier, _: int) -> int:
        start.wait()
        with transaction(database) as session:
            return give(session, grader, view, 2, key="once").grade or -1

    assert at_once(6, press) == [2] * 6
    with transaction(database, write=False) as session:
        assert session.scalars(select(func.count()).select_from(GradeEvent)).one() == 1


def test_one_person_in_several_tabs_holds_one_block(database: Database) -> None:
    _, (grader,) = open_desk(database, 1, queries=5, items=1)

    def look(start: Barrier, _: int) -> int:
        start.wait()
        with transaction(database) as session:
            held = service.claim(session, project_id=grader.project_id, grader=grader)
            return held.block_id if held else -1

    assert len(set(at_once(6, look))) == 1
    with transaction(database, write=False) as session:
        held = select(func.count()).select_from(Block).where(Block.state == "held")
        assert session.scalars(held).one() == 1
