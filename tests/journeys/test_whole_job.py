"""Journey in the browser: from a personal link to scores, on chunked documents."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page
from sqlalchemy import func, select

from app import demo, sample
from app.db import Database, transaction
from app.models import (
    Document,
    DocumentVersion,
    GradeEvent,
    Item,
    Query,
    ReleaseLabel,
    Run,
)
from tests.browser.chromium import open_browser
from tests.browser.installation import Installation, install
from tests.browser.watching import watch
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.browser

ADMIN = "ada@example.org"
KEY = "GOLDSPAN_SECRET_JUDGE"
DEPTH = "10"
GRADES = "01230123012301230123"
RUNS = {f"{kind}@paragraphs" for kind in ("bm25", "dense", "hybrid")}


@dataclass(frozen=True, slots=True)
class Walk:
    """An admin's browser tab in a project, and the database behind it."""

    page: Page
    base: str
    database: Database

    def open(self, room: str) -> None:
        """Go to a room of the project."""
        self.page.goto(f"{self.base}/projects/handbook/{room}")

    def press(self, name: str) -> None:
        """Press the button of that name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def title(self) -> str:
        return self.page.inner_text("h1")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write twelve documents and eight queries of the sample as files to import."""
    queries = [query.query_id for query in sample.load_queries()[:8]]
    wanted = [gold.doc_id for gold in sample.load_gold() if gold.query_id in queries]
    others = [document.doc_id for document in sample.load_corpus()]
    demo.write_files(tmp_path)
    keep_lines(tmp_path / "corpus.jsonl", "doc_id", list(dict.fromkeys(wanted + others))[:12])
    keep_lines(tmp_path / "queries.jsonl", "query_id", queries)
    return tmp_path


def keep_lines(path: Path, field: str, values: list[str]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)[field] in values]
    assert len(kept) == len(values)
    path.write_text("".join(kept), encoding="utf-8")


@contextmanager
def walking(database: Database, site: Installation) -> Iterator[Walk]:
    """Open the tab by a personal link; at the end nothing was reported by the browser."""
    site.run("user", "add", ADMIN, "--name", "Ada")
    link = site.run("user", "link", ADMIN).strip()
    with open_browser() as browser, browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(120_000)
        faults = watch(page)
        page.goto(link)
        page.get_by_role("button", name="Continue as Ada").click()
        yield Walk(page, site.base, database)
        assert faults == []  # a violated policy is reported on the console too


def test_the_whole_job_in_the_browser(database: Database, files: Path, tmp_path: Path) -> None:
    with ScriptedServer() as judge:
        site = install(
            tmp_path / "data",
            GOLDSPAN_DATABASE_URL=database.url,
            GOLDSPAN_ALLOWED_ENDPOINTS=judge.url,
            **{KEY: "s3cret"},
        )
        with site.served(), walking(database, site) as walk:
            create_project(walk)
            import_files(walk, files)
            retrieve(walk)
            pool_and_assign(walk)
            grade_by_keyboard(walk)
            ask_judge(walk, judge)
            look_at_agreement(walk)
            cut_release(walk)
            check_downloads(walk)
            open_scores(walk)


def create_project(walk: Walk) -> None:
    walk.page.get_by_role("link", name="New project").click()
    walk.page.get_by_label("Name", exact=True).fill("Handbook")
    walk.page.get_by_label("Short name").fill("handbook")
    walk.press("Create project")
    walk.page.wait_for_url("**/projects/handbook")


def import_files(walk: Walk, files: Path) -> None:
    for room, path in (("corpus", "corpus.jsonl"), ("queries", "queries.jsonl")):
        walk.open(f"{room}/import")
        walk.page.locator("#file").set_input_files(files / path)
        walk.press("Import")
        walk.page.wait_for_url(f"**/{room}/imports/*")
    assert "8 queries were read" in walk.page.inner_text("main")


def retrieve(walk: Walk) -> None:
    walk.open("runs/retrieve")
    walk.page.get_by_label("Whole documents").uncheck()
    walk.page.get_by_label("Paragraphs").check()
    walk.page.get_by_label("Depth").fill(DEPTH)
    walk.press("Retrieve")
    walk.page.wait_for_selector("#run-list")
    walk.page.wait_for_function("() => !document.querySelector('#runs').hasAttribute('hx-get')")
    assert set(walk.page.locator("#run-list tbody th").all_inner_texts()) == RUNS
    with transaction(walk.database, write=False) as session:
        assert set(session.scalars(select(Run.state))) == {"done"}


