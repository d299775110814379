import json
import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest

from app.corpus import service
from app.db import Database, transaction
from app.projects import service as projects
from tests.clients import Browser, sign_in
from tests.corpus.files import write

ROOM = "/projects/shop/corpus"
ATTACKS = (
    "<img src=x onerror=document.title='XSS'>",
    "\"><svg onload=document.title='XSS'>",
    "</script><script>document.title='XSS'</script>",
    "{{7*7}}",
)
THREE = b'{"doc_id":"a","text":"one"}\n{"doc_id":"b","text":"two"}\n{"doc_id":"c","text":""}\n'


@pytest.fixture
def browser(database: Database, tmp_path: Path) -> Browser:
    with transaction(database) as session:
        projects.create_project(session, "shop")
    return sign_in(database, tmp_path, slug="shop")


def send(
    browser: Browser, content: bytes, step: str = "import", name: str = "docs.jsonl"
) -> tuple[int, str, str]:
    answer = browser.post(
        f"{ROOM}/import", data={"step": step}, files={"file": (name, content)}
    )
    return answer.status_code, answer.text, answer.headers.get("location", "")


def test_an_empty_corpus_says_what_to_do(browser: Browser) -> None:
    shown = browser.get(ROOM)

    assert shown.status_code == 200
    assert "No documents yet" in shown.text
    assert f'href="{ROOM}/import"' in shown.text


def test_checking_shows_the_rows_and_stores_nothing(browser: Browser) -> None:
    status, shown, _ = send(browser, THREE, "check")

    assert status == 200
    assert "Nothing has been stored" in shown
    assert "two" in shown
    assert "No documents yet" in browser.get(ROOM).text


def test_importing_goes_to_a_report_and_fills_the_list(browser: Browser) -> None:
    status, _, location = send(browser, THREE)

    assert status == 303
    assert "3 documents were read" in browser.get(location).text
    assert f"{ROOM}/documents/b" in browser.get(ROOM).text
    assert "docs.jsonl" in browser.get(ROOM).text


def test_the_same_file_again_says_that_nothing_was_changed(browser: Browser) -> None:
    send(browser, THREE)

    _, _, location = send(browser, THREE)

    assert "Nothing was changed" in browser.get(location).text
    assert "is here already" in send(browser, THREE, "check")[1]


def test_a_bad_file_is_refused_with_its_line(browser: Browser) -> None:
    status, shown, _ = send(browser, b'{"doc_id":"a","text":"one"}\n{"doc_id":"b","te')

    assert status == 422
    assert "docs.jsonl, line 2" in shown
    assert "nothing was stored" in shown
    assert 'name="file"' in shown  # the form is there to try again
    assert "No documents yet" in browser.get(ROOM).text


def test_a_bad_file_by_htmx_is_answered_with_its_reasons_only(browser: Browser) -> None:
    answer = browser.post(
        f"{ROOM}/import", htmx=True, data={"step": "import"}, files={"file": ("d", b"{")}
    )

    assert answer.status_code == 422
    assert "line 1" in answer.text
    assert "<form" not in answer.text


def test_a_check_by_htmx_answers_with_the_piece(browser: Browser) -> None:
    answer = browser.post(
        f"{ROOM}/import", htmx=True, data={"step": "check"}, files={"file": ("d", THREE)}
    )

    assert "<html" not in answer.text
    assert "What the import would do" in answer.text


@pytest.mark.parametrize(
    "name", ["../../x.jsonl", "..", "/etc/evil", "C:\\evil", "CON", "x" * 300]
)
def test_a_hostile_file_name_is_no_path_and_leaves_no_file_v085(
    browser: Browser, name: str
) -> None:
    before = set(Path(tempfile.gettempdir()).glob("goldspan-*/upload"))

    status, _, location = send(browser, THREE, name=name)

    assert status == 303
    shown = browser.get(location).text
    assert "../" not in shown
    assert set(Path(tempfile.gettempdir()).glob("goldspan-*/upload")) == before


def test_an_import_without_a_file_is_refused_v085(browser: Browser) -> None:
    answer = browser.post(f"{ROOM}/import", data={"step": "import"})

    assert answer.status_code == 422


