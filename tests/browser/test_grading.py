"""An SME at the desk, with real keys in a real browser, on lines good and bad."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from sqlalchemy import select

from app.db import transaction
from app.models import GradeEvent
from tests.browser.site import Site
from tests.browser.watching import find_faults, watch
from tests.grading.desks import Passage, current_values, history, make_desk

pytestmark = pytest.mark.browser

TEN: list[Passage] = [f"Passage {number} says how an item is returned." for number in range(10)]


def make(site: Site, *questions: list[Passage], seats: int = 1) -> str:
    """Make a project to grade and return its short name."""
    with transaction(site.database) as session:
        return make_desk(session, *questions, seats=seats).slug


@contextmanager
def sitting(
    browser: Browser, site: Site, slug: str, *, expected: str = "ERR_", **options: Any
) -> Iterator[Page]:
    """Open an SME's desk on the first card; at the end nothing unexpected was reported."""
    with site.enter(browser, slug, "sme", **options) as context:
        page = context.new_page()
        page.set_default_timeout(10_000)
        faults = watch(page)
        page.goto(f"{site.base}/projects/{slug}/grade")
        start(page)
        yield page
        assert [fault for fault in faults if expected not in fault] == []


def start(page: Page) -> None:
    """Press the one key that starts; the button has the focus once the page is drawn."""
    page.wait_for_selector("main .button.primary:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("#card")


def token_of(page: Page) -> str:
    return page.get_attribute("#desk", "data-token") or ""


def passage_of(page: Page) -> str:
    return page.inner_text("#passage")


def see(page: Page) -> None:
    """Wait until the card has been in sight long enough for a press to be meant for it."""
    page.wait_for_selector("#desk[data-seen]")


def wait_ahead(page: Page, cards: int) -> None:
    """Wait until that many cards have been fetched ahead."""
    page.wait_for_function(
        "(cards) => performance.getEntriesByType('resource')"
        ".filter((entry) => entry.name.includes('/next?')).length >= cards",
        arg=cards,
    )


def press(page: Page, key: str) -> None:
    """Press a key once the card has been seen, and wait for the next card."""
    token = token_of(page)
    see(page)
    page.keyboard.press(key)
    wait_for_other(page, token)


def wait_for_other(page: Page, token: str) -> None:
    page.wait_for_function(
        "(old) => document.querySelector('#desk').dataset.token !== old", arg=token
    )


def go(page: Page, where: str) -> None:
    """Press the browser's Back or Forward, and wait for the other card."""
    token = token_of(page)
    page.evaluate(f"setTimeout(() => history.{where}(), 0)")
    wait_for_other(page, token)


def wait_saved(page: Page) -> None:
    page.wait_for_function("() => document.querySelector('#saved').textContent === 'saved'")


def slow_down(context: BrowserContext, page: Page, milliseconds: int) -> None:
    line = {"offline": False, "latency": milliseconds}
    speed = {"downloadThroughput": -1, "uploadThroughput": -1}
    context.new_cdp_session(page).send("Network.emulateNetworkConditions", line | speed)


def stored(site: Site) -> list[int | None]:
    with transaction(site.database, write=False) as session:
        return current_values(session)


def arrived(site: Site) -> list[int | None]:
    with transaction(site.database, write=False) as session:
        return history(session)


def grade_to_the_end(page: Page, keys: str) -> None:
    for key in keys:
        press(page, key)
    page.wait_for_selector("#finished")


def test_twenty_passages_are_graded_by_keyboard(browser: Browser, site: Site) -> None:
    slug = make(site, TEN, TEN)
    keys = "01230123012301230123"

    with sitting(browser, site, slug) as page:
        grade_to_the_end(page, keys)

        assert page.inner_text("#today") == "20"
        assert page.url.endswith("/grade")
    assert arrived(site) == [int(key) for key in keys]


def test_the_desk_works_on_postgresql(browser: Browser, postgres_site: Site) -> None:
    slug = make(postgres_site, TEN[:2], TEN[:2])

    with sitting(browser, postgres_site, slug) as page:
        grade_to_the_end(page, "3210")

    assert arrived(postgres_site) == [3, 2, 1, 0]


def test_two_presses_10_ms_apart_are_one_grade_however_slow_the_server(
    browser: Browser, site: Site
) -> None:
    """V-034 (b)."""
    slug = make(site, TEN[:5])

    with sitting(browser, site, slug) as page:
        see(page)
        slow_down(page.context, page, 1000)
        page.keyboard.press("2")
        page.keyboard.press("2")
        see(page)
        page.keyboard.press("3")
        page.locator("#answers [value='1']").dblclick(force=True)
        wait_saved(page)

    assert arrived(site) == [2, 3]


def test_back_shows_the_stored_grade_and_a_key_changes_that_card(
    browser: Browser, site: Site
) -> None:
    """V-036."""
    slug = make(site, TEN[:5])

    with sitting(browser, site, slug) as page:
        shown = []
        for key in "123":
            shown.append(passage_of(page))
            press(page, key)
        wait_saved(page)
        for _ in range(2):
            go(page, "back")
        assert passage_of(page) == shown[1]
        assert page.get_attribute("#answers [value='2']", "aria-pressed") == "true"
        press(page, "0")
        wait_saved(page)
        page.evaluate("setTimeout(() => history.forward(), 0)")
        page.wait_for_timeout(300)
        page.reload()

        assert page.locator(".grading-bar").is_visible()
        assert passage_of(page) not in shown
    assert arrived(site) == [1, 2, 3, 0]


def test_three_keys_without_a_network_arrive_once_it_is_back(
    browser: Browser, site: Site
) -> None:
    """V-038."""
    slug = make(site, TEN[:6])

    with sitting(browser, site, slug) as page:
        wait_ahead(page, 3)
        page.context.set_offline(True)
        for key in "123":
            press(page, key)
        page.wait_for_function(
            "() => document.querySelector('#saved').textContent === '3 not sent yet'"
        )
        assert arrived(site) == []
        page.context.set_offline(False)
        wait_saved(page)

    assert arrived(site) == [1, 2, 3]


def test_unsent_grades_survive_a_reload(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:6])

    with sitting(browser, site, slug) as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.route("**/grade/cards/*", lambda route: route.abort(), times=3)
        press(page, "3")
        page.wait_for_selector(".saved.pending")
        page.unroute_all()
        page.reload()
        page.wait_for_selector("#card")
        wait_saved(page)

    assert arrived(site) == [3]


