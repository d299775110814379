"""Sweep: signs of life, and the work of those that give none."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from sqlalchemy import delete, select, text
from sqlalchemy.orm import Session

from app import db
from app.db import Database, transaction
from app.jobs import engine
from app.jobs.bodies import Running
from app.jobs.work import finders
from app.models.work import Worker

log = structlog.get_logger()

DEAD_AFTER = 30.0  # seconds without a sign of life
SWEEP_LOCK = 471_100  # PostgreSQL's advisory lock: one sweep at a time


def is_worker_alive(database: Database, dead_after: float = DEAD_AFTER) -> bool:
    """Say whether any worker gave a sign of life in the last ``dead_after`` seconds."""
    with transaction(database, write=False) as session:
        return bool(_split_workers(session, dead_after)[0])


def give_sign(worker: Running) -> None:
    with transaction(worker.database) as session:
        session.merge(Worker(executor_id=worker.executor_id, seen=db.now(session)))


def leave(worker: Running) -> None:
    """Give unfinished work back to its queues, for anybody, at once."""
    with engine.connect(worker.database.writer) as (client, _):
        engine.requeue(
            client,
            engine.list_workflows(client, status="PENDING", executor_id=worker.executor_id),
        )
    _forget(worker.database, {worker.executor_id})


def sweep(worker: Running) -> None:
    with _be_alone(worker.database) as alone:
        if alone:
            _take_over(worker)
            _enqueue_planned(worker)


@contextmanager
def _be_alone(database: Database) -> Iterator[bool]:
    if database.is_sqlite:  # one worker, and a writing transaction here would block dbos
        yield True
        return
    with database.writer.begin() as connection:
        lock = text("SELECT pg_try_advisory_xact_lock(:lock)")
        yield bool(connection.execute(lock, {"lock": SWEEP_LOCK}).scalar_one())


def _take_over(worker: Running) -> None:
    """Requeue what workers without a sign of life were doing."""
    with engine.connect(worker.database.writer) as (client, _):
        # listed before the living are: a worker gives its first sign before its first claim
        pending = engine.list_workflows(client, status="PENDING")
        with transaction(worker.database, write=False) as session:
            alive, dead = _split_workers(session, worker.dead_after)
        alive.add(worker.executor_id)
        engine.requeue(client, [each for each in pending if each.executor_id not in alive])
    if dead:
        log.warning("workers are gone; their work is back on its queues", workers=sorted(dead))
        _forget(worker.database, dead)


def _enqueue_planned(worker: Running) -> None:
    """Enqueue planned work that is new to this worker; what has its workflow is a no-op."""
    with transaction(worker.database, write=False) as session:
        work = {each.key: each for finder in finders for each in finder(session)}
    worker.enqueued.intersection_update(work)
    fresh = [each for key, each in work.items() if key not in worker.enqueued][: engine.MOST]
    engine.enqueue(worker.database.writer, fresh)
    worker.enqueued.update(each.key for each in fresh)


def _forget(database: Database, executor_ids: set[str]) -> None:
    with transaction(database) as session:
        session.execute(delete(Worker).where(Worker.executor_id.in_(executor_ids)))


def _split_workers(session: Session, dead_after: float) -> tuple[set[str], set[str]]:
    """Return the executors alive and those dead, on the database's clock."""
    oldest = db.now(session) - timedelta(seconds=dead_after)
    everyone = session.execute(select(Worker.executor_id, Worker.seen)).all()
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    alive = {
        executor_id
        for executor_id, seen in everyone
        if seen >= oldest and not (is_sqlite and _is_gone(executor_id))
    }
    return alive, {executor_id for executor_id, _ in everyone} - alive


def _is_gone(executor_id: str) -> bool:
    """Say whether a process of this machine has ended; a SQLite file has one machine."""
    host, process_id, _ = executor_id.rsplit("-", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(process_id), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
