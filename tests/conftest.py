"""What all tests share: both databases, and a session that leaves nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy.orm import Session

from app.db import Database
from tests.databases import Postgres, sqlite_database

settings.register_profile("house", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("house")

BOTH = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("postgres", id="postgres", marks=pytest.mark.postgres),
]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.stop()


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Give a fresh database with real commits: for journeys and concurrency."""
    if request.param == "postgres":
        with request.getfixturevalue("postgres").database() as fresh:
            yield fresh
    else:
        with sqlite_database(tmp_path) as fresh:
            yield fresh


@pytest.fixture(scope="session")
def shared_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with sqlite_database(tmp_path_factory.mktemp("shared")) as kept:
        yield kept


@pytest.fixture(scope="session")
def shared_postgres(postgres: Postgres) -> Iterator[Database]:
    with postgres.database() as kept:
        yield kept


@pytest.fixture(params=BOTH)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """Give a session on both databases, rolled back after the test: for stores and services."""
    kept: Database = request.getfixturevalue(f"shared_{request.param}")
    with kept.writer.connect() as connection:
        outer = connection.begin()
        with Session(
            connection, join_transaction_mode="create_savepoint", expire_on_commit=False
        ) as opened:
            yield opened
        outer.rollback()