def test_an_answer_that_is_lost_makes_no_second_grade(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:6])

    with sitting(browser, site, slug) as page:

        def lose_answer(route: Any) -> None:
            route.fetch()
            route.abort()

        page.route("**/grade/cards/*", lose_answer, times=1)
        press(page, "3")
        wait_saved(page)

    assert arrived(site) == [3]


def test_a_refused_grade_is_listed_with_the_way_back(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:4])

    with sitting(browser, site, slug, expected="409") as page:
        first = token_of(page)
        page.evaluate("document.querySelector('#answers [name=seen]').value = 'another card'")
        press(page, "3")
        page.wait_for_selector("#refused .notice")

        assert "has changed since you opened it" in page.inner_text("#refused")
        assert first in (page.get_attribute("#refused a", "href") or "")
        press(page, "1")
        wait_saved(page)
    assert arrived(site) == [1]


def test_two_windows_do_not_undo_each_other(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:6])

    with sitting(browser, site, slug) as page:
        other = page.context.new_page()
        other.goto(page.url)
        press(page, "2")
        wait_saved(page)
        other.wait_for_selector("#answers [value='2'][aria-pressed=true]")
        press(page, "3")
        other.bring_to_front()
        press(other, "2")
        wait_saved(other)

        assert token_of(other) == token_of(page)
    assert sorted(value for value in stored(site) if value is not None) == [2, 3]


def test_undo_brings_the_card_back_ungraded(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:4])

    with sitting(browser, site, slug) as page:
        first = token_of(page)
        press(page, "3")
        press(page, "u")
        assert token_of(page) == first
        assert page.locator("#answers [aria-pressed]").count() == 0
        press(page, "1")
        wait_saved(page)
        assert page.inner_text("#today") == "1"
        page.reload()
        press(page, "u")
        wait_saved_or_idle(page)
        assert token_of(page) == first

    assert stored(site) == []


def wait_saved_or_idle(page: Page) -> None:
    page.wait_for_function("() => !document.querySelector('.saved.pending')")


def press_numeric_pad(page: Page, digit: str) -> None:
    """Press a digit of the numeric pad, its lock on: no name of Playwright's says that."""
    pressed = {"key": digit, "code": f"Numpad{digit}", "text": digit, "isKeypad": True}
    line = page.context.new_cdp_session(page)
    line.send("Input.dispatchKeyEvent", {"type": "keyDown", "location": 3, **pressed})
    line.send("Input.dispatchKeyEvent", {"type": "keyUp", "location": 3, **pressed})


def test_keys_mean_nothing_while_one_writes_or_holds_a_modifier(
    browser: Browser, site: Site
) -> None:
    """V-040."""
    slug = make(site, TEN[:4])

    with sitting(browser, site, slug) as page:
        first = token_of(page)
        see(page)
        page.keyboard.press("n")
        page.keyboard.type("top 3 of 10, 2 0 u s")
        page.keyboard.press("Escape")
        for chord in ("Control+Shift+2", "Alt+2", "Meta+3"):
            page.keyboard.press(chord)
        compose = {"key": "1", "isComposing": True, "bubbles": True}
        page.evaluate(
            "(init) => document.body.dispatchEvent(new KeyboardEvent('keydown', init))", compose
        )
        assert token_of(page) == first
        press_numeric_pad(page, "2")
        wait_for_other(page, first)
        see(page)
        for _ in range(5):
            page.keyboard.down("3")
            page.wait_for_timeout(100)
        page.keyboard.up("3")
        wait_saved(page)

    assert arrived(site) == [2, 3]
    with transaction(site.database, write=False) as session:
        notes = [
            event.note for event in session.scalars(select(GradeEvent).order_by(GradeEvent.id))
        ]
    assert notes == ["top 3 of 10, 2 0 u s", None]


