"""The desk over HTTP: with the script's requests and with plain forms."""

import re
from html import unescape
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import select

from app.db import Database, transaction
from app.models import GradeEvent, Project
from tests.clients import Browser, sign_in
from tests.grading.desks import Passage, current_values, history, make_desk

TEN = [f"Passage number {number} on returns." for number in range(10)]
EVIL = [
    "<img src=x onerror=document.title='XSS'>",
    "\"><svg onload=document.title='XSS'>",
    "</script><script>document.title='XSS'</script>",
    "{{7*7}}",
]


def open_desk(database: Database, *questions: list[Passage], seats: int = 1) -> Project:
    with transaction(database) as session:
        return make_desk(session, *questions, seats=seats)


def sit_down(
    database: Database, folder: Path, project: Project, name: str = "ada"
) -> tuple[Browser, str]:
    """Return an SME's browser and the address of the desk."""
    browser = sign_in(database, folder, name=name, slug=project.slug, roles=("sme",))
    return browser, f"/projects/{project.slug}/grade"


def start(browser: Browser, desk: str) -> str:
    """Start grading and return the first card's token."""
    return card_of(browser.post(f"{desk}/start"))


def card_of(answer: httpx2.Response) -> str:
    """Return the token of the card a form led to; empty where it led to the start."""
    assert answer.status_code == 303
    return answer.headers["location"].partition("/cards/")[2]


def fields_of(browser: Browser, desk: str, token: str) -> dict[str, str]:
    """Return the hidden fields of a card's form, as a browser without scripts sends them."""
    page = browser.get(f"{desk}/cards/{token}").text
    form = page[page.index('id="answers"') :]
    return dict(re.findall(r'type="hidden" name="(key|seen)" value="([^"]+)"', form)[:2])


def grade(
    browser: Browser, desk: str, token: str, value: int, **options: object
) -> httpx2.Response:
    data = {**fields_of(browser, desk, token), "value": str(value)}
    return browser.post(f"{desk}/cards/{token}", data=data | dict(options))


def passage_of(page: str) -> str:
    inside = page.partition('id="passage" dir="auto">')[2].partition("</div>")[0]
    return unescape(re.sub(r"</?mark>", "", inside))


def test_a_question_is_graded_with_plain_forms_to_the_end(
    database: Database, tmp_path: Path
) -> None:
    project = open_desk(database, ["One.", "Two."], ["Three."])
    browser, desk = sit_down(database, tmp_path, project)
    assert "2 questions, about 1 minute" in browser.get(desk).text

    token = start(browser, desk)
    for value in (3, 0, 1):
        token = card_of(grade(browser, desk, token, value))

    assert token == ""
    assert "Nothing waits for you. Thank you." in browser.get(desk).text
    with transaction(database, write=False) as session:
        assert sorted(v for v in current_values(session) if v is not None) == [0, 1, 3]


def test_the_desk_opens_where_it_was_left(database: Database, tmp_path: Path) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)

    assert card_of(browser.get(desk)) == token


def test_a_look_at_the_start_takes_nothing(database: Database, tmp_path: Path) -> None:
    project = open_desk(database, ["One."])
    ada, desk = sit_down(database, tmp_path, project)
    ben, _ = sit_down(database, tmp_path, project, "ben")

    ada.get(desk)

    assert start(ben, desk)


def test_the_script_is_answered_with_what_is_stored(database: Database, tmp_path: Path) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)
    data = {**fields_of(browser, desk, token), "value": "2"}

    answer = browser.post(f"{desk}/cards/{token}", data=data, htmx=True)

    assert answer.json() == {"today": 1, "token": None}
    assert 'aria-pressed="true"' in browser.get(f"{desk}/cards/{token}").text


def test_cards_ahead_come_in_order_and_end_with_the_question(
    database: Database, tmp_path: Path
) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, [*TEN[:3]], ["Other."]))
    first = start(browser, desk)

    second = browser.get(f"{desk}/next", params={"after": first})
    token = second.text.partition('data-token="')[2].partition('"')[0]
    third = browser.get(f"{desk}/next", params={"after": token})
    last = third.text.partition('data-token="')[2].partition('"')[0]

    assert len({first, token, last}) == 3
    assert browser.get(f"{desk}/next", params={"after": last}).status_code == 204
    assert "<html" not in second.text
    assert "no-store" in second.headers["cache-control"]


