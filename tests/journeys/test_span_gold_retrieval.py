"""Journey on span-gold: three long documents, cut three ways, found as spans of their text."""

from pathlib import Path

import pytest

from app.corpus import service as corpus
from app.db import Database, transaction
from app.domain.spans import Span
from app.formats.loading import load_judgments
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import service
from tests.data import collection
from tests.retrieval.building import answer, plan

CUTS = ("chars:400:100", "paragraphs", "sentences:600")


def read_gold(path: Path) -> dict[str, list[Span]]:
    gold: dict[str, list[Span]] = {}
    for each in load_judgments(str(path)):
        row = each.row
        gold.setdefault(row.query_id, []).append(
            Span(row.doc_id or "", row.start or 0, row.end)
        )
    return gold


def share_found(database: Database, run_id: int, gold: dict[str, list[Span]]) -> float:
    """Return the share of queries with a hit that matches one of their gold spans."""
    with transaction(database, write=False) as session:
        found = {
            hit.query_id
            for hit in service.hits_of(session, run_id)
            if any(hit.span.matches(span) for span in gold[hit.query_id])
        }
    return len(found) / len(gold)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_gold_spans_are_found_whatever_the_cut(database: Database, tmp_path: Path) -> None:
    folder = collection("span-gold")
    with transaction(database) as session:
        project = projects.create_project(session, "span-gold")
        for take, name in (
            (corpus.import_corpus, "corpus.jsonl"),
            (queries.import_queries, "queries.jsonl"),
        ):
            take(session, project, folder / name, file_name=name)
    gold = read_gold(folder / "gold_spans.jsonl")
    for planned in plan(database, project, *(f"bm25@{cut}" for cut in CUTS)):
        run = answer(database, tmp_path, planned.run.id)
        with transaction(database, write=False) as session:
            assert not any(hit.span.whole for hit in service.hits_of(session, run.id))

        assert (run.state, run.queries_done) == ("done", 317)
        assert share_found(database, run.id, gold) > 0.8