def test_a_skip_asks_why_and_leads_on(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:3])

    with sitting(browser, site, slug) as page:
        see(page)
        page.keyboard.press("s")
        page.wait_for_selector("#skip-panel:popover-open")
        page.keyboard.press("2")
        page.keyboard.press("Tab")
        press(page, "Enter")
        wait_saved(page)

        assert page.inner_text("#today") == "0"
        press(page, "3")
        press(page, "3")
        page.wait_for_selector("#finished")
    assert arrived(site) == [3, 3]


def test_a_lost_session_asks_to_sign_in_and_keeps_the_grade(
    browser: Browser, site: Site
) -> None:
    slug = make(site, TEN[:4])

    with site.enter(browser, slug, "sme") as context:
        page = context.new_page()
        page.goto(f"{site.base}/projects/{slug}/grade")
        start(page)
        cookies: Any = context.cookies()
        wait_ahead(page, 3)
        context.clear_cookies()
        press(page, "3")
        page.wait_for_selector("#sign-in[open]")
        page.keyboard.type("ada1@example.org")
        assert arrived(site) == []
        context.add_cookies(cookies)
        page.click("#sign-in-again")
        wait_saved(page)

    assert arrived(site) == [3]


def test_nothing_but_acts_is_left_in_the_browser(browser: Browser, site: Site) -> None:
    """V-091: no text of a card, and nothing at all once everything is sent."""
    slug = make(site, TEN[:4])

    with sitting(browser, site, slug) as page:
        wait_ahead(page, 3)
        page.context.set_offline(True)
        press(page, "3")
        kept = page.evaluate("JSON.stringify([localStorage, sessionStorage])")
        page.context.set_offline(False)
        wait_saved(page)
        left = page.evaluate("localStorage.length + sessionStorage.length")

    assert "Passage" not in kept
    assert left == 0
    assert len(json.loads(kept)[0]) == 1


def test_the_desk_works_without_scripts(browser: Browser, site: Site) -> None:
    slug = make(site, [("Before. The span. After it.", 8, 17), "Two."], ["Three."])

    with site.enter(browser, slug, "sme", java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.base}/projects/{slug}/grade")
        page.click("main .button.primary")
        for value in (3, 2, 0):
            if page.locator("[data-key=c]").count():
                page.locator("label", has_text="More context").click()
            page.click(f"#answers [value='{value}']")
        assert "Nothing waits for you" in page.inner_text("main")
    assert arrived(site) == [3, 2, 0]
    with transaction(site.database, write=False) as session:
        assert sum(event.context_opened for event in session.scalars(select(GradeEvent))) == 1


def test_skip_note_and_undo_work_without_scripts(browser: Browser, site: Site) -> None:
    slug = make(site, TEN[:3])

    with site.enter(browser, slug, "sme", java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.base}/projects/{slug}/grade")
        page.click("main .button.primary")
        page.click("[data-key=n]")
        page.fill("#note", "3 of 10")
        page.click("#keep-note")
        page.click("#answers [value='2']")
        page.click("[data-key=s]")
        page.click("#skip-panel [value='not my field']")
        page.click("[data-key=u]")
        assert page.url.count("/cards/") == 1
    assert arrived(site)[:1] == [2]


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")]
)
def test_the_desk_is_clean_in_every_state(
    browser: Browser, site: Site, width: int, scheme: str
) -> None:
    long = "A sentence on how the parts of an opened item are packed. " * 30
    slug = make(site, [("Before it. " + long + "After.", 11, 1_500), "Two   b   c\n1   2   3"])
    look: Any = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}

    with sitting(browser, site, slug, **look) as page:
        see(page)
        page.keyboard.press("c")
        faults = find_faults(page)
        for key in "ns?" if width == 390 else "?":
            page.keyboard.press(key)
            page.wait_for_selector(":popover-open")
            faults += find_faults(page)
            page.keyboard.press("Escape")
        press(page, "3")
        faults += find_faults(page)
        press(page, "0")
        page.wait_for_selector("#finished")
        faults += find_faults(page)

    assert faults == []


def test_a_passage_of_20000_characters_keeps_the_answers_in_sight(
    browser: Browser, site: Site
) -> None:
    slug = make(site, ["A sentence on how an opened item is returned. " * 430, "Two."])

    with sitting(browser, site, slug, viewport={"width": 390, "height": 844}) as page:
        page.mouse.wheel(0, 9_000)
        box = page.locator("#answers").bounding_box()

        assert box is not None
        assert box["y"] + box["height"] <= 844
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        press(page, "1")
        assert page.evaluate("scrollY") == 0
