from pathlib import Path

from app.db import Database, transaction
from app.models import Project
from app.pooling import service
from app.projects import service as projects
from tests.clients import sign_in
from tests.factories import make_document, make_query
from tests.pooling.runs import make_run


def make_shop(database: Database) -> None:
    with transaction(database) as session:
        project: Project = projects.create_project(session, "shop")
        query = make_query(session, project)
        known, unknown = make_document(session, project), make_document(session, project, None)
        make_run(session, project, "<b>bm25</b>", {query.id: [known, unknown]})


def test_counting_first_shows_the_figures_and_stores_nothing(
    database: Database, tmp_path: Path
) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    counted = browser.post("/projects/shop/pool", data={"step": "count", "depth": "20"})

    assert "would hold 2 passages, 2 of them new" in counted.text
    assert "<html" in counted.text
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, "shop")
        assert service.find_pool(session, project.id) is None


def test_htmx_gets_the_piece_that_changed(database: Database, tmp_path: Path) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    counted = browser.post("/projects/shop/pool", data={"step": "count"}, htmx=True)

    assert "would hold 2 passages" in counted.text
    assert "<html" not in counted.text


def test_building_shows_who_found_what(database: Database, tmp_path: Path) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    built = browser.post("/projects/shop/pool", data={"step": "build", "depth": "20"})
    shown = browser.get("/projects/shop/pool").text

    assert (built.status_code, built.headers["location"]) == (303, "/projects/shop/pool")
    assert "&lt;b&gt;bm25&lt;/b&gt;" in shown
    assert "<b>bm25" not in shown
    assert "Extend the pool" in shown


def test_a_viewer_reads_the_pool_and_changes_nothing(
    database: Database, tmp_path: Path
) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop", roles=("viewer",))

    assert "Build pool" not in browser.get("/projects/shop/pool").text
    assert browser.post("/projects/shop/pool", data={"step": "build"}).status_code == 403


def test_a_depth_out_of_range_is_refused_in_words(database: Database, tmp_path: Path) -> None:
    make_shop(database)
    browser = sign_in(database, tmp_path, slug="shop")

    refused = browser.post("/projects/shop/pool", data={"step": "build", "depth": "0"})

    assert refused.status_code == 422
    assert "The depth is 1 to 1,000" in refused.text
