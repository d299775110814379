from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.assignment import service
from app.domain.scale import parse_mapping
from app.errors import AppError, BadFile, Conflict, Invalid
from app.models import GradeEvent, Grader, Item, Judge, Project
from tests.factories import make_document, make_project, make_query, make_user


@pytest.fixture
def project(session: Session) -> Project:
    made = make_project(session)
    make_query(session, made, query_id="q1")
    for doc_id in ("d1", "d2", "d3"):
        make_document(session, made, "abcdefghij", doc_id=doc_id)
    return made


def take(
    session: Session, project: Project, tmp_path: Path, text: str, **options: Any
) -> service.GradesReport:
    path = tmp_path / "labels"
    path.write_text(text, encoding="utf-8", newline="")
    given = {"grader_kind": "sme", "grader_name": "NIST", "file_name": "labels.txt"} | options
    return service.import_grades(session, project, path, **given)


def stored(session: Session, project: Project) -> list[tuple[int, int, int, int | None]]:
    rows = session.execute(
        select(Item.document_version_id, Item.span_start, Item.span_end, GradeEvent.value)
        .join(GradeEvent, GradeEvent.item_id == Item.id)
        .where(Item.project_id == project.id, GradeEvent.current)
        .order_by(Item.document_version_id, Item.span_start)
    )
    return [(version, start, end, value) for version, start, end, value in rows]


def test_all_judgments_of_a_query_are_kept_the_zeros_too(
    session: Session, project: Project, tmp_path: Path
) -> None:
    """V-011."""
    report = take(session, project, tmp_path, "q1 0 d1 1\nq1 0 d2 2\nq1 0 d3 0\n")

    assert [row[3] for row in stored(session, project)] == [1, 2, 0]
    assert (report.grades, report.added, report.by_grade) == (
        3,
        3,
        {"0": 1, "1": 1, "2": 1, "3": 0},
    )
    events = session.scalars(
        select(GradeEvent).join(Grader).where(Grader.project_id == project.id)
    )
    assert {(event.slot_kind, event.card_hash, event.slot_id) for event in events} == {
        ("imported", None, None)
    }


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("q1 0 d1 2\n", id="blanks"),
        pytest.param("q1\tQ0\td1\t2\r\n", id="tabs and CRLF"),
        pytest.param("  q1   0\td1  2  \n", id="ragged"),
        pytest.param("query-id\tcorpus-id\tscore\nq1\td1\t2\n", id="BEIR"),
        pytest.param('{"q1": {"d1": 2}}', id="JSON"),
        pytest.param('{"query_id": "q1", "doc_id": "d1", "grade": 2}\n', id="JSON lines"),
    ],
)
def test_every_spelling_of_one_judgment_is_one_grade(
    session: Session, project: Project, tmp_path: Path, text: str
) -> None:
    """V-012."""
    take(session, project, tmp_path, text)

    assert [row[3] for row in stored(session, project)] == [2]


def test_what_points_at_nothing_is_counted_and_refused(
    session: Session, project: Project, tmp_path: Path
) -> None:
    """V-014."""
    text = "q1 0 d1 1\nq1 0 dX 3\nqX 0 d2 2\n"

    with pytest.raises(BadFile) as refusal:
        take(session, project, tmp_path, text, dry_run=True)
    assert "1 query not in the project, in 1 line: qX" in str(refusal.value)
    assert "1 document not in the project, in 1 line: dX" in str(refusal.value)
    assert stored(session, project) == []

    report = take(session, project, tmp_path, text, allow_unknown=True)

    assert (report.grades, report.left_out) == (2, 1)
    assert (report.unknown_queries, report.unknown_documents) == (1, 1)
    assert {row[3] for row in stored(session, project)} == {1, 3}


def test_the_same_file_twice_is_recognised(
    session: Session, project: Project, tmp_path: Path
) -> None:
    """V-017."""
    take(session, project, tmp_path, "q1 0 d1 1\n")
    again = take(session, project, tmp_path, "q1 0 d1 1\n")

    assert again.already
    assert len(stored(session, project)) == 1


def test_another_file_of_the_same_sme_may_change_a_grade(
    session: Session, project: Project, tmp_path: Path
) -> None:
    take(session, project, tmp_path, "q1 0 d1 1\nq1 0 d2 1\n")
    report = take(session, project, tmp_path, "q1 0 d1 3\nq1 0 d2 1\nq1 0 d3 0\n")

    assert (report.added, report.unchanged, report.changed) == (1, 1, 1)
    assert [row[3] for row in stored(session, project)] == [3, 1, 0]


def test_a_judge_of_a_file_is_immutable(
    session: Session, project: Project, tmp_path: Path
) -> None:
    judge = {"grader_kind": "judge", "grader_name": "umbrela"}
    take(session, project, tmp_path, "q1 0 d1 1\n", **judge)

    with pytest.raises(Conflict, match="never changes"):
        take(session, project, tmp_path, "q1 0 d1 2\n", **judge)
    kept = session.scalars(select(Judge).where(Judge.project_id == project.id)).one()
    grader = session.scalars(select(Grader).where(Grader.judge_id == kept.id)).one()
    assert (kept.name, kept.endpoint, grader.pseudonym) == ("umbrela", None, "judge-1")


def test_spans_are_anchored_and_their_quotes_are_checked(
    session: Session, project: Project, tmp_path: Path
) -> None:
    line = '{{"query_id":"q1","doc_id":"d1","start":{},"end":{},"grade":3,"text":"{}"}}\n'

    take(session, project, tmp_path, line.format(2, 5, "cde"))
    assert [row[1:] for row in stored(session, project)] == [(2, 5, 3)]
    with pytest.raises(BadFile, match="line 1: its text 'xyz' is not what document 'd1' has"):
        take(session, project, tmp_path, line.format(5, 8, "xyz"))
    with pytest.raises(BadFile, match="line 1: characters 5-11 lie beyond the 10 characters"):
        take(session, project, tmp_path, line.format(5, 11, "fghijk"))


def test_other_scales_need_a_mapping(
    session: Session, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match="--map"):
        take(session, project, tmp_path, "q1 0 d1 4\n")

    take(session, project, tmp_path, "q1 0 d1 4\n", mapping=parse_mapping("4=3"))
    assert [row[3] for row in stored(session, project)] == [3]


def test_an_id_that_is_a_document_and_a_part_of_one_must_be_explained(
    session: Session, project: Project, tmp_path: Path
) -> None:
    make_document(session, project, "klm", doc_id="d1#2-5")
    text = "q1 0 d1#2-5 3\n"

    with pytest.raises(BadFile, match="--ids document or --ids span"):
        take(session, project, tmp_path, text)
    take(session, project, tmp_path, text, ids="span")
    assert [row[1:] for row in stored(session, project)] == [(2, 5, 3)]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"grader_name": " "}, id="nobody's name"),
        pytest.param({"grader_kind": "robot"}, id="neither SME nor judge"),
    ],
)
def test_grades_need_somebody_who_gave_them(
    session: Session, project: Project, tmp_path: Path, options: dict[str, str]
) -> None:
    with pytest.raises(Invalid):
        take(session, project, tmp_path, "q1 0 d1 1\n", **options)


def test_nobody_imports_grades_as_a_person_who_grades_here(
    session: Session, project: Project, tmp_path: Path
) -> None:
    class Ada:
        id, name, email = make_user(session).id, "Ada", "ada@example.org"

    service.grader_of(session, project_id=project.id, user=Ada())

    with pytest.raises(AppError, match="in person"):
        take(session, project, tmp_path, "q1 0 d1 1\n", grader_name="Ada")
