"""Worker: this process as the one that works, until told to stop."""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import structlog
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer
from dbos import error as dbos_error
from sqlalchemy import Engine

from app.db import Database
from app.errors import Unavailable
from app.jobs import engine, sweep
from app.jobs.bodies import Running, running
from app.jobs.sweep import DEAD_AFTER, is_worker_alive
from app.jobs.work import AT_ONCE
from app.settings import Settings

log = structlog.get_logger()

VERSION = "1"  # pinned: dbos' default changes with the code and strands what is under way
POLL = 0.2  # seconds between looks at a queue, and at the reason to stop
BEAT = 1.0  # seconds between signs of life, and between sweeps


def run_worker(
    database: Database,
    settings: Settings,
    *,
    stop: threading.Event,
    queues: Sequence[str] | None = None,
    dead_after: float = DEAD_AFTER,
) -> None:
    """Do what is enqueued until ``stop`` is set; unfinished bodies go back to their queues.

    ``dead_after`` is in seconds on the database's clock. A lost database is waited for.
    """
    _work(database, settings, stop.is_set, queues=queues, dead_after=dead_after)


def work_until(
    database: Database,
    settings: Settings,
    finished: Callable[[], bool],
    timeout: float | None = None,
) -> bool:
    """Wait for a live worker, or be the worker, until finished; False after ``timeout`` s."""
    deadline = None if timeout is None else time.monotonic() + timeout

    def is_over() -> bool:
        return finished() or (deadline is not None and time.monotonic() > deadline)

    while not is_over():
        if is_worker_alive(database):
            time.sleep(POLL)
        else:
            _work(database, settings, is_over)
    return finished()


def _work(
    database: Database,
    settings: Settings,
    is_over: Callable[[], bool],
    *,
    queues: Sequence[str] | None = None,
    dead_after: float = DEAD_AFTER,
) -> None:
    executor_id = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
    worker = Running(database, settings, executor_id, dead_after, set())
    with _launch(worker, queues):
        due = 0.0
        while not is_over():
            if time.monotonic() >= due:
                engine.attempt(lambda: sweep.give_sign(worker), "sign of life")
                engine.attempt(lambda: sweep.sweep(worker), "sweep")
                due = time.monotonic() + BEAT
            time.sleep(POLL)


@contextmanager
def _launch(worker: Running, queues: Sequence[str] | None) -> Iterator[None]:
    if running:
        raise RuntimeError("This process is a worker already.")
    running.append(worker)
    own = None
    try:
        sweep.give_sign(
            worker
        )  # before the first claim, or another worker takes it for a dead one's
        _register_queues(worker.database)
        config, own = _configure(worker)
        DBOS(config=config)
        DBOS.listen_queues(list(queues or AT_ONCE))
        DBOS.launch()
        log.info("worker started", executor=worker.executor_id)
        yield
    except dbos_error.DBOSInitializationError as missing:
        raise Unavailable(
            "The database is not prepared for work. Run: goldspan db upgrade"
        ) from missing
    finally:
        DBOS.destroy()
        running.remove(worker)
        if own is not None:
            own.dispose()
        engine.attempt(lambda: sweep.leave(worker), "leave")


def _register_queues(database: Database) -> None:
    with engine.connect(database.writer) as (client, _):
        for queue, at_once in AT_ONCE.items():
            client.register_queue(queue, worker_concurrency=at_once, polling_interval_sec=POLL)


def _configure(worker: Running) -> tuple[DBOSConfig, Engine | None]:
    config: DBOSConfig = {
        "name": engine.APPLICATION,
        "application_version": VERSION,
        "executor_id": worker.executor_id,
        "serializer": DBOSPortableJSONSerializer(),
        "run_migrations": False,
        "notification_listener_polling_interval_sec": POLL,  # else ending takes a second
        "log_level": "WARNING",
    }
    if not worker.database.is_sqlite:
        config["system_database_url"] = engine.address(worker.database.url)
        return config, None
    own = engine.open_sqlite(worker.database.writer)
    config["system_database_engine"] = own
    return config, own
