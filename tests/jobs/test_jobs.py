"""What the queue promises, on both databases: once, cancelled, resumed, found by the sweep."""

import json

import pytest
from sqlalchemy import text, update

from app import jobs
from app.db import Database, transaction
from app.errors import Conflict
from app.settings import Settings
from tests.jobs import rows


def enqueue(database: Database, name: str, job: str = "test-write") -> None:
    with transaction(database) as session:
        rows.want_rows(session, name, units=3)
        jobs.after_commit(session, job, key=name, args=(name,))


def workflows(
    database: Database, columns: str, table: str = "workflow_status"
) -> list[tuple[object, ...]]:
    """Read what the engine stored."""
    where = table if database.is_sqlite else f"dbos.{table}"
    query = text(f"SELECT {columns} FROM {where} ORDER BY workflow_uuid")
    with transaction(database, write=False) as session:
        return [tuple(row) for row in session.execute(query)]


def statuses(database: Database) -> dict[object, object]:
    return dict(workflows(database, "workflow_uuid, status"))  # type: ignore[arg-type]


def work(database: Database, **expected: str) -> bool:
    """Work until the keys have the statuses expected of them."""
    return jobs.work_until(
        database,
        Settings(),
        lambda: expected.items() <= statuses(database).items(),
        timeout=20,
    )


def test_plain_and_async_bodies_are_done(prepared: Database) -> None:
    enqueue(prepared, "plain")
    enqueue(prepared, "later", "test-write-async")

    assert work(prepared, plain="SUCCESS", later="SUCCESS")
    assert [rows.count_done(prepared, name) for name in ("plain", "later")] == [3, 3]


def test_the_same_key_twice_is_one_run(prepared: Database) -> None:
    enqueue(prepared, "a")
    with transaction(prepared) as session:
        for _ in range(2):
            jobs.after_commit(session, "test-write", key="a", args=("a",))

    assert work(prepared, a="SUCCESS")
    assert len(rows.processes_of(prepared, "a")) == 1


def test_nothing_is_enqueued_when_the_transaction_fails(prepared: Database) -> None:
    def enqueue_and_fail() -> None:
        with transaction(prepared) as session:
            jobs.after_commit(session, "test-write", key="a", args=("a",))
            raise Conflict("not today")

    with pytest.raises(Conflict):
        enqueue_and_fail()

    assert workflows(prepared, "workflow_uuid") == []


def test_planned_work_that_was_never_enqueued_is_found(prepared: Database) -> None:
    with transaction(prepared) as session:
        rows.want_rows(session, "forgotten", units=3, state="planned")

    assert work(prepared, forgotten="SUCCESS")


def test_a_cancelled_job_is_left_alone_until_resumed(prepared: Database) -> None:
    enqueue(prepared, "unwanted")
    enqueue(prepared, "wanted")
    with transaction(prepared) as session:
        jobs.cancel_after_commit(session, ["unwanted", "never enqueued"])

    assert work(prepared, wanted="SUCCESS")
    assert rows.count_done(prepared, "unwanted") == 0

    jobs.resume(prepared, ["unwanted", "wanted", "never enqueued"])

    assert work(prepared, unwanted="SUCCESS")
    assert len(rows.processes_of(prepared, "wanted")) == 1


def test_a_body_that_stops_for_its_room_can_be_resumed(prepared: Database) -> None:
    enqueue(prepared, "a")
    pause = update(rows.wanted).where(rows.wanted.c.name == "a")
    with transaction(prepared) as session:
        session.execute(pause.values(state="paused"))
    assert work(prepared, a="CANCELLED")
    with transaction(prepared) as session:
        session.execute(pause.values(state="open"))

    jobs.resume(prepared, ["a"])

    assert work(prepared, a="SUCCESS")


def test_a_failing_body_leaves_an_error_and_the_worker_goes_on(
    prepared: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    enqueue(prepared, "bad", "test-fail")
    enqueue(prepared, "good")

    assert work(prepared, bad="ERROR", good="SUCCESS")
    assert "no rows for bad" in "".join(capsys.readouterr())


def test_a_body_is_started_again_when_the_database_was_away(prepared: Database) -> None:
    enqueue(prepared, "a", "test-outage")

    assert work(prepared, a="SUCCESS")
    assert len(rows.processes_of(prepared, "a")) == 2


def test_rows_of_the_engine_hold_json_and_no_pickle(prepared: Database) -> None:
    enqueue(prepared, "a")
    assert work(prepared, a="SUCCESS")

    [(kind,)] = workflows(prepared, "serialization")
    [(inputs,)] = workflows(prepared, "inputs", "workflow_input")
    assert kind == "portable_json"
    assert json.loads(str(inputs)) == {"namedArgs": {}, "positionalArgs": ["a"]}


def test_only_ids_can_be_handed_to_a_known_job(prepared: Database) -> None:
    with transaction(prepared) as session:
        with pytest.raises(TypeError, match="ids only"):
            jobs.after_commit(session, "test-write", key="a", args=(1.5,))  # type: ignore[arg-type]
        with pytest.raises(LookupError, match="no job"):
            jobs.after_commit(session, "test-none", key="a", args=())


def test_waiting_ends_at_its_timeout(prepared: Database) -> None:
    assert not jobs.work_until(prepared, Settings(), lambda: False, timeout=0.1)
    assert not jobs.is_worker_alive(prepared)
