"""Pooling: 10,000 queries of 5 runs to depth 20, against reading those runs.

    python bench/pooling.py [--queries 10000] [sqlite|postgresql]

Reading is what `goldspan import run` does before it stores anything: the files' lines parsed
and checked. Building the pool reads the hits from the database, folds them, and stores the
items, what retrieval says of each, and which hit each stands for. Folding alone, which is
`pool build --dry-run`, is shown beside it.
"""

import argparse
import random
import tempfile
from pathlib import Path
from time import perf_counter

from filling import Filling, fill_corpus
from measuring import NAMES, Databases, open_kind, say, say_ratio

from app.db import Database, transaction
from app.formats.loading import load_hits
from app.pooling import service as pooling
from app.projects import service as projects
from app.retrieval import service as retrieval

RUNS, DEPTH, DOCUMENTS = 5, 20, 1_000


def write_runs(folder: Path, queries: int) -> list[Path]:
    """Write runs that find a third of their hits in common, some of them a bit moved."""
    chance = random.Random(7)
    paths = [folder / f"run-{number}.trec" for number in range(RUNS)]
    files = [path.open("w") for path in paths]
    for query in range(1, queries + 1):
        pooled = chance.sample(range(1, DOCUMENTS + 1), 3 * DEPTH)
        for number, file in enumerate(files):
            for rank, document in enumerate(chance.sample(pooled, DEPTH)):
                start = 400 * (document % 4) + 10 * number
                hit = f"doc-{document}#{start}-{start + 400}"
                file.write(f"query-{query} Q0 {hit} {rank + 1} {100 - rank} run-{number}\n")
    for file in files:
        file.close()
    return paths


def measure(databases: Databases, paths: list[Path], queries: int) -> None:
    """Print seconds and the ratio for one kind of database."""
    begun = perf_counter()
    for path in paths:
        load_hits(str(path))
    read = perf_counter() - begun
    with databases.fresh() as database:
        fill_corpus(database, Filling(queries, documents=DOCUMENTS))
        begun = perf_counter()
        with transaction(database) as session:
            project = projects.project_by_slug(session, "bench")
            for path in paths:
                retrieval.import_run(session, project, path, file_name=path.name)
        imported = perf_counter() - begun
        folded, _ = build(database, dry_run=True)
        built, items = build(database, dry_run=False)
    say(f"{databases.name}: {queries:,} queries x {RUNS} runs x {DEPTH}: {items:,} items")
    say(f"  reading the runs       {read:6.1f} s, with storing their hits {imported:.1f} s")
    say(f"  building the pool      {built:6.1f} s, folding alone {folded:.1f} s")
    say_ratio("  building to reading", built / read, "at most 3")
    say_ratio("  building to reading and storing the runs", built / imported, "nothing")


def build(database: Database, *, dry_run: bool) -> tuple[float, int]:
    begun = perf_counter()
    with transaction(database) as session:
        project = projects.project_by_slug(session, "bench")
        report = pooling.build(session, project, depth=DEPTH, dry_run=dry_run)
    return perf_counter() - begun, report.items


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="sqlite|postgresql")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = write_runs(Path(folder), asked.queries)
        for name in asked.names:
            with open_kind(name) as databases:
                measure(databases, paths, asked.queries)


if __name__ == "__main__":
    main()
