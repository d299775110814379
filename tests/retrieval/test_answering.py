"""Answering: what the built-in retrievers find, and how a run survives what happens to it."""

from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select

from app.db import Database, transaction
from app.models import Hit, Run, RunQuery
from app.retrieval import answering, service
from app.retrieval.bm25 import Bm25
from app.retrieval.pieces import Answer
from tests.factories import make_document
from tests.retrieval.building import (
    QUERIES,
    TEXTS,
    answer,
    build_project,
    found,
    plan,
    retrieve,
    stored,
)


def scores(database: Database, run: Run) -> dict[int, list[float]]:
    lists: dict[int, list[float]] = {}
    with transaction(database, write=False) as session:
        rows = select(Hit.query_ref, Hit.score).where(Hit.run_id == run.id)
        for ref, score in session.execute(rows.order_by(Hit.query_ref, Hit.rank)):
            lists.setdefault(ref, []).append(score or 0)
    return lists


@pytest.mark.parametrize("kind", ["bm25", "dense", "hybrid"])
def test_every_retriever_finds_the_right_document_first(
    database: Database, tmp_path: Path, kind: str
) -> None:
    project = build_project(database)
    run = retrieve(database, tmp_path, project, f"{kind}@whole")
    lists = found(database, run)

    assert (run.state, run.queries_done, run.queries_total) == ("done", 7, 7)
    assert [lists[q][0] for q in ("q1", "q2", "q5")] == ["returns", "laptops", "tokyo"]
    assert run.hits_total == sum(map(len, lists.values()))


def test_punctuation_and_words_of_query_languages_are_only_words(
    database: Database, tmp_path: Path
) -> None:
    lists = found(database, retrieve(database, tmp_path, build_project(database), "bm25"))

    assert lists["q3"] == ["cpp"]
    assert lists["q4"] == ["cpp"]


def test_a_query_without_known_words_is_answered_with_nothing(
    database: Database, tmp_path: Path
) -> None:
    for kind in ("bm25", "dense", "hybrid"):
        project = build_project(database)
        run = retrieve(database, tmp_path, project, kind)

        assert {"q6", "q7"}.isdisjoint(found(database, run))
        assert run.queries_done == 7


def test_an_empty_document_is_never_a_hit(database: Database, tmp_path: Path) -> None:
    lists = found(database, retrieve(database, tmp_path, build_project(database), "hybrid"))

    assert "empty" not in {hit for hits in lists.values() for hit in hits}


def test_scores_fall_strictly_and_equal_ones_go_by_id_falling(
    database: Database, tmp_path: Path
) -> None:
    texts = {f"d{number}": "the same words" for number in range(20)}
    texts["other"] = "not of them"
    project = build_project(database, texts, {"q1": "same words"}, titled=False)
    for kind in ("bm25", "dense", "hybrid"):
        run = retrieve(database, tmp_path, project, f"{kind}@whole", depth=5)
        (values,) = scores(database, run).values()

        assert all(above > below for above, below in pairwise(values))
        assert found(database, run)["q1"] == ["d9", "d8", "d7", "d6", "d5"]


def test_paragraphs_are_found_as_spans_of_the_text(database: Database, tmp_path: Path) -> None:
    project = build_project(database)
    lists = found(database, retrieve(database, tmp_path, project, "bm25@paragraphs"))

    text = TEXTS["returns"]
    assert lists["q1"][0] == f"returns#0-{text.index('.') + 1}"


def test_v071_short_lists_are_stored_as_they_are(database: Database, tmp_path: Path) -> None:
    texts = {"a": "cats", "b": "cats and dogs", "c": "cats"}
    project = build_project(database, texts, {"q1": "cats", "q2": "birds"})
    run = retrieve(database, tmp_path, project, "bm25@whole", depth=20)

    with transaction(database, write=False) as session:
        answers = service.answers_of(session, run)
    assert [each.hits for each in answers] == [3, 0]


def test_milliseconds_are_kept_for_every_query(database: Database, tmp_path: Path) -> None:
    run = retrieve(database, tmp_path, build_project(database), "bm25")

    with transaction(database, write=False) as session:
        times = session.scalars(
            select(RunQuery.milliseconds).where(RunQuery.run_id == run.id)
        ).all()
    assert len(times) == 7
    assert all(each is not None and each > 0 for each in times)


def test_retrieving_twice_adds_nothing(database: Database, tmp_path: Path) -> None:
    project = build_project(database)
    first = retrieve(database, tmp_path, project, "bm25@whole")
    (again,) = plan(database, project, "bm25@whole")
    (shallower,) = plan(database, project, "bm25@whole", depth=5)

    assert (again.fresh, shallower.fresh) == (False, False)
    assert again.run.id == shallower.run.id == first.id