def pool_and_assign(walk: Walk) -> None:
    walk.open("pool")
    walk.page.get_by_label("Depth").fill(DEPTH)
    walk.press("Build pool")
    walk.page.wait_for_selector("#runs")
    walk.open("people")
    walk.page.get_by_label("E-mail address").fill(ADMIN)
    walk.page.get_by_label("Admin").check()
    walk.press("Add and make a link")
    walk.open("assign")
    walk.page.get_by_label("Validation sample").fill(str(len(GRADES)))
    walk.page.get_by_label("Graders of each sampled passage").fill("1")
    walk.page.get_by_label("A judge grades it").check()
    walk.press("Start grading")
    walk.page.wait_for_selector("progress")


def grade_by_keyboard(walk: Walk) -> None:
    walk.open("grade")
    walk.page.wait_for_selector("main .button.primary:focus")
    walk.page.keyboard.press("Enter")
    for key in GRADES:
        walk.page.wait_for_selector("#desk[data-seen]")  # from then on keys are taken
        token = walk.page.get_attribute("#desk", "data-token")
        walk.page.keyboard.press(key)
        walk.page.wait_for_function(
            "(old) => document.querySelector('#desk').dataset.token !== old", arg=token
        )
    walk.page.wait_for_selector("#finished")  # shown once every grade has arrived
    with transaction(walk.database, write=False) as session:
        given = session.scalars(select(GradeEvent.value).order_by(GradeEvent.id)).all()
    assert given == [int(key) for key in GRADES]


def ask_judge(walk: Walk, judge: ScriptedServer) -> None:
    walk.open("judges/new")
    walk.page.get_by_label("Name", exact=True).fill("scripted")
    walk.page.get_by_label("Endpoint").fill(judge.url)
    walk.page.get_by_label("Model").fill("scripted-1")
    walk.page.get_by_label("Key", exact=True).select_option(KEY)
    walk.press("Add judge")
    walk.page.get_by_label("The whole pool").check()
    walk.press("Count the calls")
    assert "Nothing has been sent yet" in walk.page.inner_text("main")
    walk.press("Ask judge")
    walk.page.get_by_role("button", name="Pause").wait_for(state="detached")
    assert "finished" in walk.page.inner_text("#progress")
    with transaction(walk.database, write=False) as session:
        items = session.scalar(select(func.count()).select_from(Item))
    assert len(judge.calls) == items
    assert {call.authorization for call in judge.calls} == {"Bearer s3cret"}


def look_at_agreement(walk: Walk) -> None:
    walk.open("agreement")
    walk.press("Look at the test labels")
    verdict = walk.page.get_by_role("region", name="Verdict")
    assert "Not enough labels" in verdict.inner_text()
    assert verdict.get_by_role("listitem").count() >= 2


def cut_release(walk: Walk) -> None:
    walk.open("releases/new")
    walk.page.get_by_label("scripted").check()
    walk.page.get_by_label("Reason for the override").fill("A first look at the runs")
    walk.press("Cut release")
    walk.page.wait_for_url("**/releases/1")
    assert "A first look at the runs" in walk.page.inner_text("#judges")


def check_downloads(walk: Walk) -> None:
    labels = read_labels(walk.database)
    lines = [line.split() for line in download(walk, "Download labels (TREC)").splitlines()]
    assert {(query, hit): int(grade) for query, _, hit, grade in lines} == labels
    assert len(lines) == len(labels)
    rows = [json.loads(line) for line in download(walk, "JSON lines").splitlines()]
    relevant = {
        (row["query_id"], hit): grade for row in rows for hit, grade in row["relevant"].items()
    }
    assert relevant == labels
    spans = [json.loads(line) for line in download(walk, "Spans").splitlines()]
    assert {
        (row["query_id"], f"{row['doc_id']}#{row['start']}-{row['end']}"): row["grade"]
        for row in spans
    } == labels


def read_labels(database: Database) -> dict[tuple[str, str], int]:
    """Return the grades of the release by query and hit id, as the database has them."""
    wanted = (
        select(
            Query.query_id, Document.doc_id, Item.span_start, Item.span_end, ReleaseLabel.value
        )
        .join(Item, Item.id == ReleaseLabel.item_id)
        .join(Query, Query.id == Item.query_ref)
        .join(DocumentVersion, DocumentVersion.id == Item.document_version_id)
        .join(Document, Document.id == DocumentVersion.document_ref)
    )
    with transaction(database, write=False) as session:
        rows = session.execute(wanted).all()
    return {(query, f"{doc}#{start}-{end}"): value for query, doc, start, end, value in rows}


def download(walk: Walk, name: str) -> str:
    with walk.page.expect_download() as coming:
        walk.page.get_by_role("link", name=name, exact=True).click()
    return Path(coming.value.path()).read_text(encoding="utf-8")


def open_scores(walk: Walk) -> None:
    walk.open("scores")
    walk.press("Score 3 runs")
    walk.page.wait_for_selector("#scores-1")
    rows = walk.page.locator("#scores-1 tbody tr")
    assert set(rows.locator("th").all_inner_texts()) == RUNS
    assert "undefined" not in rows.all_inner_texts()[0]
