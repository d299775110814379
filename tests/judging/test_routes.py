"""Routes of judging: adding, launching, watching and steering, with and without htmx."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from app.db import Database, transaction
from app.judging import service
from app.models import Batch, Project
from tests.clients import Browser, sign_in
from tests.factories import make_project
from tests.judging import rows
from tests.scripted_server import ScriptedServer, always, grade, status

FORM = {
    "name": "first & best",
    "model": "m",
    "key_name": "",
    "temperature": "0",
    "max_tokens": "400",
    "system": "Be strict. {guidelines}",
    "user": 'Q: {query}\r\nP: {span}\r\nAnswer like {"grade": 0}',
}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(always(grade(2))) as served:
        yield served


@pytest.fixture
def project(database: Database) -> Project:
    with transaction(database) as session:
        made = make_project(session)
        rows.make_pairs(session, made, 3)
    return made


@pytest.fixture
def admin(
    database: Database,
    project: Project,
    server: ScriptedServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Browser:
    monkeypatch.setenv("GOLDSPAN_ALLOWED_ENDPOINTS", server.url)
    return sign_in(database, tmp_path, slug=project.slug)


def add(admin: Browser, project: Project, server: ScriptedServer) -> str:
    """Add a judge by the form and return the address of its page."""
    answer = admin.post(
        f"/projects/{project.slug}/judges/new", data=FORM | {"endpoint": server.url}
    )
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def test_a_judge_is_added_launched_watched_and_finished(
    database: Database, project: Project, admin: Browser, server: ScriptedServer
) -> None:
    base = f"/projects/{project.slug}/judges"
    assert "No judge yet" in admin.get(base).text
    page = admin.get(add(admin, project, server)).text
    assert "first &amp; best" in page
    assert server.url in page

    preview = admin.get(f"{base}/launch", params={"name": "first & best", "scope": "pool"}).text
    assert "Ask judge" in preview
    assert "A laptop lasts" in preview
    assert server.calls == []

    answer = admin.post(f"{base}/launch", data={"name": "first & best", "scope": "pool"})
    assert answer.headers["location"] == f"{base}/batch?number=1"
    waiting = admin.get(f"{base}/batch/progress?number=1").text
    assert "hx-trigger" in waiting
    assert "<html" not in waiting

    with transaction(database, write=False) as session:
        batch = session.scalars(select(Batch)).one()
    rows.work(database, batch, server)
    assert "Answer like {&#34;grade&#34;: 0}" not in server.calls[0].text
    assert 'Answer like {"grade": 0}' in server.calls[0].text
    done = admin.get(f"{base}/batch/progress?number=1").text
    assert "finished" in done
    assert "hx-trigger" not in done
    assert "it says so" in admin.get(f"{base}/batch?number=1").text
    assert "Batch 1" in admin.get(base).text
    nothing = admin.get(f"{base}/launch", params={"name": "first & best", "scope": "pool"})
    assert "Nothing to ask" in nothing.text


def test_a_batch_is_paused_resumed_and_cancelled_by_forms(
    database: Database, project: Project, admin: Browser, server: ScriptedServer
) -> None:
    base = f"/projects/{project.slug}/judges"
    add(admin, project, server)
    admin.post(f"{base}/launch", data={"name": "first & best", "scope": "pool"})

    for act, state in [("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")]:
        assert admin.post(f"{base}/batch/{act}", data={"number": 1}).status_code == 303
        assert state in admin.get(f"{base}/batch?number=1").text
    assert admin.post(f"{base}/batch/resume", data={"number": 1}).status_code == 409
    assert admin.post(f"{base}/batch/stop", data={"number": 1}).status_code == 422
    assert admin.post(f"{base}/batch/pause", data={"number": 2}).status_code == 404


def test_a_stopped_batch_says_why_and_what_to_do(
    database: Database, project: Project, admin: Browser, server: ScriptedServer
) -> None:
    server.script = always(status(401, "invalid key"))
    base = f"/projects/{project.slug}/judges"
    add(admin, project, server)
    admin.post(f"{base}/launch", data={"name": "first & best", "scope": "pool"})
    with transaction(database, write=False) as session:
        batch = session.scalars(select(Batch)).one()
    rows.work(database, batch, server)

    page = admin.get(f"{base}/batch?number=1").text
    assert "The batch has stopped" in page
    assert "invalid key" in page
    assert "Resume" in page


def test_the_connection_is_tried_with_nothing_of_the_project(
    project: Project, admin: Browser, server: ScriptedServer
) -> None:
    base = f"/projects/{project.slug}/judges"
    add(admin, project, server)

    good = admin.post(f"{base}/test", data={"name": "first & best"}).text
    server.script = always(status(404, "no such model"))
    bad = admin.post(f"{base}/test", data={"name": "first & best"}).text

    assert "The judge answers" in good
    assert "no such model" in bad
    assert not any("A laptop" in call.text for call in server.calls)


def test_a_judge_can_be_the_start_of_another(
    project: Project, admin: Browser, server: ScriptedServer
) -> None:
    add(admin, project, server)
    page = admin.get(f"/projects/{project.slug}/judges/new", params={"like": "first & best"})

    assert "Be strict. {guidelines}" in page.text
    assert server.url in page.text
    refused = admin.post(
        f"/projects/{project.slug}/judges/new",
        data=FORM | {"endpoint": "http://169.254.169.254/v1", "name": "second"},
    )
    assert refused.status_code == 422


@pytest.mark.parametrize("roles", [("sme",), ("viewer",)])
def test_only_admins_may_ask(
    database: Database,
    project: Project,
    server: ScriptedServer,
    tmp_path: Path,
    roles: tuple[str, ...],
) -> None:
    with transaction(database) as session:
        judge = rows.add_judge(session, project, server.url)
        service.launch(session, project, judge, service.Scope("pool"))
    browser = sign_in(database, tmp_path, name="eve", slug=project.slug, roles=roles)
    base = f"/projects/{project.slug}/judges"

    assert browser.get(base).status_code == (200 if roles == ("viewer",) else 403)
    assert browser.get(f"{base}/new").status_code == 403
    assert browser.post(f"{base}/batch/cancel", data={"number": 1}).status_code == 403
    assert browser.post(f"{base}/test", data={"name": "first"}).status_code == 403
