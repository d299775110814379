"""Routes of retrieval: what people see of runs, and who may make them."""

from pathlib import Path

import pytest

from app.db import Database, transaction
from app.models import Project, Run
from app.retrieval import service
from tests.clients import Browser, sign_in
from tests.retrieval.building import answer, build_project, plan, retrieve, stored

RUN = b"q1 Q0 returns 1 9 tag\nq1 Q0 laptops 2 8 tag\n"
ATTACK = "<img src=x onerror=alert(1)>"


@pytest.fixture
def project(database: Database) -> Project:
    return build_project(database)


@pytest.fixture
def browser(database: Database, tmp_path: Path, project: Project) -> Browser:
    return sign_in(database, tmp_path, slug=project.slug)


def address(project: Project, rest: str = "") -> str:
    return f"/projects/{project.slug}/runs{rest}"


def test_an_empty_room_says_what_to_do_and_why(browser: Browser, project: Project) -> None:
    shown = browser.get(address(project)).text

    assert "No runs yet" in shown
    assert f'href="{address(project, "/retrieve")}"' in shown


def test_retrieving_plans_the_chosen_runs(
    database: Database, browser: Browser, project: Project
) -> None:
    sent = browser.post(
        address(project, "/retrieve"),
        data={
            "kind": ["bm25", "hybrid"],
            "chunking": ["whole"],
            "other": "chars:50:10",
            "depth": "7",
        },
    )
    with transaction(database, write=False) as session:
        runs = service.list_runs(session, project.id)

    assert (sent.status_code, sent.headers["location"]) == (303, address(project))
    assert {run.name for run in runs} == {
        "bm25@whole", "hybrid@whole", "bm25@chars:50:10", "hybrid@chars:50:10",
    }  # fmt: skip
    assert {run.depth for run in runs} == {7}


@pytest.mark.parametrize(
    "data", [{"depth": "20"}, {"kind": "bm25", "chunking": "x", "depth": "20"}]
)
def test_a_wrong_choice_is_refused_in_words(
    browser: Browser, project: Project, data: dict[str, str]
) -> None:
    assert browser.post(address(project, "/retrieve"), data=data).status_code == 422


def test_the_list_polls_while_runs_are_under_way_and_then_stops(
    database: Database, browser: Browser, project: Project, tmp_path: Path
) -> None:
    (planned,) = plan(database, project, "bm25@whole")
    before = browser.get(address(project)).text
    answer(database, tmp_path, planned.run.id)
    after = browser.get(address(project, "/progress")).text

    assert 'hx-trigger="every 2s"' in before
    assert "waiting for a worker" in before
    assert "every 2s" not in after
    assert after.lstrip().startswith('<div id="runs"')


def test_a_run_is_cancelled_from_the_list(
    database: Database, browser: Browser, project: Project
) -> None:
    (planned,) = plan(database, project, "bm25@whole")
    sent = browser.post(address(project, "/cancel"), data={"name": "bm25@whole"})
    again = browser.post(address(project, "/cancel"), data={"name": "bm25@whole"})

    assert (sent.status_code, again.status_code) == (303, 409)
    assert stored(database, planned.run.id).state == "cancelled"


def test_a_run_shows_its_hits_query_by_query(
    database: Database, browser: Browser, project: Project, tmp_path: Path
) -> None:
    retrieve(database, tmp_path, project, "bm25@paragraphs")
    shown = browser.get(address(project, "/bm25%40paragraphs"), params={"query": "q2"}).text

    assert "Engineers get a new laptop every 36 months." in shown
    assert "0–43" in shown
    assert "no answer" not in shown


def test_a_run_and_a_query_that_are_not_there_are_not_found(
    database: Database, browser: Browser, project: Project, tmp_path: Path
) -> None:
    retrieve(database, tmp_path, project, "bm25@whole")

    assert browser.get(address(project, "/none")).status_code == 404
    assert browser.get(address(project, "/%00")).status_code == 422
    assert browser.get(address(project, "/bm25@whole?query=q99")).status_code == 404


