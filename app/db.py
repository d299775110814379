"""Database: engines, and ``transaction``, the only place that commits."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Engine, Table, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

log = structlog.get_logger()

PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "busy_timeout=30000",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "journal_size_limit=67108864",
)
AFTER = "after_commit"
VALUES = 2_000
"""Values in one statement of ``bulk_insert`` on SQLite, which takes 32,766."""


@dataclass(frozen=True, slots=True)
class Database:
    """One database with an engine for writing and one for reading.

    On SQLite the writer is a single connection, so that writers queue here instead of
    sleeping in the file's lock; readers have a small pool of their own. On PostgreSQL
    both are one pool.
    """

    url: str
    writer: Engine
    reader: Engine

    @property
    def is_sqlite(self) -> bool:
        return self.writer.dialect.name == "sqlite"

    def close(self) -> None:
        self.writer.dispose()
        self.reader.dispose()


def open_database(url: str) -> Database:
    """Open the engines for ``sqlite:///FILE`` or ``postgresql://...``; connects lazily."""
    if make_url(url).get_backend_name() == "sqlite":
        return _open_sqlite(url)
    engine = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=10,
        max_overflow=10,
        pool_pre_ping=True,
    )
    return Database(url, engine, engine)


def _open_sqlite(url: str) -> Database:
    path = make_url(url).database
    if path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {"connect_args": {"timeout": 30, "check_same_thread": False}}
    writer = create_engine(url, pool_size=1, max_overflow=0, pool_timeout=120, **options)
    reader = create_engine(url, pool_size=8, max_overflow=8, **options)
    for engine, begin in ((writer, "BEGIN IMMEDIATE"), (reader, "BEGIN")):
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin_with(begin))
    return Database(url, writer, reader)


def _set_pragmas(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own implicit transactions off
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_with(statement: str) -> Callable[[Connection], None]:
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return begin


@contextmanager
def transaction(database: Database, *, write: bool = True) -> Iterator[Session]:
    """Give a session whose work is committed at the end, or rolled back as a whole.

    A reading one (``write=False``) sees one snapshot and is rolled back. What was handed to
    ``after_commit`` runs once the commit stands.
    """
    engine = database.writer if write else database.reader
    if not write and not database.is_sqlite:
        engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with Session(engine, expire_on_commit=False) as session:
        yield session
        if not write:
            return
        session.commit()
    for act in session.info.pop(AFTER, ()):
        act()


def after_commit(session: Session, act: Callable[[], None]) -> None:
    """Run ``act`` when, and only if, the session's transaction has been committed."""
    session.info.setdefault(AFTER, []).append(act)


def now(session: Session) -> datetime:
    """Return the database's clock in UTC, the one clock of leases and expiry."""
    if session.get_bind().dialect.name == "sqlite":
        return datetime.now(UTC)
    moment: datetime = session.execute(text("SELECT clock_timestamp()")).scalar_one()
    return moment.astimezone(UTC)


def insert_ignore(session: Session, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows in one batch; those that a unique key forbids are left as they are."""
    if not rows:
        return
    name = session.get_bind().dialect.name
    insert = postgresql.insert if name == "postgresql" else sqlite.insert
    target: Table = getattr(table, "__table__", table)
    session.flush()  # what the rows refer to may still be waiting in the session
    session.connection().execute(insert(target).on_conflict_do_nothing(), rows)


def bulk_insert(
    session: Session, table: Any, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert very many rows, each with a value for every column, in that order.

    The values go to the driver as they are, without the types and defaults of the model:
    numbers, truth values, texts, None. SQLite gets rows by the hundred, PostgreSQL a COPY.
    """
    session.flush()  # what the rows refer to may still be waiting in the session
    name, named = getattr(table, "__tablename__", table), ", ".join(columns)
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        _copy(connection, f"COPY {name} ({named}) FROM STDIN", rows)
        return
    size, stream = VALUES // len(columns), iter(rows)
    one = f"({', '.join('?' * len(columns))})"
    while part := list(islice(stream, size)):
        values = ", ".join([one] * len(part))
        connection.exec_driver_sql(
            f"INSERT INTO {name} ({named}) VALUES {values}",
            tuple(chain.from_iterable(part)),
        )


def _copy(connection: Connection, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    driver: Any = connection.connection
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
