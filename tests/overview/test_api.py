"""The HTTP API: who may ask, what comes back, how it refuses."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.accounts import service as accounts
from app.db import Database, transaction
from app.pooling import service as pooling
from app.projects import service as projects
from tests.clients import sign_in, web
from tests.evaluation.rows import label, make_release, make_run
from tests.factories import make_document, make_project, make_query

Headers = dict[str, str]


@pytest.fixture
def client(database: Database, tmp_path: Path) -> Iterator[TestClient]:
    with web(database, tmp_path) as opened:
        yield opened


@pytest.fixture
def slug(database: Database) -> str:
    """A project with a release, a run that was not scored and a pool-less corpus."""
    with transaction(database) as session:
        project = make_project(session)
        query = make_query(session, project, query_id="q1")
        a = make_document(session, project, doc_id="a")
        make_document(session, project, doc_id="b")
        make_run(session, project, "old", [(query, [(a, None)])])
        make_release(session, project, [query], [label(session, query, a, 2)])
        return project.slug


def bearer(database: Database, slug: str | None, *roles: str) -> Headers:
    """Return the headers of a person with these roles in a project."""
    with transaction(database) as session:
        user = accounts.find_or_add_user(session, f"{'-'.join(roles) or 'x'}@example.org")
        if slug is not None:
            project = projects.project_by_slug(session, slug)
            projects.set_roles(session, project, user, set(roles))
        token = accounts.make_api_token(session, user)
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/projects"),
        ("GET", "/api/v1/projects/any"),
        ("POST", "/api/v1/projects/any/runs?name=x"),
        ("POST", "/api/v1/projects/any/pool/extend"),
        ("POST", "/api/v1/projects/any/grades?sme=x"),
        ("GET", "/api/v1/projects/any/releases/1/export"),
        ("GET", "/api/v1/projects/any/evaluation"),
    ],
)
def test_without_a_token_nothing_is_told(client: TestClient, method: str, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = client.request(method, path, headers=headers)

        assert answer.status_code == 401
        assert set(answer.json()) == {"error", "details"}


def test_a_foreign_project_does_not_exist(
    client: TestClient, database: Database, slug: str
) -> None:
    answer = client.get(f"/api/v1/projects/{slug}", headers=bearer(database, None))

    assert (answer.status_code, answer.json()["error"]) == (404, "Nothing here")


def test_a_wrong_role_is_refused(client: TestClient, database: Database, slug: str) -> None:
    viewer, sme = bearer(database, slug, "viewer"), bearer(database, slug, "sme")
    path = f"/api/v1/projects/{slug}"

    assert client.post(f"{path}/runs?name=x", headers=viewer, content=b"").status_code == 403
    assert client.post(f"{path}/pool/extend", headers=viewer).status_code == 403
    assert client.get(f"{path}/evaluation", headers=sme).status_code == 403
    assert client.get(path, headers=viewer).status_code == 200


def test_a_cookie_alone_may_not_post_to_the_api(
    database: Database, tmp_path: Path, slug: str
) -> None:
    browser = sign_in(database, tmp_path, slug=slug)

    answer = browser.client.post(f"/api/v1/projects/{slug}/pool/extend")

    assert answer.status_code == 403


def test_projects_are_listed_with_your_roles(
    client: TestClient, database: Database, slug: str
) -> None:
    found = client.get("/api/v1/projects", headers=bearer(database, slug, "admin", "sme"))

    assert [(each["slug"], each["roles"]) for each in found.json()["projects"]] == [
        (slug, ["admin", "sme"])
    ]


def test_a_run_is_pushed_pooled_and_scored(
    client: TestClient, database: Database, slug: str
) -> None:
    admin, path = bearer(database, slug, "admin"), f"/api/v1/projects/{slug}"
    body = b"q1 Q0 b 1 2 r\nq1 Q0 a 2 1 r\n"

    pushed = client.post(f"{path}/runs?name=new", headers=admin, content=body)
    again = client.post(f"{path}/runs?name=new", headers=admin, content=body)

    assert (pushed.status_code, pushed.json()["hits"]) == (201, 2)
    assert again.json()["already"] is True
    names = [run["name"] for run in client.get(f"{path}/runs", headers=admin).json()["runs"]]
    assert names == ["old", "new"]
    scores = client.get(f"{path}/evaluation?per_query=true", headers=admin).json()
    assert scores["release"] == 1
    assert scores["runs"]["new"]["mean"]["mrr"] == 0.5
    assert scores["runs"]["new"]["queries"] == {"q1": scores["runs"]["new"]["mean"]}
    assert scores["runs"]["new"]["holes"]["5"] == 1


def test_bad_lines_of_a_run_are_named(
    client: TestClient, database: Database, slug: str
) -> None:
    answer = client.post(
        f"/api/v1/projects/{slug}/runs?name=bad",
        headers=bearer(database, slug, "admin"),
        content=b"q1 Q0 a 1 2 r\nq1 Q0 b 2 nan r\n",
    )

    assert answer.status_code == 422
    assert "line 2" in answer.json()["details"][0]


def test_the_pool_is_extended_or_only_counted(
    client: TestClient, database: Database, slug: str
) -> None:
    admin, path = bearer(database, slug, "admin"), f"/api/v1/projects/{slug}"
    missing = client.post(f"{path}/pool/extend", headers=admin)

    assert (missing.status_code, missing.json()["error"]) == (404, "Nothing here")
    with transaction(database) as session:
        project = projects.project_by_slug(session, slug)
        pooling.build(session, project, run_names=["old"])
    client.post(f"{path}/runs?name=new", headers=admin, content=b"q1 Q0 b 1 2 r\n")
    counted = client.post(f"{path}/pool/extend?run=new&dry_run=true", headers=admin).json()
    extended = client.post(f"{path}/pool/extend?run=new", headers=admin).json()
    assert counted == extended
    assert (extended["items"], extended["runs"]["new"]) == (2, {"hits": 1, "unique": 1})


def test_grades_are_pushed_under_one_name(
    client: TestClient, database: Database, slug: str
) -> None:
    admin, path = bearer(database, slug, "admin"), f"/api/v1/projects/{slug}/grades"
    body = b"q1 0 a 4\nq1 0 b 0\n"

    pushed = client.post(f"{path}?sme=nist&map=4=3,0=0", headers=admin, content=body)
    nobody = client.post(path, headers=admin, content=body)
    off_scale = client.post(f"{path}?judge=j", headers=admin, content=body)

    assert pushed.status_code == 201, pushed.text
    assert nobody.status_code == 422
    assert "line 1" in off_scale.json()["details"][0]


def test_a_release_is_listed_and_exported(
    client: TestClient, database: Database, slug: str
) -> None:
    viewer, path = bearer(database, slug, "viewer"), f"/api/v1/projects/{slug}/releases"
    with transaction(database) as session:
        project = projects.project_by_slug(session, slug)
        query, a = make_query(session, project), make_document(session, project)
        release = make_release(
            session, project, [query], [label(session, query, a, 3)], number=2
        )
        release.manifest = release.manifest | {
            "unwritable": {"trec": {"count": 0}, "beir": {"count": 0}, "hit_id": {"count": 0}}
        }

    listed = client.get(path, headers=viewer).json()["releases"]
    exported = client.get(f"{path}/2/export?format=trec", headers=viewer)

    assert [each["number"] for each in listed] == [2, 1]
    assert exported.status_code == 200
    assert exported.text.split()[-1] == "3"
    assert "attachment" in exported.headers["content-disposition"]
    assert client.get(f"{path}/9/export", headers=viewer).status_code == 404
    assert client.get(f"{path}/2/export?format=docx", headers=viewer).status_code == 422


def test_the_description_holds_only_the_api(client: TestClient) -> None:
    described = client.get("/api/v1/openapi.json").json()

    assert all(path.startswith("/api/v1/") for path in described["paths"])
    assert "/api/v1/projects/{slug}/evaluation" in described["paths"]
