"""Pages: what an admin's pages cost with 1,000,000 items, against the same with 1,000.

    python bench/pages.py [--items 1000000] [sqlite|postgresql]

Every page is asked for three times and the fastest counts. A page whose time grows with the
items scans something: its slowest statement is printed with the database's plan. The bytes
are those of the page itself, packed as a browser gets it, without style sheets and scripts.
"""

import argparse
import gzip
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from filling import Filling, fill
from measuring import NAMES, Databases, open_kind, say
from sqlalchemy import event

from app.db import Database
from tests.clients import Browser, sign_in

EACH, FEW, ROUNDS, GROWN = 20, 1_000, 3, 3.0
PAGES = (
    "", "/corpus", "/queries", "/runs", "/pool", "/assign", "/judges", "/agreement",
    "/releases", "/scores", "/people", "/settings", "/grade",
)  # fmt: skip


@dataclass(slots=True)
class Sent:
    """One statement and how long the database took, in seconds."""

    statement: str
    parameters: Any
    seconds: float


@dataclass(slots=True)
class Cost:
    """What a page costs: seconds, kilobytes, its statements, the plan of the slowest."""

    status: int
    seconds: float
    kilobytes: float
    sent: list[Sent]
    plan: list[str]


@contextmanager
def note_statements(database: Database) -> Iterator[list[Sent]]:
    """Give a list that fills with what is sent to the database."""
    sent: list[Sent] = []

    def before(_c: Any, _u: Any, statement: str, parameters: Any, *_: Any) -> None:
        sent.append(Sent(statement, parameters, perf_counter()))

    def after(*_: Any) -> None:
        sent[-1].seconds = perf_counter() - sent[-1].seconds

    engines = {database.reader, database.writer}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", before)
        event.listen(engine, "after_cursor_execute", after)
    yield sent
    for engine in engines:
        event.remove(engine, "before_cursor_execute", before)
        event.remove(engine, "after_cursor_execute", after)


def look_at(browser: Browser, database: Database, path: str) -> Cost:
    """Get a page a few times and return what the fastest cost."""
    best: Cost | None = None
    for _ in range(ROUNDS):
        with note_statements(database) as sent:
            begun = perf_counter()
            answer = browser.get(f"/projects/bench{path}")
            spent = perf_counter() - begun
        if best is None or spent < best.seconds:
            size = len(gzip.compress(answer.content)) / 1_000
            best = Cost(answer.status_code, spent, size, sent, [])
    assert best is not None, "there is at least one round"
    slowest = max(best.sent, key=lambda each: each.seconds)
    best.plan = explain(database, slowest)
    return best


def explain(database: Database, sent: Sent) -> list[str]:
    """Return a statement and its plan, a line each."""
    lines = [f"{1_000 * sent.seconds:.0f} ms: {' '.join(sent.statement.split())[:300]}"]
    if not sent.statement.lstrip().upper().startswith(("SELECT", "WITH")):
        return lines
    word = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
    with database.reader.connect() as connection:
        rows = connection.exec_driver_sql(f"{word} {sent.statement}", sent.parameters)
        return lines + [f"  {row[-1]}" for row in rows]


def visit(databases: Databases, items: int) -> dict[str, Cost]:
    """Fill a project, half of it graded, and look at every page."""
    queries = items // EACH
    filling = Filling(queries, EACH, documents=max(100, queries // 5), graded=queries // 2)
    with databases.fresh() as database, tempfile.TemporaryDirectory() as folder:
        fill(database, filling)
        browser = sign_in(database, Path(folder), slug="bench", roles=("admin", "sme"))
        return {path: look_at(browser, database, path) for path in PAGES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="sqlite|postgresql")
    asked = parser.parse_args()
    for name in asked.names:
        with open_kind(name) as databases:
            few, many = visit(databases, FEW), visit(databases, asked.items)
        say(f"{name}: page, ms with {FEW:,} and with {asked.items:,} items, ratio, KB packed")
        for path, cost in many.items():
            grown = cost.seconds / few[path].seconds
            say(
                f"  {path or '/':<11} {1_000 * few[path].seconds:6.0f}"
                f" {1_000 * cost.seconds:7.0f} {grown:6.1f} {cost.kilobytes:6.1f} KB"
                f" {'' if cost.status == 200 else cost.status}"
            )
            if grown > GROWN:
                for line in cost.plan:
                    say(f"      {line}")


if __name__ == "__main__":
    main()
