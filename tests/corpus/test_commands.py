import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import schema
from app.cli import app
from app.db import open_database, transaction
from app.errors import AppError
from app.projects import service as projects
from app.settings import load_settings
from tests.corpus.files import write

ONE = '{"doc_id":"a","text":"x"}'
TWO = '{"doc_id":"b","text":"y"}'


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """Give a command line on a fresh database with the project shop."""
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("GOLDSPAN_DATABASE_URL", raising=False)
    database = open_database(load_settings().database)
    schema.upgrade(database)
    with transaction(database) as session:
        projects.create_project(session, "shop")
    database.close()
    return CliRunner()


def counts_of(command: CliRunner, *arguments: str) -> list[tuple[int, int]]:
    answer = command.invoke(app, ["import", "corpus", "shop", *arguments, "--json"])
    return [(each["added"], each["unchanged"]) for each in json.loads(answer.stdout)["files"]]


def test_several_files_are_taken_and_reported_as_json(
    command: CliRunner, tmp_path: Path
) -> None:
    files = [str(write(tmp_path, ONE, name="1")), str(write(tmp_path, TWO, name="2"))]

    assert counts_of(command, *files) == [(1, 0), (1, 0)]
    assert counts_of(command, *files) == [(0, 1), (0, 1)]


def test_one_bad_file_refuses_all_of_them(command: CliRunner, tmp_path: Path) -> None:
    good = str(write(tmp_path, ONE, name="1"))
    bad = str(write(tmp_path, "{", name="2"))

    refused = command.invoke(app, ["import", "corpus", "shop", good, bad, "--format", "jsonl"])

    assert isinstance(refused.exception, AppError)
    assert counts_of(command, good) == [(1, 0)]


def test_a_dry_run_stores_nothing(command: CliRunner, tmp_path: Path) -> None:
    path = str(write(tmp_path, ONE))

    assert counts_of(command, path, "--dry-run") == [(1, 0)]
    assert counts_of(command, path) == [(1, 0)]


def test_standard_input_is_a_file_too(command: CliRunner) -> None:
    answer = command.invoke(app, ["import", "corpus", "shop", "-"], input=ONE)

    assert answer.exit_code == 0
    assert answer.stdout == "standard input: 1 document; 1 new.\n"


def test_a_dry_run_of_a_known_file_says_one_thing(command: CliRunner, tmp_path: Path) -> None:
    path = str(write(tmp_path, ONE, name="one.jsonl"))
    counts_of(command, path)

    answer = command.invoke(app, ["import", "corpus", "shop", path, "--dry-run"])

    assert answer.stdout == (
        "one.jsonl was imported before; importing it again would change nothing.\n"
    )
    assert answer.stderr == ""


def test_queries_are_imported_the_same_way(command: CliRunner, tmp_path: Path) -> None:
    path = write(tmp_path, "query_id\ttext", "q1\tred shoes", name="q.tsv")

    answer = command.invoke(app, ["import", "queries", "shop", str(path), "--json"])

    assert json.loads(answer.stdout)["files"][0]["added"] == 1
