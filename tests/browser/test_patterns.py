"""The patterns as a browser shows them: readable, reachable, inside the policy."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tests.browser.screenshots import shoot_with
from tests.browser.test_templates import ROOT, render
from tests.browser.watching import watch

pytestmark = pytest.mark.browser

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


def show_patterns(_: Request) -> HTMLResponse:
    html = render("patterns.html", active="patterns", csrf="1e5")
    form = '<form hx-post="/refuse"><button id="refused">Try</button></form></main>'
    return HTMLResponse(
        html.replace("</main>", form), headers={"content-security-policy": POLICY}
    )


def refuse(request: Request) -> HTMLResponse:
    lines = [f"token {request.headers.get('x-csrf-token')}"]
    html = render("errors/fragment.html", title="Not saved", lines=lines, advice=None)
    return HTMLResponse(html, status_code=409)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """Serve the patterns and the static files on a free port."""
    site = Starlette(
        routes=[
            Route("/patterns", show_patterns),
            Route("/refuse", refuse, methods=["POST"]),
            Mount("/static", StaticFiles(directory=ROOT / "static")),
        ]
    )
    server = uvicorn.Server(uvicorn.Config(site, log_level="error", lifespan="off"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture
def page(browser: Browser, base: str) -> Iterator[Page]:
    """Open the patterns; at the end nothing may have been reported."""
    with browser.new_context(locale="en-GB", timezone_id="Europe/Berlin") as context:
        page = context.new_page()
        faults = watch(page)
        page.goto(f"{base}/patterns")
        yield page
        assert [fault for fault in faults if "409" not in fault] == []


def test_a_refusal_lands_in_its_region_and_the_focus_stays(page: Page) -> None:
    page.locator("#refused").click()

    page.locator("#errors .notice").wait_for()

    assert "token 1e5" in page.inner_text("#errors")
    assert page.evaluate("document.activeElement.id") == "refused"
    assert page.locator("#refused").is_visible()


def test_a_column_sorts_both_ways_and_undefined_stays_last(page: Page) -> None:
    header = page.locator("#scores th button", has_text="nDCG@10")
    column = page.locator("#scores tbody tr td:nth-of-type(1)")

    header.click()
    falling = column.all_inner_texts()
    header.click()

    assert falling == ["0.713", "0.682", "0.604", "undefined"]
    assert column.all_inner_texts() == ["0.604", "0.682", "0.713", "undefined"]
    assert page.locator("#scores [aria-sort=ascending]").count() == 1


def test_a_definition_opens_from_the_dotted_word(page: Page) -> None:
    page.locator(".term", has_text="TPR").click()

    assert page.locator("#definition-tpr").is_visible()


def test_escape_closes_a_menu_and_gives_the_focus_back(page: Page) -> None:
    page.locator("summary", has_text="Ada").click()
    page.keyboard.press("Escape")

    assert page.locator("details[data-menu][open]").count() == 0
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_times_are_shown_on_the_readers_clock(page: Page) -> None:
    assert page.locator("time").inner_text() == "30 Nov 2026, 10:14"


def test_the_patterns_are_clean_at_both_widths_and_in_both_schemes(
    browser: Browser, base: str, tmp_path: Path
) -> None:
    assert shoot_with(browser, ["/patterns"], None, base, tmp_path) == []
    assert len(list(tmp_path.glob("*.png"))) == 4
