"""Screenshots: every page at two widths, light and dark, checked while it is shown."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, StorageState

from tests.browser.chromium import open_browser
from tests.browser.watching import find_faults, watch

WIDTHS = (390, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
HEIGHT = 900


def name_page(path: str) -> str:
    """Make a file name of an address: /projects/a/corpus?x=1 is projects-a-corpus-x-1.

    Tokens and hashes, which differ from run to run, are left out.
    """
    kept = re.sub(r"/(link|cards|imports)/[\w-]{20,}", r"/\1", path)
    return re.sub(r"[^\w]+", "-", kept).strip("-") or "start"


def sign_in(browser: Browser, login_url: str) -> StorageState:
    """Redeem a personal link once and return the cookies every picture shares."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(login_url)
        page.locator("main form button").first.click()
        page.wait_for_load_state()
        return context.storage_state()


def shoot_page(context: BrowserContext, url: str, picture: Path) -> list[str]:
    """Save one full-page picture and return what is wrong with the page."""
    page = context.new_page()
    faults = watch(page)
    answer = page.goto(url)
    page.wait_for_load_state("networkidle")
    if answer is not None and answer.status >= 500:
        faults.append(f"status {answer.status}")
    page.screenshot(path=picture, full_page=True)
    faults += find_faults(page)
    page.close()
    return [f"{picture.name}: {fault}" for fault in faults]


def shoot_with(
    browser: Browser, page_urls: Sequence[str], state: StorageState | None, base: str, out: Path
) -> list[str]:
    """Picture every address with a browser that runs and the cookies it already has."""
    out.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            with browser.new_context(
                viewport={"width": width, "height": HEIGHT},
                color_scheme=scheme,
                reduced_motion="reduce",
                storage_state=state,
            ) as context:
                for path in page_urls:
                    picture = out / f"{name_page(path)}-{width}-{scheme}.png"
                    faults += shoot_page(context, base + path, picture)
    return faults


def shoot(page_urls: Sequence[str], login_url: str | None, base: str, out: Path) -> list[str]:
    """Picture every address below ``base`` into ``out``; return all faults, [] when clean.

    Each address gives NAME-390-light.png and three more. ``login_url`` is a personal
    link, redeemed once, or None for pages that need nobody.
    """
    with open_browser() as browser:
        state = sign_in(browser, login_url) if login_url else None
        return shoot_with(browser, page_urls, state, base, out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", help="address of the server, without a slash at the end")
    parser.add_argument("paths", nargs="+", help="addresses below it, each with its slash")
    parser.add_argument("--login", help="personal link that signs in")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    given = parser.parse_args()
    faults = shoot(given.paths, given.login, given.base, given.out)
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
