"""Importing runs: what a file means here, and what is refused with nothing stored."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import BadFile, Conflict, Invalid
from app.models import Document, DocumentVersion, Hit, Project, Run
from app.retrieval import service
from app.retrieval.service import RunReport
from tests.factories import make_document, make_project, make_query


@pytest.fixture
def project(session: Session) -> Project:
    """A project with documents d1..d3 and d9, and queries q1 and q2."""
    made = make_project(session)
    for doc_id in ("d1", "d2", "d3", "d9"):
        make_document(session, made, "Twenty characters ok", doc_id=doc_id)
    make_query(session, made, query_id="q1")
    make_query(session, made, query_id="q2")
    return made


def take(
    session: Session, project: Project, folder: Path, text: str, **options: Any
) -> RunReport:
    path = folder / "run.trec"
    path.write_bytes(text.encode())
    options = {"name": "r"} | options
    return service.import_run(session, project, path, file_name="run.trec", **options)


def listed(session: Session, project: Project, name: str) -> list[tuple[str, int, str]]:
    """Return (query, rank, document or document#start-end) of a run."""
    run = service.run_by_name(session, project.id, name)
    return [
        (
            hit.query_id,
            hit.rank,
            hit.span.doc_id
            if hit.span.whole
            else f"{hit.span.doc_id}#{hit.span.start}-{hit.span.end}",
        )
        for hit in service.hits_of(session, run.id)
    ]


def count(session: Session, table: type) -> int:
    return session.scalars(select(func.count()).select_from(table)).one()


@pytest.mark.parametrize(
    "text", ["q1\tQ0\td1\t1\t9\tr\r\n", "  q1   Q0\td1  1 9.0  r  ", "\ufeffq1 x d1 7 9 r\n"]
)
def test_v012_tabs_blanks_and_line_ends_are_one(
    session: Session, project: Project, tmp_path: Path, text: str
) -> None:
    take(session, project, tmp_path, text)

    assert listed(session, project, "r") == [("q1", 1, "d1")]


def test_v013_ids_may_begin_with_a_hash(
    session: Session, project: Project, tmp_path: Path
) -> None:
    make_document(session, project, doc_id="#d")
    make_query(session, project, query_id="#42")
    take(session, project, tmp_path, "#42 Q0 #d 1 9 r\n")

    assert listed(session, project, "r") == [("#42", 1, "#d")]
    with pytest.raises(BadFile, match="line 1: lines are never comments"):
        take(session, project, tmp_path, "# by hand\n", name="s")


def test_v019_integers_and_exponents_are_scores(
    session: Session, project: Project, tmp_path: Path
) -> None:
    take(
        session, project, tmp_path,
        "q1 Q0 d3 1 -2 r\nq1 Q0 d2 2 1e-3 r\nq1 Q0 d1 3 10 r\n",
    )  # fmt: skip

    assert listed(session, project, "r") == [("q1", 1, "d1"), ("q1", 2, "d2"), ("q1", 3, "d3")]


def test_v019_nan_inf_and_decimal_commas_are_refused_by_line(
    session: Session, project: Project, tmp_path: Path
) -> None:
    text = "q1 Q0 d1 1 9 r\nq1 Q0 d2 4 nan r\nq1 Q0 d3 5 inf r\nq1 Q0 d9 6 1,5 r\n"
    with pytest.raises(BadFile) as refused:
        take(session, project, tmp_path, text)

    assert [problem.line for problem in refused.value.problems] == [2, 3, 4]
    assert count(session, Run) == 0


def test_v069_ranks_against_scores_give_a_warning_and_a_choice(
    session: Session, project: Project, tmp_path: Path
) -> None:
    text = "q1 Q0 d1 0 0.1 r\nq1 Q0 d9 1 0.9 r\n"
    report = take(session, project, tmp_path, text)
    by_rank = take(session, project, tmp_path, text, name="by rank", order="rank")

    assert report.disagreeing == 1
    assert "q1" in report.warnings[0]
    assert "--order rank" in report.warnings[0]
    assert listed(session, project, "r")[0] == ("q1", 1, "d9")
    assert listed(session, project, "by rank")[0] == ("q1", 1, "d1")
    assert by_rank.order == service.run_by_name(session, project.id, "by rank").order_rule


def test_ties_go_by_hit_id_falling(session: Session, project: Project, tmp_path: Path) -> None:
    report = take(session, project, tmp_path, "q1 Q0 d1 1 5 r\nq1 Q0 d2 2 5 r\n")

    assert [hit for _, _, hit in listed(session, project, "r")] == ["d2", "d1"]
    assert report.tied_by_rank == 1


def test_scores_that_32_bits_cannot_tell_apart_are_counted(
    session: Session, project: Project, tmp_path: Path
) -> None:
    text = "q1 Q0 d1 1 16777217 r\nq1 Q0 d2 2 16777216 r\n"

    assert take(session, project, tmp_path, text).tied_in_32_bits == 1


def test_v014_documents_off_the_corpus_are_refused_with_counts(
    session: Session, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match=r"2 documents not in the corpus, in 3 lines: x1, x2"):
        take(
            session, project, tmp_path,
            "q1 Q0 x1 1 9 r\nq1 Q0 x2 2 8 r\nq2 Q0 x1 1 7 r\n",
        )  # fmt: skip

    assert count(session, Hit) == 0


def test_documents_off_the_corpus_are_kept_where_asked(
    session: Session, project: Project, tmp_path: Path
) -> None:
    report = take(
        session, project, tmp_path, "q1 Q0 x1 1 9 r\nq1 Q0 d1 2 8 r\n", allow_unknown=True
    )
    stored = list(service.hits_of(session, service.run_by_name(session, project.id, "r").id))

    assert (report.unknown_documents, report.unknown_hits) == (1, 1)
    assert [(hit.span.doc_id, hit.span.end) for hit in stored] == [("x1", None), ("d1", 20)]
    named = select(DocumentVersion.text).join(
        Document, Document.current_version_id == DocumentVersion.id
    )
    assert session.scalars(named.where(Document.doc_id == "x1")).one() is None


def test_a_second_run_must_ask_again_for_documents_that_are_only_named(
    session: Session, project: Project, tmp_path: Path
) -> None:
    take(session, project, tmp_path, "q1 Q0 x1 1 9 a\n", allow_unknown=True)

    with pytest.raises(BadFile, match="not in the corpus"):
        take(session, project, tmp_path, "q1 Q0 x1 1 9 b\n", name="b")


def test_v014_unknown_queries_are_refused_with_counts(
    session: Session, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match="2 queries not in the project: q7, q8"):
        take(session, project, tmp_path, "q7 Q0 d1 1 9 r\nq8 Q0 d1 1 9 r\n")


def test_spans_beyond_the_text_are_refused_by_line(
    session: Session, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match=r"line 2: characters 5-21 lie beyond the 20 characters"):
        take(session, project, tmp_path, "q1 Q0 d1#5-20 1 9 r\nq1 Q0 d1#5-21 2 8 r\n")


def test_a_span_id_is_read_as_a_span_and_a_literal_document_wins(
    session: Session, project: Project, tmp_path: Path
) -> None:
    make_document(session, project, "abc", doc_id="x#0-3")
    take(session, project, tmp_path, "q1 Q0 d1#0-5 1 9 r\nq1 Q0 x#0-3 2 8 r\n")
    stored = list(service.hits_of(session, service.run_by_name(session, project.id, "r").id))

    assert [(hit.span.doc_id, hit.span.whole) for hit in stored] == [
        ("d1", False),
        ("x#0-3", True),
    ]


def test_an_id_with_two_meanings_is_refused_until_the_user_says(
    session: Session, project: Project, tmp_path: Path
) -> None:
    make_document(session, project, "abc", doc_id="d1#0-5")
    text = "q1 Q0 d1#0-5 1 9 r\n"

    with pytest.raises(BadFile, match="--ids document or --ids span"):
        take(session, project, tmp_path, text)
    take(session, project, tmp_path, text, ids="span", name="spans")
    take(session, project, tmp_path, text, ids="document", name="documents")

    for name, whole in (("spans", False), ("documents", True)):
        run = service.run_by_name(session, project.id, name)
        assert [hit.span.whole for hit in service.hits_of(session, run.id)] == [whole]


def test_two_ids_of_one_passage_are_refused(
    session: Session, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match="names the passage of line 1 again"):
        take(session, project, tmp_path, "q1 Q0 d1#0-5 1 9 r\nq1 Q0 d1#00-05 2 8 r\n")


def test_v017_the_same_file_again_changes_nothing(
    session: Session, project: Project, tmp_path: Path
) -> None:
    text = "q1 Q0 d1 1 9 r\nq1 Q0 d2 2 8 r\nq2 Q0 d1 1 7 r\n"
    first = take(session, project, tmp_path, text)
    again = take(session, project, tmp_path, text)

    assert (first.already, again.already) == (False, True)
    assert again.hits == 3
    assert (count(session, Run), count(session, Hit)) == (1, 3)


def test_another_file_under_a_taken_name_is_refused(
    session: Session, project: Project, tmp_path: Path
) -> None:
    take(session, project, tmp_path, "q1 Q0 d1 1 9 r\n")

    with pytest.raises(Conflict, match="There is a run r already"):
        take(session, project, tmp_path, "q1 Q0 d2 1 9 r\n")


def test_a_dry_run_stores_nothing(session: Session, project: Project, tmp_path: Path) -> None:
    report = take(session, project, tmp_path, "q1 Q0 d1 1 9 r\n", dry_run=True)

    assert (report.name, report.hits, report.missing_queries) == ("r", 1, 1)
    assert count(session, Run) == 0


def test_json_lines_of_spans_are_taken_and_named_by_the_file(
    session: Session, project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"query_id":"q1","doc_id":"d1","start":2,"end":9,"score":1.5}\n'
        '{"query_id":"q1","doc_id":"d2","score":0.5}\n'
    )
    service.import_run(session, project, path, file_name="mine.jsonl")

    assert listed(session, project, "mine") == [("q1", 1, "d1#2-9"), ("q1", 2, "d2")]


@pytest.mark.parametrize("name", ["", " r", "a\nb", "..", "a/../b", "x" * 201, "import"])
def test_a_name_that_no_address_can_hold_is_refused(
    session: Session, project: Project, tmp_path: Path, name: str
) -> None:
    with pytest.raises(Invalid, match="cannot name a run"):
        take(session, project, tmp_path, "q1 Q0 d1 1 9 r\n", name=name)


def test_v071_short_lists_are_stored_as_they_are(
    session: Session, project: Project, tmp_path: Path
) -> None:
    take(session, project, tmp_path, "q1 Q0 d1 1 9 r\nq1 Q0 d2 2 8 r\nq1 Q0 d3 3 7 r\n")
    run = service.run_by_name(session, project.id, "r")

    assert [(a.query_id, a.hits) for a in service.answers_of(session, run)] == [
        ("q1", 3),
        ("q2", None),
    ]
