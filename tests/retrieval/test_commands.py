"""Commands: ``goldspan import run`` and ``goldspan retrieve``, as people type them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app import serving
from app.cli import app
from app.db import open_database
from app.errors import AppError
from app.settings import load_settings
from tests.retrieval.building import build_project

RUN = "q1 Q0 returns 1 9 tag\nq2 Q0 laptops 1 8 tag\n"


@pytest.fixture
def slug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The short name of a project in a fresh database that commands will open."""
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("GOLDSPAN_DATABASE_URL", raising=False)
    settings = load_settings()
    serving.prepare(settings)
    database = open_database(settings.database)
    project = build_project(database)
    database.close()
    return project.slug


def goldspan(*arguments: str) -> Result:
    """Return the result of one command."""
    return CliRunner().invoke(app, arguments)


def test_retrieving_waits_for_its_runs_and_twice_adds_nothing(slug: str) -> None:
    first = goldspan("retrieve", slug, "--retriever", "bm25@whole", "--json")
    again = goldspan("retrieve", slug, "--retriever", "bm25@whole", "--json")

    assert first.exit_code == 0, first.output
    (run,) = json.loads(first.stdout)["runs"]
    assert (run["name"], run["state"], run["queries"], run["new"]) == (
        "bm25@whole", "done", 7, True,
    )  # fmt: skip
    (same,) = json.loads(again.stdout)["runs"]
    assert (same["hits"], same["new"]) == (run["hits"], False)
    assert "nothing was added" in again.stderr


def test_runs_are_named_by_their_files(slug: str, tmp_path: Path) -> None:
    files = [tmp_path / "one.trec", tmp_path / "two.trec"]
    for file in files:
        file.write_text(RUN)
    answer = goldspan("import", "run", slug, *map(str, files), "--json")

    assert answer.exit_code == 0, answer.output
    assert [run["name"] for run in json.loads(answer.stdout)["runs"]] == ["one", "two"]
    assert "one: 2 hits for 2 queries" in answer.stderr


def test_standard_input_is_named_by_its_tag(slug: str) -> None:
    answer = CliRunner().invoke(app, ["import", "run", slug, "-", "--json"], input=RUN)

    assert [run["name"] for run in json.loads(answer.stdout)["runs"]] == ["tag"]


def test_one_bad_file_of_two_stores_nothing(slug: str, tmp_path: Path) -> None:
    (tmp_path / "one.trec").write_text(RUN)
    (tmp_path / "two.trec").write_text(RUN.replace("laptops", "unheard-of"))
    arguments = ("import", "run", slug, str(tmp_path / "one.trec"), str(tmp_path / "two.trec"))
    refused = goldspan(*arguments)
    taken = goldspan(*arguments, "--allow-unknown", "--json")

    assert isinstance(refused.exception, AppError)
    assert "1 document not in the corpus" in str(refused.exception)
    assert [run["already"] for run in json.loads(taken.stdout)["runs"]] == [False, False]


def test_a_wrong_order_is_wrong_usage(slug: str, tmp_path: Path) -> None:
    (tmp_path / "one.trec").write_text(RUN)

    assert (
        goldspan("import", "run", slug, str(tmp_path / "one.trec"), "--order", "x").exit_code
        == 2
    )
