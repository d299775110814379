"""Journey on Cranfield: 1,400 abstracts, 225 questions, the three built-in retrievers."""

from pathlib import Path

import pytest
import pytrec_eval

from app.corpus import service as corpus
from app.db import Database, transaction
from app.domain.ordering import falling_scores
from app.projects import service as projects
from app.queries import service as queries
from app.retrieval import service
from tests.data import collection
from tests.retrieval.building import answer, plan

LUCENE = 0.266  # map of the shipped run simple_bm25 on the same labels


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    labels: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        query_id, _, doc_id, grade = line.split()
        labels.setdefault(query_id, {})[doc_id] = int(grade)
    return labels


def score(database: Database, run_id: int, labels: dict[str, dict[str, int]]) -> float:
    """Return the mean average precision at cut 1 over all judged queries."""
    lists: dict[str, list[str]] = {}
    with transaction(database, write=False) as session:
        for hit in service.hits_of(session, run_id):
            lists.setdefault(hit.query_id, []).append(hit.span.doc_id)
    run = {query_id: falling_scores(ids) for query_id, ids in lists.items()}
    values = pytrec_eval.RelevanceEvaluator(labels, {"map"}).evaluate(run)
    return float(sum(each["map"] for each in values.values()) / len(labels))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_built_in_retrievers_reach_lucene(database: Database, tmp_path: Path) -> None:
    folder = collection("cranfield")
    with transaction(database) as session:
        project = projects.create_project(session, "cranfield")
        for take, name in (
            (corpus.import_corpus, "corpus.jsonl"),
            (queries.import_queries, "queries.jsonl"),
        ):
            take(session, project, folder / name, file_name=name)
        lucene = service.import_run(
            session, project, folder / "runs/simple_bm25.trec", file_name="simple_bm25.trec"
        )
    labels = read_qrels(folder / "qrels.best_is_4.trec")
    runs = {
        each.run.name: answer(database, tmp_path, each.run.id)
        for each in plan(database, project, depth=50)
    }
    reached = {name: score(database, run.id, labels) for name, run in runs.items()}

    assert lucene.hits == 11_250
    assert {run.state for run in runs.values()} == {"done"}
    assert list(reached) == ["bm25@whole", "dense@whole", "hybrid@whole"]
    assert reached["bm25@whole"] >= LUCENE
    assert reached["hybrid@whole"] >= LUCENE
    assert reached["dense@whole"] >= 0.25
