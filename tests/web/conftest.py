"""What the tests with a hostile project share."""

from collections.abc import Iterator

import pytest

from tests.databases import Postgres, sqlite_database
from tests.web.hostile import World, build_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Give the hostile project on SQLite, with real commits; tests only look at it."""
    folder = tmp_path_factory.mktemp("hostile")
    with sqlite_database(folder) as fresh:
        yield build_world(fresh, folder)


@pytest.fixture(scope="module")
def postgres_world(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Give the same on PostgreSQL, which refuses other values than SQLite."""
    with postgres.database() as fresh:
        yield build_world(fresh, tmp_path_factory.mktemp("hostile"))
