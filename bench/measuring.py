"""Measuring: what the scripts share: databases that are thrown away, percentiles, ratios."""

import sys
import tempfile
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from app.db import Database  # noqa: E402
from tests.databases import Postgres, sqlite_database  # noqa: E402

NAMES = ("sqlite", "postgresql")


class Databases:
    """Fresh, migrated databases of one kind; a PostgreSQL server starts on first use."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._server: Postgres | None = None

    @contextmanager
    def fresh(self) -> Iterator[Database]:
        """Give an empty database and throw it away afterwards."""
        if self.name == "sqlite":
            with (
                tempfile.TemporaryDirectory() as folder,
                sqlite_database(Path(folder)) as database,
            ):
                yield database
            return
        if self._server is None:
            self._server = Postgres()
        with self._server.database() as database:
            yield database

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop()


@contextmanager
def open_kind(name: str) -> Iterator[Databases]:
    """Give databases of one kind, and stop their server at the end."""
    databases = Databases(name)
    try:
        yield databases
    finally:
        databases.stop()


def find_percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share (0 to 1) of the values lies, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def describe(values: Sequence[float]) -> str:
    """Say p50, p95 and p99 of seconds in milliseconds."""
    found = (1_000 * find_percentile(values, share) for share in (0.50, 0.95, 0.99))
    return "p50 {:7.1f}  p95 {:7.1f}  p99 {:7.1f} ms".format(*found)


def say_ratio(what: str, ratio: float, promised: str) -> None:
    """Print a ratio beside what is promised."""
    say(f"{what}: {ratio:.2f}   (promised: {promised})")


def say(line: str) -> None:
    print(line, flush=True)


@contextmanager
def timed(seconds: list[float]) -> Iterator[None]:
    """Add the seconds that a block took to a list."""
    begun = perf_counter()
    yield
    seconds.append(perf_counter() - begun)


def measure_peak(pieces: Iterable[object]) -> float:
    """Use up an iterable and return the most memory Python held meanwhile, in MB."""
    tracemalloc.start()
    for _ in pieces:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6