def test_a_changed_corpus_or_more_depth_makes_a_new_run(
    database: Database, tmp_path: Path
) -> None:
    project = build_project(database)
    first = retrieve(database, tmp_path, project, "bm25@whole")
    deeper = retrieve(database, tmp_path, project, "bm25@whole", depth=30)
    with transaction(database) as session:
        make_document(session, project, "Returned, again returned.", doc_id="more")
    newer = retrieve(database, tmp_path, project, "bm25@whole", depth=30)

    assert [first.name, deeper.name, newer.name] == [
        "bm25@whole",
        "bm25@whole #2",
        "bm25@whole #3",
    ]
    assert "more" in found(database, newer)["q1"]
    assert "more" not in found(database, first)["q1"]


def test_a_run_killed_in_the_middle_goes_on_where_it_stopped(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = {f"q{number}": f"laptop {number}" for number in range(10)}
    project = build_project(database, TEXTS, queries)
    (planned,) = plan(database, project, "bm25@whole")
    monkeypatch.setattr(answering, "BATCH", 3)
    monkeypatch.setattr(answering, "SAVE_AFTER", 0)
    asked: list[int] = []
    search = Bm25.search

    def search_and_die(self: Bm25, texts: list[str], depth: int) -> list[Answer]:
        asked.append(len(texts))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return search(self, texts, depth)

    monkeypatch.setattr(Bm25, "search", search_and_die)
    with pytest.raises(KeyboardInterrupt):
        answer(database, tmp_path, planned.run.id)
    half = stored(database, planned.run.id)
    run = answer(database, tmp_path, planned.run.id)

    assert (half.state, half.queries_done) == ("running", 6)
    assert (run.state, run.queries_done, run.hits_total) == ("done", 10, 10)
    assert asked == [3, 3, 3, 3, 1]
    assert len(found(database, run)) == 10


def test_a_run_that_is_over_stays_as_it_is(database: Database, tmp_path: Path) -> None:
    project = build_project(database)
    run = retrieve(database, tmp_path, project, "bm25@whole")

    assert answer(database, tmp_path, run.id).finished_at == run.finished_at


def test_a_cancelled_run_is_left_alone_until_it_is_asked_for_again(
    database: Database, tmp_path: Path
) -> None:
    project = build_project(database)
    (planned,) = plan(database, project, "bm25@whole")
    with transaction(database) as session:
        service.cancel_run(session, project, "bm25@whole")
    idle = answer(database, tmp_path, planned.run.id)
    (again,) = plan(database, project, "bm25@whole")
    run = answer(database, tmp_path, planned.run.id)

    assert (idle.state, idle.queries_done) == ("cancelled", 0)
    assert (again.run.id, again.fresh) == (planned.run.id, True)
    assert service.job_key(again.run) != service.job_key(planned.run)
    assert run.state == "done"


def test_a_failure_is_told_in_words_and_another_try_goes_on(
    database: Database, tmp_path: Path
) -> None:
    project = build_project(database)
    with transaction(database) as session:
        known = session.merge(project)
        known.embed_url, known.embed_model = "http://127.0.0.1:9/v1", "small"
    run = retrieve(database, tmp_path, project, "dense@whole")
    with transaction(database) as session:
        session.merge(project).embed_url = None
    (again,) = plan(database, project, "dense@whole")

    assert run.state == "failed"
    assert run.error is not None
    assert "127.0.0.1" in run.error
    assert again.run.id == run.id
    assert answer(database, tmp_path, run.id).state == "done"


def test_a_corpus_that_changes_before_the_work_begins_is_taken_as_it_is_then(
    database: Database, tmp_path: Path
) -> None:
    project = build_project(database)
    (planned,) = plan(database, project, "bm25@whole")
    with transaction(database) as session:
        make_document(session, project, "Opened items, returned.", doc_id="more")
    run = answer(database, tmp_path, planned.run.id)

    assert "more" in found(database, run)["q1"]
    assert run.corpus_fingerprint != planned.run.corpus_fingerprint
    assert not plan(database, project, "bm25@whole")[0].fresh


def test_an_index_that_was_lost_is_built_again(database: Database, tmp_path: Path) -> None:
    project = build_project(database)
    first = found(database, retrieve(database, tmp_path, project, "hybrid@whole"))
    other = tmp_path / "other"
    again = retrieve(database, other, project, "hybrid@whole", depth=30)

    assert found(database, again) == first
    assert len(QUERIES) == again.queries_done
