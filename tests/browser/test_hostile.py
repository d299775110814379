"""A project whose every text is a script, looked at in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.site import serve
from tests.browser.watching import watch
from tests.databases import sqlite_database
from tests.web.hostile import SLUG, SUM, build_world
from tests.web.walking import list_addresses

pytestmark = pytest.mark.browser
FILES = ("download", "/api/", "/piece", "/progress", "/next", "/link/", "/login")


def test_v083_no_planted_script_runs(browser: Browser, tmp_path: Path) -> None:
    with sqlite_database(tmp_path) as database:
        world = build_world(database, tmp_path)
        places = [
            address
            for address in list_addresses(SLUG, world.examples)
            if not any(part in address for part in FILES)
        ]
        with (
            serve(database, tmp_path) as site,
            site.enter(browser, SLUG, "admin", "sme", name="admin") as context,
        ):
            page = context.new_page()
            faults, shown = watch(page), 0
            for address in places:
                page.goto(site.base + address)
                assert page.title() != "XSS", address
                assert page.evaluate("window.__violations") == [], address
                shown += SUM in page.inner_text("body")
            assert shown > 10
            assert [fault for fault in faults if "404" not in fault] == []
