"""Workers of judging as real processes: killed, several, paused and resumed."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess

import pytest
from sqlalchemy import func, select

from app.db import Database, transaction
from app.judging import service
from app.judging.seats import AT_ONCE
from app.models import Attempt, Batch, BatchPair
from tests.jobs.conftest import eventually, forks
from tests.judging import process, rows
from tests.scripted_server import PART, ScriptedServer, always, grade

PAIRS = 1_000
AT_RISK = 2 * AT_ONCE  # calls under way, and answers that the one writer still holds
Start = Callable[[str, str], BaseProcess]

# one server of forks for all tests of workers: whoever is imported last names all modules
forks.set_forkserver_preload(["tests.jobs.process", process.__name__])


@pytest.fixture
def start() -> Iterator[Start]:
    begun: list[BaseProcess] = []

    def begin(url: str, endpoint: str) -> BaseProcess:
        begun.append(forks.Process(target=process.work, args=(url, endpoint, "2")))
        begun[-1].start()
        return begun[-1]

    yield begin
    for each in begun:
        each.kill()
        each.join()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(always(grade(2, latency=0.02))) as served:
        yield served


def asked(server: ScriptedServer) -> Counter[str]:
    """Count the calls about each passage."""
    return Counter(
        text
        for call in server.calls
        for label, _, text in PART.findall(call.text)
        if label == "PASSAGE"
    )


def is_over(database: Database, batch: Batch) -> bool:
    with transaction(database, write=False) as session:
        return session.get_one(Batch, batch.id).state == "finished"


def count_done(database: Database, batch: Batch) -> int:
    wanted = BatchPair.batch_id == batch.id, BatchPair.state == "done"
    with transaction(database, write=False) as session:
        return session.scalar(select(func.count()).select_from(BatchPair).where(*wanted)) or 0


def is_quiet(database: Database, batch: Batch, server: ScriptedServer) -> bool:
    """Tell whether no call came for a second and all that came are settled."""
    came = len(server.calls)
    time.sleep(1)
    return came == len(server.calls) and not rows.stand(database, batch).unknown_calls


def assert_complete(database: Database, batch: Batch, server: ScriptedServer) -> None:
    """Every pair has one grade, and only calls in flight at a kill were repeated."""
    assert len(rows.grades_of(database, batch)) == PAIRS
    standing = rows.stand(database, batch)
    assert (standing.done, standing.open, standing.words) == (PAIRS, 0, "finished")
    calls = asked(server)
    assert len(calls) == PAIRS
    assert max(calls.values()) <= 2
    with transaction(database, write=False) as session:
        verdicts = select(func.count()).where(Attempt.outcome == "verdict")
        assert session.scalar(verdicts) == PAIRS


def test_after_a_kill_nothing_is_lost_or_doubled_v052(
    database: Database, start: Start, server: ScriptedServer
) -> None:
    batch = rows.start_batch(database, server.url, PAIRS)
    first = start(database.url, server.url)
    assert eventually(lambda: count_done(database, batch) > 100, 60)
    first.kill()
    first.join()
    done = count_done(database, batch)
    assert done < PAIRS
    start(database.url, server.url)

    assert eventually(lambda: is_over(database, batch), 60)
    assert_complete(database, batch, server)
    repeated = len(server.calls) - PAIRS
    assert repeated <= AT_RISK
    assert repeated <= rows.stand(database, batch).unknown_calls <= 2 * AT_ONCE + AT_ONCE


def test_a_batch_is_paused_and_resumed_while_a_worker_lives(
    database: Database, start: Start, server: ScriptedServer
) -> None:
    batch = rows.start_batch(database, server.url, PAIRS)
    start(database.url, server.url)
    assert eventually(lambda: count_done(database, batch) > 50, 60)
    with transaction(database) as session:
        service.pause(session, session.get_one(Batch, batch.id))
    assert eventually(lambda: is_quiet(database, batch, server), 30)
    assert count_done(database, batch) < PAIRS

    with transaction(database) as session:
        service.resume(session, session.get_one(Batch, batch.id))

    assert eventually(lambda: is_over(database, batch), 60)
    assert_complete(database, batch, server)


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_two_workers_share_a_batch_and_one_may_die(
    database: Database, start: Start, server: ScriptedServer
) -> None:
    workers = [start(database.url, server.url) for _ in range(2)]
    batch = rows.start_batch(database, server.url, PAIRS)
    assert eventually(lambda: count_done(database, batch) > 200, 60)
    workers[0].kill()

    assert eventually(lambda: is_over(database, batch), 60)
    assert_complete(database, batch, server)
    assert len(server.calls) - PAIRS <= AT_RISK
