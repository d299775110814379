"""A project's home page."""

from pathlib import Path

import pytest

from app.db import Database, transaction
from app.overview import service
from app.projects import service as projects
from tests.clients import sign_in
from tests.evaluation.rows import label, make_release, make_run
from tests.factories import make_document, make_project, make_query


def test_the_home_page_shows_the_stations_and_the_next_step(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        projects.create_project(session, "shop", name="Shop")

    home = sign_in(database, tmp_path, slug="shop").get("/projects/shop").text

    assert "Import a corpus" in home
    assert all(name in home for name in ("Corpus", "Queries", "Runs", "Pool", "Scores"))
    assert "project shop, cut 1" in home


def test_a_grader_is_sent_to_the_desk(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        projects.create_project(session, "shop")

    answer = sign_in(database, tmp_path, slug="shop", roles=("sme",)).get("/projects/shop")

    assert (answer.status_code, answer.headers["location"]) == (303, "/projects/shop/grade")


@pytest.mark.parametrize("roles", [("viewer",), ("adjudicator",), ("admin", "sme")])
def test_readers_see_it(database: Database, tmp_path: Path, roles: tuple[str, ...]) -> None:
    with transaction(database) as session:
        projects.create_project(session, "shop")

    assert sign_in(database, tmp_path, slug="shop", roles=roles).get("/projects/shop").text


def test_the_state_is_counted_from_what_is_there(database: Database) -> None:
    with transaction(database) as session:
        project = make_project(session)
        query, a = make_query(session, project), make_document(session, project)
        make_document(session, project, None)
        make_run(session, project, "run", [(query, [(a, None)])])
        make_release(session, project, [query], [label(session, query, a, 1)])
    with transaction(database, write=False) as session:
        state = service.state_of(session, project)

    assert (state.documents, state.queries, state.runs) == (1, 1, 1)
    assert (state.pool_items, state.blocks, state.judges) == (None, 0, 0)
    assert (state.release, state.release_labels, state.scored) == (1, 1, 0)
