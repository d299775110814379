"""What the browser tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import open_browser
from tests.browser.site import Site, serve
from tests.databases import Postgres, sqlite_database


# One module, not the session: while it is open, Playwright's loop runs in the main
# thread, and another test's asyncio.run() would be refused.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Serve the application on a fresh SQLite file."""
    with sqlite_database(tmp_path) as database, serve(database, tmp_path) as served:
        yield served


@pytest.fixture
def postgres_site(postgres: Postgres, tmp_path: Path) -> Iterator[Site]:
    """Serve the application on a fresh PostgreSQL database."""
    with postgres.database() as database, serve(database, tmp_path) as served:
        yield served
