import json
from pathlib import Path
from urllib.parse import quote

import pytest

from app.db import Database, transaction
from app.projects import service as projects
from tests.clients import Browser, sign_in

ROOM = "/projects/shop/queries"
TWO = b"""{"query_id":"q1","text":"red shoes","need":"names a price"}
{"query_id":"q/2","text":"x"}"""
ATTACK = "<img src=x onerror=document.title='XSS'> {{7*7}}"


@pytest.fixture
def browser(database: Database, tmp_path: Path) -> Browser:
    with transaction(database) as session:
        projects.create_project(session, "shop")
    return sign_in(database, tmp_path, slug="shop")


def send(browser: Browser, content: bytes, step: str = "import") -> tuple[int, str, str]:
    answer = browser.post(
        f"{ROOM}/import", data={"step": step}, files={"file": ("q.jsonl", content)}
    )
    return answer.status_code, answer.text, answer.headers.get("location", "")


def test_queries_are_checked_imported_listed_and_shown(browser: Browser) -> None:
    assert "No queries yet" in browser.get(ROOM).text
    assert "names a price" in send(browser, TWO, "check")[1]
    status, _, location = send(browser, TWO)

    assert status == 303
    assert "2 queries were read" in browser.get(location).text
    assert f'href="{ROOM}/q1"' in browser.get(ROOM).text
    assert "names a price" in browser.get(f"{ROOM}/q1").text
    assert browser.get(f"{ROOM}/q/2").status_code == 200


def test_script_in_a_query_is_shown_literally_v083(browser: Browser) -> None:
    row = {"query_id": ATTACK, "text": ATTACK, "need": ATTACK, "tags": {ATTACK: ATTACK}}
    content = json.dumps(row).encode()
    shown = [
        send(browser, content, "check")[1],
        browser.get(send(browser, content)[2]).text,
        browser.get(ROOM).text,
        browser.get(f"{ROOM}/{quote(ATTACK)}").text,
    ]

    assert all("<img src=x" not in text for text in shown)
    assert all("{{7*7}}" in text for text in (shown[0], shown[2], shown[3]))


@pytest.mark.parametrize("query", ["search=%00", "after=-1", "after=1e9", "after=99999999999"])
def test_hostile_values_are_refused_not_failed_v093(browser: Browser, query: str) -> None:
    assert browser.get(f"{ROOM}?{query}").status_code == 422


@pytest.mark.parametrize("query_id", ["none", "%ff"])
def test_a_query_nobody_knows_is_not_found_v093(browser: Browser, query_id: str) -> None:
    assert browser.get(f"{ROOM}/{query_id}").status_code == 404


def test_a_search_takes_a_percent_sign_literally_v093(browser: Browser) -> None:
    send(browser, TWO)

    assert "red shoes" not in browser.get(f"{ROOM}?search=%25").text
    assert "red shoes" in browser.get(f"{ROOM}?search=SHOES").text