def test_the_same_post_twice_is_one_grade(database: Database, tmp_path: Path) -> None:
    """V-034 (a)."""
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)
    data = {**fields_of(browser, desk, token), "value": "2"}

    for _ in range(2):
        browser.post(f"{desk}/cards/{token}", data=data, htmx=True)

    with transaction(database, write=False) as session:
        assert history(session) == [2]


def test_back_shows_the_stored_grade_and_changes_that_card(
    database: Database, tmp_path: Path
) -> None:
    """V-036 without scripts."""
    browser, desk = sit_down(database, tmp_path, open_desk(database, [*TEN[:4]]))
    tokens = [start(browser, desk)]
    for value in (1, 2, 3):
        tokens.append(card_of(grade(browser, desk, tokens[-1], value)))

    again = grade(browser, desk, tokens[1], 0)

    assert card_of(again) == tokens[3]
    with transaction(database, write=False) as session:
        assert history(session) == [1, 2, 3, 0]
        assert sorted(v for v in current_values(session) if v is not None) == [0, 1, 3]


def test_undo_opens_the_last_card_again(database: Database, tmp_path: Path) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)
    grade(browser, desk, token, 3)

    back = browser.post(f"{desk}/undo", data={"key": "undo-1"})

    assert card_of(back) == token
    assert "aria-pressed" not in browser.get(f"{desk}/cards/{token}").text


def test_a_skip_is_no_grade_and_leads_on(database: Database, tmp_path: Path) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)

    answer = browser.post(f"{desk}/cards/{token}/skip", data={"reason": "other", "key": "k"})

    assert card_of(answer) not in ("", token)
    with transaction(database, write=False) as session:
        assert history(session) == []


def test_a_note_goes_with_the_grade_and_can_be_changed_later(
    database: Database, tmp_path: Path
) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)

    grade(browser, desk, token, 3, note="top 3 of 10")
    shown = browser.get(f"{desk}/cards/{token}").text
    browser.post(f"{desk}/cards/{token}/note", data={"note": "better", "key": "k"})

    assert ">\ntop 3 of 10</textarea>" in shown
    assert ">\nbetter</textarea>" in browser.get(f"{desk}/cards/{token}").text
    with transaction(database, write=False) as session:
        assert current_values(session) == [3]


@pytest.mark.parametrize("value", ["4", "-1", "2.5", "two", ""])
def test_a_value_off_the_scale_is_refused(
    database: Database, tmp_path: Path, value: str
) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One."]))
    token = start(browser, desk)
    data = {**fields_of(browser, desk, token), "value": value}

    answer = browser.post(f"{desk}/cards/{token}", data=data, htmx=True)

    assert answer.status_code == 422


def test_nobody_sees_or_grades_the_card_of_another(database: Database, tmp_path: Path) -> None:
    project = open_desk(database, ["One."], ["Two."])
    ada, desk = sit_down(database, tmp_path, project)
    token = start(ada, desk)
    seen = fields_of(ada, desk, token)
    ben, _ = sit_down(database, tmp_path, project, "ben")
    start(ben, desk)

    paths = [f"{desk}/cards/{token}", f"{desk}/cards/{token}/piece"]
    answers = [ben.get(path).status_code for path in paths]
    posted = ben.post(f"{desk}/cards/{token}", data={**seen, "value": "1"}, htmx=True)

    assert [*answers, posted.status_code] == [404, 404, 404]


def test_unsent_grades_of_one_person_are_not_taken_from_another(
    database: Database, tmp_path: Path
) -> None:
    project = open_desk(database, ["One."])
    browser, desk = sit_down(database, tmp_path, project)
    token = start(browser, desk)
    data = {**fields_of(browser, desk, token), "value": "1"}

    answer = browser.post(
        f"{desk}/cards/{token}", data=data, htmx=True, headers={"X-Outbox": "of somebody"}
    )

    assert answer.status_code == 401
    with transaction(database, write=False) as session:
        assert history(session) == []


