"""Endpoint: vectors from an address, paid for once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.db import Database, transaction
from app.models import Project, Run
from app.retrieval import answering, endpoint, service
from app.settings import Settings
from tests.retrieval.building import build_project, found, plan, stored
from tests.scripted_server import ScriptedServer, always, embed, status


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def aim(database: Database, project: Project, server: ScriptedServer) -> None:
    with transaction(database) as session:
        service.set_embedder(
            session, session.merge(project), url=server.url, model="tiny", key_name="",
            allowed=(server.url,),
        )  # fmt: skip


def answer(database: Database, folder: Path, server: ScriptedServer, run_id: int) -> Run:
    settings = Settings(data_dir=folder, allowed_endpoints=server.url)
    answering.answer_run(database, settings, run_id)
    return stored(database, run_id)


def asked(server: ScriptedServer) -> int:
    return sum(len(call.body["input"]) for call in server.calls)


def test_vectors_come_from_the_endpoint_and_are_kept(
    database: Database, server: ScriptedServer, tmp_path: Path
) -> None:
    project = build_project(database)
    aim(database, project, server)
    (first,) = plan(database, project, "dense@whole")
    run = answer(database, tmp_path, server, first.run.id)
    (second,) = plan(database, project, "dense@whole", depth=30)
    answer(database, tmp_path, server, second.run.id)

    assert run.state == "done"
    assert run.report["embedder"] == f"tiny at {server.url}"
    assert found(database, run)["q1"][0] == "returns"
    assert asked(server) == 4 + 7 + 7  # the documents once, the queries for each run


def test_an_endpoint_that_fails_in_the_middle_is_asked_only_for_the_rest(
    database: Database,
    server: ScriptedServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endpoint, "PART", 2)
    project = build_project(database)
    aim(database, project, server)
    (planned,) = plan(database, project, "dense@whole")
    calls: list[int] = []

    def fail_later(call):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        calls.append(1)
        return embed(call) if len(calls) < 2 else status(400)

    server.embeddings = fail_later
    broken = answer(database, tmp_path, server, planned.run.id)
    server.embeddings = embed
    (again,) = plan(database, project, "dense@whole")
    server.calls.clear()
    run = answer(database, tmp_path, server, again.run.id)

    assert (broken.state, broken.error) == (
        "failed", "The embeddings endpoint answered with status 400.",
    )  # fmt: skip
    assert run.state == "done"
    assert asked(server) == 2 + 7


def test_another_embedder_makes_another_run(
    database: Database, server: ScriptedServer, tmp_path: Path
) -> None:
    project = build_project(database)
    (lsa,) = plan(database, project, "dense@whole")
    answer(database, tmp_path, server, lsa.run.id)
    aim(database, project, server)
    (remote,) = plan(database, project, "dense@whole")

    assert (lsa.run.report["embedder"], remote.fresh) == ("LSA", True)
    assert remote.run.name == "dense@whole #2"


def test_an_endpoint_that_always_fails_fails_the_run_in_words(
    database: Database, server: ScriptedServer, tmp_path: Path
) -> None:
    server.embeddings = always(status(401))
    project = build_project(database)
    aim(database, project, server)
    (planned,) = plan(database, project, "hybrid@whole")
    run = answer(database, tmp_path, server, planned.run.id)

    assert run.state == "failed"
    assert run.error == "The embeddings endpoint answered with status 401."
