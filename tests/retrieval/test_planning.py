"""Planning: names of retrievers, and what is refused before any work."""

import pytest
from sqlalchemy.orm import Session

from app.domain.chunking import parse_chunking
from app.errors import Invalid
from app.retrieval import jobs, service
from app.retrieval.retrievers import choose_chunking, parse_retriever
from tests.factories import make_document, make_project, make_query

WHOLE = parse_chunking("whole")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bm25", "bm25@whole"),
        ("dense@paragraphs", "dense@paragraphs"),
        ("hybrid@chars:0400:100", "hybrid@chars:400:100"),
        ("bm25@sentences:600", "bm25@sentences:600"),
    ],
)
def test_a_retriever_has_one_name(text: str, name: str) -> None:
    assert str(parse_retriever(text, WHOLE)) == name


@pytest.mark.parametrize("text", ["", "bm26", "bm25@", "bm25@words", "BM25", "bm25@chars:5:5"])
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(Invalid):
        parse_retriever(text, WHOLE)


def test_short_documents_stay_whole_and_long_ones_are_cut() -> None:
    assert str(choose_chunking(100, 50_000)) == "whole"
    assert str(choose_chunking(100, 500_000)) == "paragraphs"


def test_all_three_are_planned_where_none_is_named(session: Session) -> None:
    project = make_project(session)
    make_document(session, project)
    make_query(session, project)
    planned = service.plan_runs(session, project)
    found = [each.args for each in jobs.planned_runs(session)]

    assert [each.run.name for each in planned] == ["bm25@whole", "dense@whole", "hybrid@whole"]
    assert {each.run.state for each in planned} == {"planned"}
    assert {(each.run.id,) for each in planned} <= set(found)


def test_a_retriever_named_twice_is_one_run(session: Session) -> None:
    project = make_project(session)
    make_document(session, project)
    make_query(session, project)

    assert len(service.plan_runs(session, project, ["bm25", "bm25@whole"])) == 1


def test_a_run_of_that_name_that_was_imported_keeps_it(session: Session) -> None:
    project = make_project(session)
    make_document(session, project)
    make_query(session, project)
    (first,) = service.plan_runs(session, project, ["bm25"])
    first.run.retriever = None
    session.flush()
    (second,) = service.plan_runs(session, project, ["bm25"])

    assert second.run.name == "bm25@whole #2"


@pytest.mark.parametrize("depth", [0, -1, 1_001])
def test_a_depth_out_of_range_is_refused(session: Session, depth: int) -> None:
    with pytest.raises(Invalid, match="depth is 1 to 1,000"):
        service.plan_runs(session, make_project(session), ["bm25"], depth)


def test_nothing_to_retrieve_from_is_refused_with_the_next_step(session: Session) -> None:
    project = make_project(session)
    make_query(session, project)

    with pytest.raises(Invalid, match="goldspan import corpus"):
        service.plan_runs(session, project)
