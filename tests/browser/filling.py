"""Filling: the sample project as it looks after a week: a judge, grades, a second release."""

import hashlib

from playwright.sync_api import Page
from sqlalchemy.orm import Session

from app import demo
from app.accounts import service as accounts
from app.agreement import service as agreement
from app.db import open_database, transaction
from app.projects import service as projects
from app.releases import service as releases
from app.releases.service import Override
from tests.browser.chromium import open_browser
from tests.browser.installation import Installation
from tests.scripted_server import Act, Call, says, sensible

SLUG = demo.SLUG
NEWCOMER = "newcomer"
GRADER = "grace@saltmere.example"
JUDGE = "harbour-7b"
KEYS = "0123021"
CHANGED = "(old) => document.querySelector('#desk').dataset.token !== old"
SAVED = "() => document.querySelector('#saved.pending') === null"


def mumble(call: Call) -> Act:
    """Answer sensibly, but for one passage in fifteen say no grade at all."""
    if hashlib.sha256(call.text.encode()).digest()[0] < 256 / 15:
        return says("It depends on what one is looking for.")
    return sensible(call, latency=0.05)


def fill(site: Installation, endpoint: str) -> None:
    """Let a judge and the visitor grade, cut a second release, and begin an empty project."""
    add = ("judge", "add", SLUG, "--name", JUDGE, "--endpoint", endpoint, "--model", "h7")
    site.run(*add)
    site.run("judge", "run", SLUG, "--judge", JUDGE, "--scope", "validation", "--yes")
    database = open_database(site.database_url)
    with transaction(database) as session:
        _release(session)
        _add_people(session)
    database.close()
    _work_as_visitor(site)


def _release(session: Session) -> None:
    project = projects.project_by_slug(session, SLUG)
    agreement.measure_judge(session, project, JUDGE)
    override = Override(JUDGE, "A first look at what the judge would change")
    releases.cut_release(session, project, note="With the judge", overrides=[override])


def _add_people(session: Session) -> None:
    visitor = accounts.user_by_email(session, demo.VISITOR)
    grace = accounts.add_user(session, GRADER, name="Grace")
    saltmere = projects.project_by_slug(session, SLUG)
    projects.set_roles(session, saltmere, grace, {"sme"})
    empty = projects.create_project(
        session, NEWCOMER, name="Questions of the whole customer service", cut=1
    )
    projects.set_roles(session, empty, visitor, {"admin", "sme"})


def make_link(site: Installation, email: str) -> str:
    """Make a personal link."""
    database = open_database(site.database_url)
    with transaction(database) as session:
        token = accounts.make_link(session, accounts.user_by_email(session, email))
    database.close()
    return f"{site.base}/link/{token}"


def _work_as_visitor(site: Installation) -> None:
    """Grade a few passages by keyboard and score the newest release."""
    with open_browser() as browser, browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(make_link(site, demo.VISITOR))
        page.locator("main form button").first.click()
        page.wait_for_url(f"{site.base}/")
        page.goto(f"{site.base}/projects/{SLUG}/grade")
        page.wait_for_selector("main .button.primary:focus")
        page.keyboard.press("Enter")
        for key in KEYS:
            _grade(page, key)
        page.wait_for_function(SAVED)
        page.goto(f"{site.base}/projects/{SLUG}/scores")
        page.locator(".page-head button").click()
        page.wait_for_selector("#scores-1")


def _grade(page: Page, key: str) -> None:
    page.wait_for_selector("#desk[data-seen]")  # from then on keys are taken
    token = page.get_attribute("#desk", "data-token")
    page.keyboard.press(key)
    page.wait_for_function(CHANGED, arg=token)
