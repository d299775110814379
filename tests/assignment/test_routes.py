from pathlib import Path

from app.db import Database, transaction
from app.pooling import service as pooling
from app.projects import service as projects
from tests.assignment.desk import give, make_desk, make_sme, next_card
from tests.clients import Browser, sign_in
from tests.factories import make_document, make_query
from tests.pooling.runs import make_run


def make_shop(database: Database, *, documents: int = 6) -> None:
    with transaction(database) as session:
        project = projects.create_project(session, "shop")
        query = make_query(session, project, query_id="q1")
        versions = [make_document(session, project, doc_id=f"d{n}") for n in range(documents)]
        make_run(session, project, "bm25", {query.id: versions})
        pooling.build(session, project)


def send(browser: Browser, text: str, **fields: str) -> str:
    data = {"step": "import", "kind": "sme", "name": "NIST"} | fields
    files = {"file": ("../qrels.trec", text.encode())}
    return browser.post("/projects/shop/assign/import", data=data, files=files).text


def test_without_a_pool_the_page_says_what_comes_first(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        projects.create_project(session, "shop")
    browser = sign_in(database, tmp_path, slug="shop")

    assert "No pool yet" in browser.get("/projects/shop/assign").text


def test_the_price_of_a_plan_is_shown_before_it_starts(
    database: Database, tmp_path: Path
) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    counted = browser.post("/projects/shop/assign", data={"step": "count", "sample": "4"}).text

    assert "10 grades on 1 questions" in counted or "10 grades on 1 question" in counted
    assert "4 passages in the validation sample, 2 grades each" in counted
    assert "2 passages once" in counted
    assert "who has graded" not in counted.lower()


def test_starting_queues_the_plan_and_shows_progress(
    database: Database, tmp_path: Path
) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    started = browser.post("/projects/shop/assign", data={"step": "start", "sample": "4"})
    shown = browser.get("/projects/shop/assign").text

    assert started.headers["location"] == "/projects/shop/assign"
    assert "Validation sample" in shown
    assert "Queue what is new" in shown


def test_only_admins_see_the_plan(database: Database, tmp_path: Path) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop", roles=("sme",))

    assert browser.get("/projects/shop/assign").status_code == 403
    assert browser.post("/projects/shop/assign", data={"step": "start"}).status_code == 403


def test_grades_from_a_file_are_checked_then_imported(
    database: Database, tmp_path: Path
) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    checked = send(browser, "q1 0 d1 2\nq1 0 d2 0\n", step="check")
    imported = send(browser, "q1 0 d1 2\nq1 0 d2 0\n")
    again = send(browser, "q1 0 d1 2\nq1 0 d2 0\n")

    assert "Nothing has been stored" in checked
    assert "Imported 2 grades on 1 queries" in imported or "Imported 2 grades" in imported
    assert "here already" in again
    shown = browser.get("/projects/shop/assign").text
    assert "qrels.trec" in shown
    assert "NIST" in shown


def test_a_bad_file_is_refused_with_its_lines(database: Database, tmp_path: Path) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    refused = send(browser, "q1 0 d1 2\nq1 0 d2 seven\n")

    assert "qrels.trec, line 2" in refused
    assert "NIST" not in browser.get("/projects/shop/assign").text


def test_the_page_counts_what_each_grader_did(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        project = projects.create_project(session, "shop")
        desk = make_desk(session, items=2, project=project)
        ada = make_sme(session, desk, "ada")
        give(session, ada, next_card(session, ada), 2)
    browser = sign_in(database, tmp_path, slug="shop")

    shown = browser.get("/projects/shop/assign").text

    assert 'data-value="1">1<' in shown
