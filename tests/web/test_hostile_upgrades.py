"""Upgrades that are killed, that meet others, or that meet what a newer Goldspan wrote."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from app import schema
from app.db import Database, open_database, transaction
from app.errors import Conflict
from app.models import Base, GradeEvent
from tests.databases import ROOT, Postgres
from tests.factories import make_document, make_grader, make_item, make_project, make_query

TABLES = set(Base.metadata.tables)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Give the address of a database without a table, opened."""
    if request.param == "sqlite":
        fresh = open_database(f"sqlite:///{tmp_path / 'fresh.db'}")
        yield fresh
        fresh.close()
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = f"empty_{time.monotonic_ns()}"
    server._run(f"CREATE DATABASE {name}")
    fresh = open_database(server.url(name))
    yield fresh
    fresh.close()
    server._run(f"DROP DATABASE {name} WITH (FORCE)")


def begin_upgrade(database: Database, folder: Path) -> "subprocess.Popen[str]":
    settings = [
        f"GOLDSPAN_DATABASE_URL={database.url}",
        f"GOLDSPAN_DATA_DIR={folder / 'data'}",
    ]
    command = ["env", *settings, sys.executable, "-m", "app.cli", "db", "upgrade"]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def find_tables(database: Database) -> set[str]:
    return set(inspect(database.reader).get_table_names())


def test_v097_four_processes_upgrade_at_once_and_one_does_it(
    empty: Database, tmp_path: Path
) -> None:
    begun = [begin_upgrade(empty, tmp_path) for _ in range(4)]

    said = [one.communicate(timeout=300)[1] for one in begun]

    assert [one.returncode for one in begun] == [0] * 4, said
    assert find_tables(empty) >= TABLES
    schema.check(empty)


def test_v097_an_upgrade_that_is_killed_leaves_all_or_nothing(
    empty: Database, tmp_path: Path
) -> None:
    """Killed by itself in the middle of its tables, by SIGKILL, on its way."""
    script = (
        "import os, signal\n"
        "from sqlalchemy import event\n"
        "from app import schema\n"
        "from app.db import open_database\n"
        f"database = open_database({empty.url!r})\n"
        "made = []\n"
        "def count(connection, cursor, statement, *rest):\n"
        "    made.append('CREATE TABLE' in statement)\n"
        "    if sum(made) == 9:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "event.listen(database.writer, 'after_cursor_execute', count)\n"
        "schema.upgrade(database)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert find_tables(empty) & TABLES == set()

    schema.upgrade(empty)
    schema.upgrade(empty)

    assert find_tables(empty) >= TABLES
    schema.check(empty)


def test_v097_a_database_of_a_newer_goldspan_is_left_alone(database: Database) -> None:
    with database.writer.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'from_the_future'"))

    for act in (schema.upgrade, schema.check):
        with pytest.raises(Conflict, match="from_the_future"):
            act(database)

    with database.reader.connect() as connection:
        kept = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    assert kept == "from_the_future"


@pytest.fixture
def auckland(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("auckland")
def test_v101_an_instant_is_the_same_wherever_the_server_stands(database: Database) -> None:
    """In the hour that Auckland has twice, and in the one it does not have."""
    moments = [
        datetime(2026, 4, 4, 14, 30, tzinfo=UTC),
        datetime(2026, 9, 26, 13, 59, 59, 999_999, tzinfo=UTC),
    ]
    with transaction(database) as session:
        project = make_project(session)
        grader = make_grader(session, project)
        for moment in moments:
            version = make_document(session, project)
            query = make_query(session, project)
            item = make_item(session, query, version)
            session.add(
                GradeEvent(
                    slot_id=None,
                    slot_kind="imported",
                    item_id=item.id,
                    grader_id=grader.id,
                    value=1,
                    query_version_id=query.current_version_id or 0,
                    document_version_id=version.id,
                    created_at=moment.astimezone(),
                )
            )

    with transaction(database, write=False) as session:
        kept = [one.created_at for one in session.query(GradeEvent).order_by(GradeEvent.id)]
        raw = session.execute(text("SELECT CAST(created_at AS TEXT) FROM grades ORDER BY id"))
        first = str(raw.scalars().first())
    assert kept == moments
    assert all(one.utcoffset() == moments[0].utcoffset() for one in kept)
    assert first.startswith("2026-04-04 14:30") or "+" in first
