"""Bench of BM25: the built-in retriever against the library alone, on the same index.

Prints seconds of processor time, which other work on the machine disturbs least, and their
ratio (promised: at most 1.3). Both open the same index and ask the same 1,000 queries for 20
hits over 100,000 passages; ours also orders ties, stores the hits with their times in SQLite,
and reports progress.
"""

import random
import tempfile
from itertools import accumulate
from pathlib import Path
from time import process_time

from tantivy import Index

from app import serving
from app.corpus import service as corpus
from app.db import Database, open_database, transaction
from app.domain.chunking import parse_chunking
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import bm25, indexes, service
from app.retrieval import jobs as _jobs  # noqa: F401 - makes its work known
from app.retrieval.answering import answer_run
from app.retrieval.pieces import read_pieces
from app.settings import Settings

PASSAGES, QUERIES, DEPTH, ROUNDS = 100_000, 1_000, 20, 7
WHOLE = parse_chunking("whole")


def write_files(folder: Path) -> None:
    """Write passages and queries of words as frequent as in real texts (Zipf)."""
    chance = random.Random(7)
    words = [f"w{number}" for number in range(50_000)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    with (folder / "corpus.jsonl").open("w") as file:
        for number in range(PASSAGES):
            text = " ".join(chance.choices(words, cum_weights=weights, k=55))
            file.write(f'{{"doc_id": "d{number}", "text": "{text}"}}\n')
    with (folder / "queries.jsonl").open("w") as file:
        for number in range(QUERIES):
            text = " ".join(chance.choices(words, cum_weights=weights, k=6))
            file.write(f'{{"query_id": "q{number}", "text": "{text}"}}\n')


def prepare(folder: Path, settings: Settings) -> Database:
    """Make a project of the files."""
    serving.prepare(settings)
    database = open_database(settings.database)
    with transaction(database) as session:
        project = projects.create_project(session, "bench")
        for take, name in (
            (corpus.import_corpus, "corpus.jsonl"),
            (queries.import_queries, "queries.jsonl"),
        ):
            take(session, project, folder / name, file_name=name)
    return database


def plan(database: Database, depth: int) -> int:
    """Plan a run and return its id; another depth is another run."""
    with transaction(database) as session:
        project = projects.project_by_slug(session, "bench")
        return service.plan_runs(session, project, ["bm25@whole"], depth)[0].run.id


def time_ours(database: Database, settings: Settings, run_id: int) -> float:
    """Return the seconds of a whole run, from its plan to its last hit stored."""
    begun = process_time()
    answer_run(database, settings, run_id)
    return process_time() - begun


def time_library(index: Index, query_of: bm25.Bm25, texts: list[str]) -> float:
    """Return the seconds of the library alone: build the query, search, read the numbers."""
    begun = process_time()
    searcher = index.searcher()
    for text in texts:
        hits = searcher.search(query_of.build_query(text), DEPTH, count=False).hits
        searcher.fast_field_values(bm25.NUMBER, [address for _, address in hits])
    return process_time() - begun


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        settings = Settings(data_dir=folder)
        database = prepare(folder, settings)
        built = time_ours(database, settings, plan(database, DEPTH))
        with transaction(database, write=False) as session:
            project = projects.project_by_slug(session, "bench")
            fingerprint = corpus.fingerprint(session, project.id)
            texts = [each.text for each in queries.list_current(session, project.id)]
        home = indexes.folder_of(settings.cache_dir, project.id, fingerprint, "whole")
        query_of = bm25.Bm25(home / "bm25", read_pieces(home / "pieces", WHOLE))
        index = Index.open(str(home / "bm25"))
        ours, alone = [], []
        for number in range(1, ROUNDS + 1):
            ours.append(time_ours(database, settings, plan(database, DEPTH + number)))
            alone.append(time_library(index, query_of, texts))
        print(f"passages {PASSAGES:,}, queries {QUERIES:,}, depth {DEPTH}")
        print(f"with the index to build  {built:8.2f} s")
        print(f"ours                     {min(ours):8.2f} s")
        print(f"the library alone        {min(alone):8.2f} s")
        print(f"ratio                    {min(ours) / min(alone):8.2f}   (promised: 1.3)")
        database.close()


if __name__ == "__main__":
    main()
