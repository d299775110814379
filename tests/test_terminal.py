"""Terminal: what every command does with its database before its own work."""

import sqlite3
from pathlib import Path

import pytest
import structlog

from app import terminal
from app.cli import app


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["goldspan", *words])
    with pytest.raises(SystemExit) as ended:
        terminal.run(app)
    return int(ended.value.code or 0)


@pytest.fixture
def data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("GOLDSPAN_DATABASE_URL", raising=False)
    monkeypatch.setenv("GOLDSPAN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


def test_any_command_may_be_the_first_from_any_folder(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "user", "add", "you@example.org") == 0
    assert run(monkeypatch, "project", "list") == 0

    said = capsys.readouterr().err
    assert said.count("Made a new database.") == 1
    assert "Added you@example.org." in said
    assert (data_dir / "goldspan.db").exists()


def test_a_database_of_another_goldspan_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "project", "list")
    with sqlite3.connect(data_dir / "goldspan.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'later'")
    connection.close()

    assert run(monkeypatch, "project", "list") == 1
    assert "The database is at revision later" in capsys.readouterr().err


def test_a_database_that_cannot_be_reached_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDSPAN_DATABASE_URL", "postgresql://me:hidden@127.0.0.1:1/none")

    assert run(monkeypatch, "project", "list") == 1
    said = capsys.readouterr().err
    assert said.startswith("The database cannot be used: ")
    assert "hidden" not in said


def test_a_command_says_nothing_but_its_own_words_and_warnings(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal.opened():
        structlog.get_logger().info("worker started")
        structlog.get_logger().warning("worker lost")

    said = capsys.readouterr().err
    assert "worker started" not in said
    assert "worker lost" in said


def test_an_answer_leaves_stdout_to_json(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.answer("one", as_json=False)
    terminal.answer("two", as_json=True)

    said = capsys.readouterr()
    assert (said.out, said.err) == ("one\n", "two\n")
