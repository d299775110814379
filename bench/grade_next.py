"""Grade and next: what an SME waits for, with very many slots queued or graded.

    python bench/grade_next.py [sqlite|postgresql]

Fifty SMEs at once, each a thread, grade a thousand cards and read each for three seconds or so:
a grade is stored and the next card read in one transaction, as a page without JavaScript
does it. Three times: with 1,000 slots
queued; with 1,000,000; and with 999,000 of 1,000,000 graded by the same twenty SMEs (V-094).
The ratio of the 95th percentiles is promised. Every slot is graded once and no grade is lost,
or the script fails.
"""

import random
import sys
import threading
from itertools import count
from time import perf_counter, sleep

from filling import Filling, fill
from measuring import (
    NAMES,
    Databases,
    describe,
    find_percentile,
    open_kind,
    say,
    say_ratio,
)
from sqlalchemy import func, select

from app.assignment import service as assignment
from app.db import Database, transaction
from app.grading import service as grading
from app.models import GradeEvent, Grader

CARDS = 1_000
EACH = 10
READING = 6.0  # seconds, at most
SMALL = Filling(queries=CARDS // EACH, each=EACH)
LARGE = Filling(queries=100_000, each=EACH)
NEARLY_DONE = Filling(queries=100_000, each=EACH, smes=20, graded=100_000 - CARDS // EACH)


class Desk:
    """One SME at work; ``seconds`` are those of each grade with its next card."""

    def __init__(self, database: Database, grader: Grader, left: "count[int]") -> None:
        self.database, self.grader, self.left = database, grader, left
        self.seconds: list[float] = []
        self.claimed: list[float] = []
        self.graded: list[str] = []
        self.failed: BaseException | None = None

    def work(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.failed = error
            raise

    def _work(self) -> None:
        chance = random.Random(self.grader.id)
        sleep(chance.uniform(0, READING))
        begun = perf_counter()
        with transaction(self.database) as session:
            sheet = grading.next_desk(session, self.grader).sheet
        self.claimed.append(perf_counter() - begun)
        while sheet is not None and next(self.left) < CARDS:
            sleep(chance.uniform(0, READING))
            begun = perf_counter()
            with transaction(self.database) as session:
                assignment.give_grade(
                    session,
                    grader=self.grader,
                    token=sheet.token,
                    value=2,
                    key=f"key of {sheet.token}",
                    seen_hash=sheet.card_hash,
                )
                following = grading.next_desk(session, self.grader).sheet
            spent = perf_counter() - begun
            is_claim = following is not None and following.place == 1
            (self.claimed if is_claim else self.seconds).append(spent)
            self.graded.append(sheet.token)
            sheet = following


def work_together(database: Database, smes: int) -> list[Desk]:
    """Let the SMEs grade at once until the cards are done."""
    with transaction(database, write=False) as session:
        people = list(session.scalars(select(Grader).order_by(Grader.id).limit(smes)))
    left = count()
    desks = [Desk(database, grader, left) for grader in people]
    threads = [threading.Thread(target=desk.work) for desk in desks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return desks


def check(database: Database, desks: list[Desk], before: int) -> None:
    """Fail if a slot was handed out twice or a grade is not there."""
    for desk in desks:
        if desk.failed is not None:
            raise desk.failed
    tokens = [token for desk in desks for token in desk.graded]
    if len(set(tokens)) != len(tokens):
        raise SystemExit("a slot was handed out twice")
    with transaction(database, write=False) as session:
        stored = session.scalar(select(func.count()).select_from(GradeEvent)) or 0
    if stored - before != len(tokens) or len(tokens) != CARDS:
        raise SystemExit(f"{len(tokens)} grades given, {stored - before} stored")


def measure(databases: Databases, filling: Filling, words: str) -> float:
    """Fill a database, let all grade, and return p95 of a grade with its next card."""
    with databases.fresh() as database:
        begun = perf_counter()
        fill(database, filling)
        filled = perf_counter() - begun
        desks = work_together(database, filling.smes)
        check(database, desks, filling.graded * filling.each)
    seconds = [one for desk in desks for one in desk.seconds]
    claimed = [one for desk in desks for one in desk.claimed]
    say(f"{databases.name}: {words}, {filling.smes} SMEs (filled in {filled:.0f} s)")
    say(f"  grade + next card      {describe(seconds)}")
    say(f"  with another question  {describe(claimed)}")
    return find_percentile(seconds + claimed, 0.95)


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        with open_kind(name) as databases:
            small = measure(databases, SMALL, "1,000 slots queued")
            large = measure(databases, LARGE, "1,000,000 slots queued")
            nearly = measure(databases, NEARLY_DONE, "999,000 of 1,000,000 graded")
        say_ratio(f"{name}: p95 at 1,000,000 to p95 at 1,000", large / small, "at most 1.5")
        say(f"{name}: p95 with 999,000 graded: {1_000 * nearly:.0f} ms   (promised: 200)")


if __name__ == "__main__":
    main()
