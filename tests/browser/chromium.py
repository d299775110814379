"""Chromium: the browser of the system, started the way the tests need it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = "No Chromium found. Install it with: apt-get install -y chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """Return the path of the system's Chromium, or None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Run a headless browser; raise RuntimeError with the install line without one."""
    path = find_chromium()
    if path is None:
        raise RuntimeError(INSTALL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
