"""Commands: ``goldspan judge ...``, as people type them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app import serving
from app.cli import app
from app.db import open_database, transaction
from app.errors import AppError, Invalid
from app.settings import load_settings
from tests.factories import make_project
from tests.judging import rows
from tests.scripted_server import ScriptedServer, always, by_marker, grade, status


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    script = by_marker({"pair-1.": grade(9)}, always(grade(2)))
    with ScriptedServer(script) as served:
        yield served


@pytest.fixture
def slug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> str:
    """The short name of a project in a fresh database that commands will open."""
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDSPAN_ALLOWED_ENDPOINTS", server.url)
    monkeypatch.delenv("GOLDSPAN_DATABASE_URL", raising=False)
    settings = load_settings()
    serving.prepare(settings)
    database = open_database(settings.database)
    with transaction(database) as session:
        project = make_project(session)
        rows.make_pairs(session, project, 5)
    database.close()
    return project.slug


def goldspan(*arguments: str) -> Result:
    """Return the result of one command."""
    return CliRunner().invoke(app, arguments)


def add(slug: str, server: ScriptedServer, *more: str) -> Result:
    """Add a judge named house."""
    who = ["--name", "house", "--endpoint", server.url, "--model", "m"]
    return goldspan("judge", "add", slug, *who, *more)


def test_a_judge_is_added_asked_and_told_about_in_numbers(
    slug: str, server: ScriptedServer, tmp_path: Path
) -> None:
    prompt = tmp_path / "prompt.toml"
    prompt.write_text('system = "Be strict."\nuser = "{query} {span}"', encoding="utf-8")
    assert add(slug, server, "--prompt", str(prompt)).exit_code == 0
    assert add(slug, server, "--prompt", str(prompt)).exit_code == 0

    asked = goldspan("judge", "run", slug, "--judge", "house", "--yes", "--json")

    assert asked.exit_code == 0, asked.stderr
    told = json.loads(asked.stdout)
    assert (told["batch"], told["state"], told["pairs"]) == (1, "finished", 5)
    assert (told["done"], told["failed"]) == (4, 1)
    assert told["reasons"] == {"off scale": 1}
    assert "would be asked about 5 pairs" in asked.stderr
    assert "finished, 1 failed" in asked.stderr
    assert "Be strict." in server.calls[0].text
    [listed] = json.loads(goldspan("judge", "status", slug, "--json").stdout)["batches"]
    assert listed == told


def test_nothing_is_sent_without_leave(slug: str, server: ScriptedServer) -> None:
    add(slug, server)
    refused = goldspan("judge", "run", slug, "--judge", "house", "--scope", "pool")

    assert isinstance(refused.exception, Invalid)
    assert "--yes" in str(refused.exception)
    assert server.calls == []


def test_a_batch_that_stops_is_a_refusal_with_its_reason(
    slug: str, server: ScriptedServer
) -> None:
    server.script = always(status(401, "wrong key"))
    add(slug, server)
    refused = goldspan("judge", "run", slug, "--judge", "house", "--yes")

    assert isinstance(refused.exception, AppError)
    assert "wrong key" in str(refused.exception)
    assert goldspan("judge", "resume", slug).exit_code == 0
    assert goldspan("judge", "pause", slug, "1").exit_code == 0
    assert goldspan("judge", "cancel", slug).exit_code == 0
    assert "cancelled" in goldspan("judge", "status", slug, "1").stdout
