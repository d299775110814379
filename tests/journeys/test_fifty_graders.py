"""Fifty people grade at once over HTTP: no slot twice, no grade lost, on both databases."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
from sqlalchemy import func, select

from app.accounts import service as accounts
from app.db import Database, transaction
from app.models import GradeEvent, Slot
from app.projects import service as projects
from app.web.security import SESSION, form_token
from tests.browser.site import Site, serve
from tests.grading.desks import make_desk

PEOPLE = 50
QUESTIONS = 25
PASSAGES = 4
SEATS = 2


def enter(site: Site, slug: str, number: int) -> httpx2.Client:
    """Return the client of a new grader who is signed in."""
    with transaction(site.database) as session:
        user = accounts.add_user(session, f"grader-{number}@example.org")
        projects.set_roles(session, projects.project_by_slug(session, slug), user, {"sme"})
        token = accounts.open_session(session, user)
    return httpx2.Client(
        base_url=site.base,
        cookies={SESSION: token},
        headers={"X-CSRF-Token": form_token(token), "Origin": site.base},
        timeout=60,
    )


def grade_all(client: httpx2.Client, slug: str) -> int:
    """Grade, as a browser without scripts does, until nothing waits; return how many."""
    graded = 0
    desk = f"/projects/{slug}/grade"
    with client:
        onward = client.post(f"{desk}/start").headers["location"]
        while onward != desk:
            card = client.get(onward).text
            form = {name: _hidden(card, name) for name in ("key", "seen")}
            answer = client.post(onward, data={**form, "value": str(graded % 4)})
            assert answer.status_code == 303, answer.text
            graded += 1
            onward = answer.headers["location"]
            if onward == desk:
                onward = client.post(f"{desk}/start").headers["location"]
    return graded


def _hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def test_fifty_people_fill_every_slot_once(database: Database, tmp_path: Path) -> None:
    texts = [f"Passage {number} about the tide." for number in range(PASSAGES)]
    with transaction(database) as session:
        slug = make_desk(session, *[texts] * QUESTIONS, seats=SEATS).slug
    with serve(database, tmp_path) as site:
        people = [enter(site, slug, number) for number in range(PEOPLE)]
        with ThreadPoolExecutor(PEOPLE) as pool:
            counts = list(pool.map(lambda client: grade_all(client, slug), people))

    wanted = QUESTIONS * PASSAGES * SEATS
    with transaction(database, write=False) as session:
        states = dict(
            session.execute(select(Slot.state, func.count()).group_by(Slot.state)).all()
        )
        events = session.scalar(select(func.count()).select_from(GradeEvent))
        pairs = session.execute(select(GradeEvent.slot_id, GradeEvent.grader_id)).all()
        people_an_item = session.scalars(
            select(func.count(func.distinct(GradeEvent.grader_id))).group_by(GradeEvent.item_id)
        ).all()
    assert sum(counts) == wanted
    assert states == {"done": wanted}
    assert events == wanted
    assert len({slot for slot, _ in pairs}) == wanted
    assert set(people_an_item) == {SEATS}
