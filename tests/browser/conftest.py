"""What the browser tests share."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import open_browser


# One module, not the session: while it is open, Playwright's loop runs in the main
# thread, and another test's asyncio.run() would be refused.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium
