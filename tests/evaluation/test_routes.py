"""The pages of scores, on both databases."""

from pathlib import Path

import pytest

from app.db import Database, transaction
from app.models import DocumentVersion, Query
from app.pooling import service as pooling
from app.projects import service as projects
from tests.clients import Browser, sign_in
from tests.evaluation.rows import label, make_release, make_run
from tests.factories import make_document, make_project, make_query


@pytest.fixture
def slug(database: Database) -> str:
    """A project with a release and two runs, cut differently, none scored yet."""
    with transaction(database) as session:
        project = make_project(session)
        query = make_query(session, project, query_id="q<1>")
        other = make_query(session, project, query_id="q2")
        a, b = make_document(session, project), make_document(session, project)
        labels = [label(session, query, a, 3, (3, 9)), label(session, other, b, 0, (3, 9))]
        make_release(session, project, [query, other], labels)
        answers: list[tuple[Query, list[tuple[DocumentVersion, tuple[int, int] | None]]]]
        answers = [(query, [(b, (3, 9)), (a, (3, 9))])]
        make_run(session, project, "bm25@paragraphs", answers, chunking="paragraphs")
        make_run(session, project, "a/run #2 & <b>", answers, chunking="chars:400:100")
        return project.slug


def scored(database: Database, folder: Path, slug: str) -> Browser:
    browser = sign_in(database, folder, slug=slug)
    answer = browser.post(f"/projects/{slug}/scores", data={"release": "1"})
    assert answer.status_code == 303
    return browser


def test_the_board_offers_to_score_what_was_not_scored(
    database: Database, tmp_path: Path, slug: str
) -> None:
    browser = sign_in(database, tmp_path, slug=slug, roles=("viewer",))

    assert "Score 2 runs" in browser.get(f"/projects/{slug}/scores").text
    browser.post(f"/projects/{slug}/scores", data={"release": "1", "k": "5"})

    board = browser.get(f"/projects/{slug}/scores?k=5").text
    assert "Score 2 runs" not in board
    assert "0.500" in board
    assert "relevant from grade 1" in board


def test_runs_cut_otherwise_stand_apart_under_a_line_that_says_why(
    database: Database, tmp_path: Path, slug: str
) -> None:
    board = scored(database, tmp_path, slug).get(f"/projects/{slug}/scores").text

    assert "Cut otherwise: chars:400:100" in board
    assert "By characters read" in board


def test_a_run_shows_the_values_behind_its_means(
    database: Database, tmp_path: Path, slug: str
) -> None:
    browser = scored(database, tmp_path, slug)

    shown = browser.get(
        f"/projects/{slug}/scores/run", params={"name": "a/run #2 & <b>", "k": "5"}
    ).text

    assert "q&lt;1&gt;" in shown
    assert "<b>" not in shown
    assert "Nothing relevant found: 1" in shown
    assert "Grade what is missing" in shown


def test_two_runs_are_compared_with_a_warning_where_they_are_cut_differently(
    database: Database, tmp_path: Path, slug: str
) -> None:
    shown = scored(database, tmp_path, slug).get(
        f"/projects/{slug}/scores/compare",
        params={"first": "bm25@paragraphs", "second": "a/run #2 & <b>"},
    )

    assert shown.status_code == 200
    assert "These runs cut the text differently" in shown.text


def test_scores_are_downloaded_as_csv_with_what_they_depend_on(
    database: Database, tmp_path: Path, slug: str
) -> None:
    browser = scored(database, tmp_path, slug)

    board = browser.get(f"/projects/{slug}/scores/download").text.splitlines()
    queries = browser.get(
        f"/projects/{slug}/scores/run/download", params={"name": "bm25@paragraphs"}
    ).text.splitlines()

    assert board[0] == "run,chunking,unit,cut,no_relevant,metric,mean,low,high,n,undefined"
    assert "bm25@paragraphs,paragraphs,span,1,skip,mrr,0.5,,,1,1" in board
    assert (queries[0].split(",")[0], len(queries)) == ("query_id", 3)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/scores?k=7", 422),
        ("/scores?release=9", 404),
        ("/scores?cut=4", 422),
        ("/scores/run?name=nobody", 404),
        ("/scores/compare?first=a&second=b", 404),
    ],
)
def test_what_does_not_exist_is_refused_in_words(
    database: Database, tmp_path: Path, slug: str, path: str, status: int
) -> None:
    browser = sign_in(database, tmp_path, slug=slug)

    assert browser.get(f"/projects/{slug}{path}").status_code == status


def test_a_grader_sees_no_scores(database: Database, tmp_path: Path, slug: str) -> None:
    browser = sign_in(database, tmp_path, slug=slug, roles=("sme",))

    assert browser.get(f"/projects/{slug}/scores").status_code == 403


def test_only_an_admin_queues_what_is_missing(
    database: Database, tmp_path: Path, slug: str
) -> None:
    data = {"name": "bm25@paragraphs", "k": "5"}
    address = f"/projects/{slug}/scores/grade"
    admin = sign_in(database, tmp_path, slug=slug)
    viewer = sign_in(database, tmp_path, name="eve", slug=slug, roles=("viewer",))

    assert viewer.post(address, data=data).status_code == 403
    assert admin.post(address, data=data).status_code == 404  # there is no pool to extend
    with transaction(database) as session:
        project = projects.project_by_slug(session, slug)
        pooling.build(session, project, run_names=["a/run #2 & <b>"], depth=1)
    queued = admin.post(address, data=data)
    assert (queued.status_code, queued.headers["location"]) == (303, f"/projects/{slug}/pool")


def test_a_project_without_release_says_what_to_do(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        slug = make_project(session).slug

    page = sign_in(database, tmp_path, slug=slug).get(f"/projects/{slug}/scores").text

    assert "No release yet" in page
    assert "Go to releases" in page
