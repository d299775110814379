"""Bodies: how a job is registered with dbos and run in a thread of its own."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog
from dbos import DBOS
from sqlalchemy.exc import OperationalError

from app.db import Database
from app.jobs import engine
from app.jobs.work import AT_ONCE, Argument, Job, Stopped, known
from app.settings import Settings

log = structlog.get_logger()

WAITS = (1, 2, 4, 8, 16, 32, 60, 60, 60)  # seconds for a database to come back

Body = TypeVar("Body", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Running:
    """The worker that this process is."""

    database: Database
    settings: Settings
    executor_id: str
    dead_after: float
    enqueued: set[str]


running: list[Running] = []  # at most one, as dbos has one executor a process


def define(name: str, *, queue: str) -> Callable[[Body], Body]:
    """Register a body under a name for ever: rows in the database refer to it."""
    if queue not in AT_ONCE:
        raise LookupError(f"There is no queue {queue}.")

    def register(body: Body) -> Body:
        job = known[name] = Job(name, queue, body)

        async def run(*args: Argument) -> None:
            await _run(job, args)

        DBOS.workflow(name=name)(run)
        return body

    return register


def worker_settings() -> Settings:
    """Return the settings of the worker this process is, for a body that needs them."""
    return running[0].settings


async def _run(job: Job, args: Sequence[Argument]) -> None:
    key = str(DBOS.workflow_id)
    database = running[0].database
    try:
        await _try_often(job, key, (database, *args))
    except Stopped:
        await asyncio.to_thread(engine.cancel, database.writer, [key])
    except Exception:
        log.exception("a job failed", job=job.name, key=key)
        raise


async def _try_often(job: Job, key: str, args: Sequence[Any]) -> None:
    """Start a body again after the database was away; an error would be for ever."""
    for wait in WAITS:
        try:
            return await asyncio.wrap_future(_start(job, key, args))
        except OperationalError as away:
            log.warning("the database was away; starting again", key=key, error=str(away))
            await asyncio.sleep(wait)
    return await asyncio.wrap_future(_start(job, key, args))


def _start(job: Job, key: str, args: Sequence[Any]) -> "Future[None]":
    """Run a body in a thread that an ending process leaves behind, as a kill would."""
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()

    def act() -> None:
        try:
            answer = job.body(*args)
            if inspect.iscoroutine(answer):
                asyncio.run(answer)
        except BaseException as wrong:  # handed on to whoever waits for the future
            future.set_exception(wrong)
        else:
            future.set_result(None)

    threading.Thread(target=act, name=key, daemon=True).start()
    return future
