from pathlib import Path

from app.db import Database, transaction
from app.projects import service
from tests.clients import sign_in


def test_a_first_person_makes_a_project_and_is_its_admin(
    database: Database, tmp_path: Path
) -> None:
    browser = sign_in(database, tmp_path)

    made = browser.post("/projects", data={"slug": "shop", "name": "Shop", "cut": "2"})

    assert (made.status_code, made.headers["location"]) == (303, "/projects/shop")
    assert "Shop" in browser.get("/").text


def test_a_project_one_does_not_belong_to_does_not_exist(
    database: Database, tmp_path: Path
) -> None:
    with transaction(database) as session:
        service.create_project(session, "secret")
    browser = sign_in(database, tmp_path)

    assert browser.get("/projects/secret/people").status_code == 404


def test_a_grader_may_not_invite(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        service.create_project(session, "shop")
    browser = sign_in(database, tmp_path, slug="shop", roles=("sme",))

    answer = browser.post("/projects/shop/people", data={"email": "x@y.org", "roles": "admin"})

    assert answer.status_code == 403


def test_an_invitation_shows_a_link_that_works_once(database: Database, tmp_path: Path) -> None:
    with transaction(database) as session:
        service.create_project(session, "shop")
    browser = sign_in(database, tmp_path, slug="shop")

    shown = browser.post(
        "/projects/shop/people", data={"email": "eve@example.org", "roles": ["sme"]}
    ).text

    path = "/link/" + shown.split("/link/")[1].split("<")[0]
    assert "Continue as eve" in browser.get(path).text
    assert browser.post(path).status_code == 303
    assert browser.post(path).status_code == 410
