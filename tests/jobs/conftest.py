"""A database with the jobs' tables, and processes that end with the test."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from app.db import Database
from tests.databases import ROOT
from tests.jobs import rows

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def prepared(database: Database) -> Database:
    rows.tables.create_all(database.writer)
    return database


@pytest.fixture
def start() -> Iterator[Start]:
    begun: list[subprocess.Popen[bytes]] = []

    def begin(*words: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-W", "error", "-m", "tests.jobs.process", *words]
        begun.append(subprocess.Popen(command, cwd=ROOT))
        return begun[-1]

    yield begin
    for each in begun:
        each.kill()
        each.wait()


def eventually(is_so: Callable[[], bool], seconds: float = 25) -> bool:
    """Wait until something is so; False when it is not in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.05)
    return False