def test_script_in_a_document_is_shown_literally_v083(
    browser: Browser, database: Database, tmp_path: Path
) -> None:
    attack = " ".join(ATTACKS)
    with transaction(database) as session:
        project = projects.project_by_slug(session, "shop")
        row = {"doc_id": attack, "title": attack, "text": attack, "tags": {attack: attack}}
        path = write(tmp_path, json.dumps(row))
        service.import_corpus(session, project, path, file_name=attack)

    for address in (ROOM, f"{ROOM}/documents/{quote(attack)}"):
        shown = browser.get(address)
        assert shown.status_code == 200
        assert "<img src=x" not in shown.text
        assert "<svg onload" not in shown.text
        assert "</script><script>" not in shown.text
        assert "{{7*7}}" in shown.text
        assert "&lt;img src=x" in shown.text


def test_script_in_a_previewed_file_is_shown_literally_v083(browser: Browser) -> None:
    _, shown, _ = send(browser, b'{"doc_id":"<b>x</b>","text":"<i>y</i>{{7*7}}"}', "check")

    assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert "<i>y</i>" not in shown
    assert "{{7*7}}" in shown


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("%_%", False),
        ("'", False),
        ("(((((a+)+)+)+)$", False),
        ("100%", True),
        ("A_B", True),
        ("a_b", True),
    ],
)
def test_a_search_takes_every_character_literally_v093(
    browser: Browser, search: str, found: bool
) -> None:
    send(
        browser, b'{"doc_id":"A_B","text":"x"}\n{"doc_id":"AxB","title":"100% wool","text":"x"}'
    )

    shown = browser.get(ROOM, params={"search": search})

    assert shown.status_code == 200
    assert (f"{ROOM}/documents/A" in shown.text) is found
    assert not ("documents/A_B" in shown.text and "documents/AxB" in shown.text)


@pytest.mark.parametrize("query", ["search=%00", "after=%00", f"search={'x' * 300}", "part=-1"])
def test_hostile_values_are_refused_not_failed_v093(browser: Browser, query: str) -> None:
    send(browser, THREE)
    address = f"{ROOM}/documents/a" if query.startswith("part") else ROOM

    assert browser.get(f"{address}?{query}").status_code == 422


@pytest.mark.parametrize("doc_id", ["none", "%ff", "99999999999999999999"])
def test_a_document_nobody_knows_is_not_found_v093(browser: Browser, doc_id: str) -> None:
    assert browser.get(f"{ROOM}/documents/{doc_id}").status_code == 404


@pytest.mark.parametrize("doc_id", ["%00", "a%00b"])
def test_an_id_that_no_database_keeps_is_refused_v093(browser: Browser, doc_id: str) -> None:
    assert browser.get(f"{ROOM}/documents/{doc_id}").status_code == 422


def test_ids_with_slashes_signs_and_blanks_have_their_page(browser: Browser) -> None:
    ids = ["a/b", "<dbpedia:X_Y>", "a?b=c#d", "100%", "blank ", "é", "a//b/"]
    lines = "\n".join(json.dumps({"doc_id": each, "text": "text of it"}) for each in ids)
    send(browser, lines.encode())

    listed = browser.get(ROOM).text
    for each in ids:
        assert f"{ROOM}/documents/{quote(each)}" in listed
        assert "text of it" in browser.get(f"{ROOM}/documents/{quote(each)}").text


def test_a_long_text_comes_in_parts(browser: Browser) -> None:
    send(browser, b'{"doc_id":"a","text":"%sEND"}' % (b"x" * 50_000))

    first = browser.get(f"{ROOM}/documents/a").text
    last = browser.get(f"{ROOM}/documents/a?part=3").text

    assert "END" not in first
    assert "part 1 of 3" in first
    assert "xEND" in last


def test_the_list_goes_on_where_it_ended(browser: Browser) -> None:
    rows = "".join(f'{{"doc_id":"d{number:03}","text":"x"}}\n' for number in range(60))
    send(browser, rows.encode())

    assert "after=d049" in browser.get(ROOM).text
    assert "documents/d059" in browser.get(f"{ROOM}?after=d049").text


def test_a_viewer_reads_and_does_not_import(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        projects.create_project(session, "shop")
    viewer = sign_in(database, tmp_path, name="vic", slug="shop", roles=("viewer",))
    grader = sign_in(database, tmp_path, name="gus", slug="shop", roles=("sme",))

    assert viewer.get(ROOM).status_code == 200
    assert viewer.get(f"{ROOM}/import").status_code == 403
    assert send(viewer, THREE)[0] == 403
    assert grader.get(ROOM).status_code == 403