def test_a_viewer_has_no_desk(database: Database, tmp_path: Path) -> None:
    project = open_desk(database, ["One."])
    browser = sign_in(database, tmp_path, slug=project.slug, roles=("viewer",))

    assert browser.get(f"/projects/{project.slug}/grade").status_code == 403


def test_a_card_tells_nothing_of_where_it_comes_from_or_what_others_said(
    database: Database, tmp_path: Path
) -> None:
    """V-033: no ids, runs, ranks, scores; no grade of another, whatever is asked."""
    project = open_desk(database, ["The one passage."], seats=2)
    ada, desk = sit_down(database, tmp_path, project)
    token = start(ada, desk)
    grade(ada, desk, token, 3, note="highly relevant")
    ben, _ = sit_down(database, tmp_path, project, "ben")
    fresh = ben.get(desk).text
    own = start(ben, desk)

    paths = [f"{desk}/cards/{own}", f"{desk}/cards/{own}/piece"]
    pages = fresh + "".join(ben.get(path).text for path in paths)
    pages = pages.replace("I cannot judge this", "").replace("cannot judge", "")

    for told in ("secret-document", "secret-query", "highly relevant", "aria-pressed", token):
        assert told not in pages
    for word in ("rank", "score", "retriever", "judge", "pool", "sme-1"):
        assert not re.search(rf"\b{word}\b", pages, re.IGNORECASE)
    assert "0</span> today" in pages


@pytest.mark.parametrize(
    "text",
    [
        *EVIL,
        "🦊 fox says hi",
        "cafe\u0301 noir served",
        "a &lt; b & c <i>d</i>",
        "  two blanks\n\n\nand lines  ",
    ],
)
def test_a_passage_is_shown_literally(database: Database, tmp_path: Path, text: str) -> None:
    """V-020 to V-024 and V-083: escaped once, nothing normalised."""
    browser, desk = sit_down(database, tmp_path, open_desk(database, [text]))

    page = browser.get(f"{desk}/cards/{start(browser, desk)}").text

    assert passage_of(page) == text
    assert "onerror=document.title='XSS'>" not in page.replace("&#39;", "'").replace("&gt;", "")
    assert "49" not in passage_of(page)


def test_only_the_second_of_the_same_words_is_the_passage(
    database: Database, tmp_path: Path
) -> None:
    """V-030."""
    project = open_desk(database, [("no yes no yes no", 7, 9)])
    browser, desk = sit_down(database, tmp_path, project)

    page = browser.get(f"{desk}/cards/{start(browser, desk)}").text

    assert passage_of(page) == "no"
    assert "<span>no yes</span>" in page
    assert "<span>yes no</span>" in page


def test_the_guideline_is_one_press_away(database: Database, tmp_path: Path) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One."]))

    page = browser.get(f"{desk}/cards/{start(browser, desk)}").text

    assert "Grade what is marked." in page


def test_the_context_that_was_opened_is_recorded(database: Database, tmp_path: Path) -> None:
    browser, desk = sit_down(database, tmp_path, open_desk(database, ["One.", "Two."]))
    token = start(browser, desk)
    grade(browser, desk, card_of(grade(browser, desk, token, 1)), 2, context_opened="true")

    with transaction(database, write=False) as session:
        opened = [
            event.context_opened
            for event in session.scalars(select(GradeEvent).order_by(GradeEvent.id))
        ]
    assert opened == [False, True]


def test_the_question_is_counted_among_those_that_wait(
    database: Database, tmp_path: Path
) -> None:
    project = open_desk(database, ["One."], ["Two."], ["Three."], seats=2)
    browser, desk = sit_down(database, tmp_path, project)

    first = start(browser, desk)
    second = card_of(grade(browser, desk, first, 1))

    assert "Question 2 of 3 · passage 1 of 1" in browser.get(f"{desk}/cards/{second}").text
    earlier = browser.get(f"{desk}/cards/{first}").text
    assert "Earlier question · passage 1 of 1" in earlier
