"""A database with the jobs' tables, and processes that end with the test."""

import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess

import pytest

from app.db import Database
from tests.databases import ROOT
from tests.jobs import process, rows

Start = Callable[..., BaseProcess]
StartAfresh = Callable[..., "subprocess.Popen[bytes]"]

# forks of a process that has imported all: a start costs milliseconds, not seconds
forks = multiprocessing.get_context("forkserver")
forks.set_forkserver_preload(["tests.jobs.process"])


@pytest.fixture
def prepared(database: Database) -> Database:
    rows.tables.create_all(database.writer)
    return database


@pytest.fixture
def start() -> Iterator[Start]:
    begun: list[BaseProcess] = []

    def begin(act: Callable[..., None], *words: str) -> BaseProcess:
        begun.append(forks.Process(target=act, args=words))
        begun[-1].start()
        return begun[-1]

    yield begin
    for each in begun:
        each.kill()
        each.join()


@pytest.fixture
def start_afresh() -> Iterator[StartAfresh]:
    """Start a whole interpreter, so that its ending is real too."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(*words: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-W", "error", "-m", process.__name__, *words]
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
