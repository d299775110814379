"""Workers as real processes: killed, frozen, stopped, and beside web processes."""

import os
import signal
from collections.abc import Sequence

import pytest
from sqlalchemy import text

from app import jobs
from app.db import Database, transaction
from app.settings import Settings
from tests.jobs import rows
from tests.jobs.conftest import Start, StartAfresh, eventually
from tests.jobs.process import enqueue, work

UNITS = 10
NAMES = ("a", "b", "c")


def want(database: Database, names: Sequence[str] = NAMES) -> None:
    with transaction(database) as session:
        for name in names:
            rows.want_rows(session, name, units=UNITS, milliseconds=100)
            jobs.after_commit(session, "test-write", key=name, args=(name,))


def all_begun(database: Database) -> bool:
    return all(rows.count_done(database, name) >= 2 for name in NAMES)


def all_done(database: Database, names: Sequence[str] = NAMES) -> bool:
    return all(rows.count_done(database, name) == UNITS for name in names)


def test_after_a_kill_the_next_worker_finishes(prepared: Database, start: Start) -> None:
    want(prepared)
    first = start(work, prepared.url, "2")
    assert eventually(lambda: all_begun(prepared))
    first.kill()
    first.join()
    assert not all_done(prepared)

    second = start(work, prepared.url, "2")

    assert eventually(lambda: all_done(prepared))
    for name in NAMES:
        assert rows.processes_of(prepared, name) == [first.pid, second.pid]


def test_a_stopped_worker_ends_soon_and_gives_its_work_back(
    prepared: Database, start: Start, start_afresh: StartAfresh
) -> None:
    want(prepared)
    first = start_afresh(prepared.url, "30")
    assert eventually(lambda: all_begun(prepared))

    first.send_signal(signal.SIGTERM)

    assert first.wait(timeout=10) == 0
    assert not all_done(prepared)
    assert not jobs.is_worker_alive(prepared)
    start(work, prepared.url, "30")
    assert eventually(lambda: all_done(prepared), seconds=15)


def test_many_processes_enqueue_while_one_works(prepared: Database, start: Start) -> None:
    worker = start(work, prepared.url, "30")
    web = [start(enqueue, prepared.url, prefix, "20") for prefix in ("x", "y")]
    names = [f"{prefix}{number}" for prefix in ("x", "y") for number in range(20)]

    for each in web:
        each.join(timeout=30)
        assert each.exitcode == 0
    assert eventually(lambda: all(rows.count_done(prepared, name) == 3 for name in names))
    assert {name: rows.processes_of(prepared, name) for name in names} == {
        name: [worker.pid] for name in names
    }


def test_a_command_leaves_the_work_to_a_living_worker(prepared: Database, start: Start) -> None:
    worker = start(work, prepared.url, "30")
    assert eventually(lambda: jobs.is_worker_alive(prepared))
    want(prepared, ["a"])

    assert jobs.work_until(prepared, Settings(), lambda: all_done(prepared, ["a"]), timeout=20)
    assert rows.processes_of(prepared, "a") == [worker.pid]


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_a_second_worker_takes_over_from_a_killed_one(prepared: Database, start: Start) -> None:
    want(prepared)
    first = start(work, prepared.url, "2")
    assert eventually(lambda: all_begun(prepared))
    second = start(work, prepared.url, "2")
    first.kill()

    assert eventually(lambda: all_done(prepared))
    assert {rows.processes_of(prepared, name)[-1] for name in NAMES} == {second.pid}


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_a_frozen_worker_that_comes_back_does_no_harm(prepared: Database, start: Start) -> None:
    want(prepared)
    frozen = start(work, prepared.url, "2")
    assert eventually(lambda: all_begun(prepared))
    assert frozen.pid
    os.kill(frozen.pid, signal.SIGSTOP)
    other = start(work, prepared.url, "2")
    assert eventually(lambda: all_done(prepared))

    os.kill(frozen.pid, signal.SIGCONT)

    other.terminate()
    other.join(timeout=10)
    assert other.exitcode == 0
    want(prepared, ["later"])
    assert eventually(lambda: all_done(prepared, ["later"]))
    assert rows.processes_of(prepared, "later") == [frozen.pid]
    assert all_done(prepared)


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_a_worker_survives_lost_connections(prepared: Database, start: Start) -> None:
    worker = start(work, prepared.url, "2")
    want(prepared, ["before"])
    assert eventually(lambda: rows.count_done(prepared, "before") > 0)
    others = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with transaction(prepared) as session:
        assert session.execute(others).all()

    want(prepared, ["later"])

    assert eventually(lambda: all_done(prepared, ["before", "later"]))
    assert rows.processes_of(prepared, "later") == [worker.pid]
