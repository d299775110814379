"""Export: the labels of a release as a file, against the database's own dump of the same rows.

    python bench/export.py [--labels 200000] [sqlite|postgresql]

The dump is what the database writes by itself, from the same joined rows in the same order:
INSERT lines as SQLite's shell writes them, or COPY of PostgreSQL. Cutting the release first
is timed too. Memory is what Python holds at its most while a file is written, for a tenth of
the labels and for all: it may not grow with them.
"""

import argparse
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from filling import Filling, fill
from measuring import NAMES, Databases, measure_peak, open_kind, say, say_ratio, timed

from app.db import Database, transaction
from app.models import Project
from app.projects import service as projects
from app.releases import service as releases
from app.releases.export import Form

EACH, ROUNDS = 20, 3
FORMS: tuple[Form, ...] = ("trec", "jsonl", "csv")
ROWS = """FROM release_labels JOIN items ON items.id = release_labels.item_id
    JOIN queries ON queries.id = items.query_ref
    JOIN document_versions ON document_versions.id = items.document_version_id
    JOIN documents ON documents.id = document_versions.document_ref
    ORDER BY queries.position, queries.query_id, documents.doc_id, items.whole DESC,
        items.span_start, items.span_end"""
COLUMNS = (
    "query_id", "doc_id", "length", "whole", "span_start", "span_end", "value", "source",
)  # fmt: skip


def dump_rows(database: Database) -> int:
    """Let the database write the rows by itself, and return how many characters."""
    connection: Any = database.reader.raw_connection()
    cursor = connection.cursor()
    try:
        if database.is_sqlite:
            values = "||','||".join(f"quote({column})" for column in COLUMNS)
            line = f"'INSERT INTO labels VALUES('||{values}||');'"
            return sum(len(row[0]) for row in cursor.execute(f"SELECT {line} {ROWS}"))
        with cursor.copy(f"COPY (SELECT {', '.join(COLUMNS)} {ROWS}) TO STDOUT") as copy:
            return sum(len(piece) for piece in copy)
    finally:
        connection.close()


def write_file(database: Database, form: Form) -> Iterator[bytes]:
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, "bench")
        yield from releases.export(session, project, form=form)


def cut(database: Database, labels: int) -> float:
    """Grade so many items, freeze them, and return the seconds of freezing."""
    queries = labels // EACH
    fill(database, Filling(queries, EACH, documents=5_000, graded=queries))
    begun = perf_counter()
    with transaction(database) as session:
        project: Project = projects.project_by_slug(session, "bench")
        releases.cut_release(session, project)
    return perf_counter() - begun


def measure(databases: Databases, labels: int) -> None:
    """Print rates and ratios for one kind of database."""
    with databases.fresh() as database:
        cut(database, labels // 10)
        few = {form: measure_peak(write_file(database, form)) for form in FORMS}
    with databases.fresh() as database:
        spent = cut(database, labels)
        say(f"{databases.name}: {labels:,} labels; freezing them {spent:.1f} s")
        for form in FORMS:
            size = 0
            alone: list[float] = []
            ours: list[float] = []
            for _ in range(ROUNDS):
                with timed(alone):
                    dump_rows(database)
                with timed(ours):
                    size = sum(map(len, write_file(database, form)))
            say(f"  {form}: {size / 1e6:.1f} MB, {labels / min(ours):,.0f} labels a second")
            say_ratio(f"  {form}: rate to the dump's", min(alone) / min(ours), "at least 0.3")
            many = measure_peak(write_file(database, form))
            say(f"  {form}: memory {few[form]:.1f} MB of a tenth, {many:.1f} MB of all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=200_000)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="sqlite|postgresql")
    asked = parser.parse_args()
    for name in asked.names:
        with open_kind(name) as databases:
            measure(databases, asked.labels)


if __name__ == "__main__":
    main()