def test_checking_a_file_stores_nothing_and_importing_it_does(
    database: Database, browser: Browser, project: Project
) -> None:
    checked = browser.post(
        address(project, "/import"), data={"step": "check"}, files={"file": ("mine.trec", RUN)}
    )
    with transaction(database, write=False) as session:
        before = service.list_runs(session, project.id)
    sent = browser.post(
        address(project, "/import"), data={"step": "import"}, files={"file": ("mine.trec", RUN)}
    )

    assert "2 hits for 1 query" in checked.text
    assert "6 queries of the project without an answer" in checked.text
    assert before == []
    assert (sent.status_code, sent.headers["location"]) == (303, address(project, "/mine"))
    assert "Best first" in browser.get(address(project, "/mine")).text


def test_a_bad_file_is_refused_with_its_lines(browser: Browser, project: Project) -> None:
    sent = browser.post(
        address(project, "/import"),
        data={"step": "import"},
        files={"file": ("mine.trec", b"q1 Q0 returns 1 nan tag\n")},
    )

    assert sent.status_code == 422
    assert "mine.trec, line 1" in sent.text


def test_v069_the_warning_stays_visible_on_the_run(browser: Browser, project: Project) -> None:
    content = b"q1 Q0 returns 1 0.1 t\nq1 Q0 laptops 2 0.9 t\n"
    browser.post(
        address(project, "/import"),
        data={"step": "import"},
        files={"file": ("d.trec", content)},
    )

    assert "ranks disagree in 1" in browser.get(address(project)).text
    assert "Score and rank tell different orders" in browser.get(address(project, "/d")).text


def test_v083_names_of_runs_are_shown_literally(browser: Browser, project: Project) -> None:
    sent = browser.post(
        address(project, "/import"),
        data={"step": "import", "name": ATTACK},
        files={"file": ("d.trec", RUN)},
    )
    for shown in (
        browser.get(address(project)).text,
        browser.get(sent.headers["location"]).text,
    ):
        assert ATTACK not in shown
        assert "&lt;img src=x" in shown


def test_names_with_signs_of_addresses_have_pages(browser: Browser, project: Project) -> None:
    for name in ("a/b", "50% off?", "bm25@whole #2", "ü & ö"):
        sent = browser.post(
            address(project, "/import"),
            data={"step": "import", "name": name},
            files={"file": ("d.trec", RUN)},
        )

        assert browser.get(sent.headers["location"]).status_code == 200


def test_readers_see_runs_and_only_admins_make_them(
    database: Database, project: Project, tmp_path: Path
) -> None:
    viewer = sign_in(database, tmp_path, name="vi", slug=project.slug, roles=("viewer",))
    grader = sign_in(database, tmp_path, name="sam", slug=project.slug, roles=("sme",))

    assert viewer.get(address(project)).status_code == 200
    assert grader.get(address(project)).status_code == 403
    for rest in ("/retrieve", "/import", "/embeddings", "/cancel"):
        assert viewer.post(address(project, rest), data={"name": "x"}).status_code == 403


def test_the_embedder_may_only_be_where_goldspan_may_call(
    database: Database, browser: Browser, project: Project
) -> None:
    refused = browser.post(
        address(project, "/embeddings"),
        data={"url": "http://169.254.169.254/v1", "model": "m"},
    )
    taken = browser.post(
        address(project, "/embeddings"),
        data={"url": "https://vectors.example.com/v1", "model": "m"},
    )
    keyless = browser.post(
        address(project, "/embeddings"),
        data={"url": "https://vectors.example.com/v1", "model": "m", "key_name": "PATH"},
    )

    assert (refused.status_code, taken.status_code, keyless.status_code) == (422, 303, 422)
    assert (
        "m at https://vectors.example.com/v1" in browser.get(address(project, "/retrieve")).text
    )
    assert "vectors.example.com" in browser.get(address(project, "/embeddings")).text


def test_a_failed_run_tells_why(database: Database, browser: Browser, project: Project) -> None:
    (planned,) = plan(database, project, "bm25@whole")
    with transaction(database) as session:
        run = session.get_one(Run, planned.run.id)
        run.state, run.error = "failed", "The endpoint answered with status 500."

    shown = browser.get(address(project)).text
    assert "The endpoint answered with status 500." in shown
    assert "retrieve again and it goes on from there" in shown
