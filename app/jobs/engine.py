"""Engine: dbos beside our tables, its connections, and what is written to its queues."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import structlog
from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer, WorkflowStatus
from dbos import error as dbos_error
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from app.jobs.work import Planned, known

log = structlog.get_logger()

# dbos writes to a stream of its own unless its logger has a handler; ours are the root's
logging.getLogger("dbos").addHandler(logging.NullHandler())

APPLICATION = "goldspan"
MOST = 500  # workflows written in one transaction
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000", "foreign_keys=ON")
DATABASE_ERRORS = (SQLAlchemyError, dbos_error.DBOSException)

Item = TypeVar("Item")


def migrate(url: str) -> None:
    """Create or update dbos' own tables beside ours."""
    DBOS.migrate(address(url))


def address(url: str) -> str:
    parsed = make_url(url)
    plain = parsed.set(drivername=parsed.get_backend_name())
    return plain.render_as_string(hide_password=False)


def open_sqlite(ours: Engine, **options: Any) -> Engine:
    """Open dbos' own engine: it begins transactions itself, which ours would begin twice."""
    engine = create_engine(ours.url, **options)

    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", prepare)
    return engine


@contextmanager
def connect(ours: Engine) -> Iterator[tuple[DBOSClient, Engine]]:
    """Give dbos' client, which neither runs nor migrates anything, and its engine."""
    is_sqlite = ours.dialect.name == "sqlite"
    engine = open_sqlite(ours, poolclass=NullPool) if is_sqlite else ours
    client = DBOSClient(
        system_database_engine=engine,
        serializer=DBOSPortableJSONSerializer(),
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=False,
    )
    try:
        yield client, engine
    finally:
        client.destroy()


def enqueue(ours: Engine, work: Sequence[Planned]) -> None:
    with connect(ours) as (client, engine):
        for part in split_in_parts(work):
            with engine.begin() as connection:
                for each in part:
                    client.enqueue_in_transaction(
                        connection,
                        {
                            "workflow_name": each.name,
                            "queue_name": known[each.name].queue,
                            "workflow_id": each.key,
                        },
                        *each.args,
                    )


def cancel(ours: Engine, keys: Sequence[str]) -> None:
    with connect(ours) as (client, _):
        for part in split_in_parts(keys):
            client.cancel_workflows(list(part))


def requeue(client: DBOSClient, workflows: Iterable[WorkflowStatus]) -> None:
    by_queue: dict[str, list[str]] = defaultdict(list)
    for each in workflows:
        by_queue[known[each.name].queue].append(each.workflow_id)
    for queue, keys in by_queue.items():
        client.resume_workflows(keys, queue_name=queue)


def list_workflows(client: DBOSClient, **which: Any) -> list[WorkflowStatus]:
    """List workflows of the jobs this process knows, without what they hold."""
    found = client.list_workflows(load_input=False, load_output=False, **which)
    return [each for each in found if each.name in known]


def split_in_parts(everything: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(everything), MOST):
        yield everything[start : start + MOST]


def attempt(act: Callable[[], None], what: str) -> None:
    """Act, and leave it to the next second or the sweep when the database is away."""
    try:
        act()
    except DATABASE_ERRORS as wrong:
        log.warning("the database did not take it; trying again", what=what, error=str(wrong))
