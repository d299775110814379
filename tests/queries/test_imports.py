"""What is stored after an import, on both databases; parsing itself is in tests/formats."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from app.errors import BadFile
from app.models import GradeEvent, Project, Query
from app.projects.imports import ImportReport
from app.queries import service
from tests.corpus.files import write
from tests.data import collection
from tests.factories import make_document, make_grader, make_item, make_project


def take(session: Session, project: Project, path: Path) -> ImportReport:
    return service.import_queries(session, project, path, file_name=path.name)


def take_rows(
    session: Session, project: Project, folder: Path, *rows: Mapping[str, object]
) -> ImportReport:
    return take(session, project, write(folder, *(json.dumps(row) for row in rows)))


def grade(session: Session, project: Project, query_id: str) -> None:
    """Give a query a grade."""
    info = service.by_ids(session, project.id, [query_id])[query_id]
    version = make_document(session, project)
    item = make_item(session, session.get_one(Query, info.query_ref), version)
    session.add(
        GradeEvent(
            slot_id=None, slot_kind="imported", item_id=item.id, value=1,
            grader_id=make_grader(session, project).id, query_version_id=info.version_id,
            document_version_id=version.id,
        )
    )  # fmt: skip
    session.flush()


def test_a_table_with_a_byte_order_mark_gives_exact_ids_v001(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)

    take(session, project, write(tmp_path, b"\xef\xbb\xbfquery_id,text", b"q1,red shoes"))

    assert [each.query_id for each in service.list_current(session, project.id)] == ["q1"]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("query_id,text\nq1,hello\n".encode("utf-16"), id="utf-16 v002"),
        pytest.param(b"query_id,text\nq1,caf\xe9 Z\xfcrich\n", id="windows-1252 v003"),
        pytest.param(b"query_id,text\nq1,a\x00b\n", id="nul v015"),
        pytest.param(b"query_id,text\nq1,a\nq1,b\n", id="conflict v010"),
        pytest.param(b"query_id,text\nq1,a\nq2\n", id="cut off v018"),
    ],
)
def test_a_file_with_a_bad_line_stores_nothing(
    session: Session, tmp_path: Path, raw: bytes
) -> None:
    project = make_project(session)
    path = tmp_path / "queries.csv"
    path.write_bytes(raw)

    with pytest.raises(BadFile, match=r"queries\.csv"):
        take(session, project, path)

    assert service.counts(session, project.id).queries == 0


def test_a_cell_of_200_000_characters_is_stored_whole_v005(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)

    take(session, project, write(tmp_path, "query_id,text", f"q,{'a' * 200_000}END"))

    [query] = service.list_current(session, project.id)
    assert (len(query.text), query.text[-3:]) == (200_003, "END")


def test_words_that_look_like_missing_values_are_text_v007(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    rows = ["query_id,text", "NA,null", "nan,None", "null,N/A", "True,1"]

    take(session, project, write(tmp_path, *rows))

    found = service.list_current(session, project.id)
    assert [(each.query_id, each.text) for each in found] == [
        ("NA", "null"),
        ("nan", "None"),
        ("null", "N/A"),
        ("True", "1"),
    ]


def test_queries_keep_the_order_of_their_files(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    take_rows(session, project, tmp_path, {"query_id": "z", "text": "1"})
    rows = [{"query_id": each, "text": "2"} for each in ("y", "z", "x")]
    rows[1]["text"] = "1"

    report = take_rows(session, project, tmp_path, *rows)

    found = service.list_current(session, project.id)
    assert [(each.query_id, each.position) for each in found] == [("z", 1), ("y", 2), ("x", 3)]
    assert (report.added, report.unchanged) == (2, 1)


def test_need_tags_and_answerability_are_stored(session: Session, tmp_path: Path) -> None:
    project = make_project(session)

    take_rows(
        session,
        project,
        tmp_path,
        {"query_id": "a", "text": "x", "need": "n", "tags": {"answerable": "no", "type": "t"}},
        {"query_id": "b", "text": "x", "tags": {"answerable": ["False"]}},
        {"query_id": "c", "text": "x", "answerable": True, "tags": {"answerable": "no"}},
        {"query_id": "d", "text": "x"},
        {"query_id": "e", "text": "x", "tags": {"answerable": "perhaps"}},
    )

    found = service.by_ids(session, project.id, "abcdef")
    assert found["a"].need == "n"
    assert found["a"].tags == {"answerable": ["no"], "type": ["t"]}
    assert [found[each].answerable for each in "abcde"] == [False, False, True, None, None]
    assert service.counts(session, project.id) == service.QueryCounts(5, 2)


def test_the_same_file_again_changes_nothing_v017(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    path = write(tmp_path, '{"query_id":"a","text":"x"}')
    take(session, project, path)

    assert take(session, project, path).already
    assert service.counts(session, project.id).queries == 1


def test_another_wording_is_a_new_version_while_ungraded(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    take_rows(session, project, tmp_path, {"query_id": "a", "text": "old"})
    before = service.fingerprint(session, project.id)

    report = take_rows(session, project, tmp_path, {"query_id": "a", "text": "new"})

    query, wordings = service.query_by_id(session, project.id, "a")
    assert (report.changed, query.text) == (1, "new")
    assert [each.text for each in wordings] == ["new", "old"]
    assert service.fingerprint(session, project.id) != before


def test_another_wording_of_a_graded_query_is_refused(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    take_rows(session, project, tmp_path, {"query_id": "a", "text": "old"})
    grade(session, project, "a")

    with pytest.raises(BadFile, match="'a' has another text or need"):
        take_rows(session, project, tmp_path, {"query_id": "a", "text": "new"})
    tagged = take_rows(
        session, project, tmp_path, {"query_id": "a", "text": "old", "tags": {"k": "v"}}
    )

    assert tagged.updated == 1


def test_a_preview_stores_nothing(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    path = write(tmp_path, '{"query_id":"a","text":"x"}')

    report = service.preview_queries(session, project, path, file_name="f")

    assert report.added == 1
    assert report.first_rows[0]["query_id"] == "a"
    assert service.counts(session, project.id).queries == 0


@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("cranfield", 225),
        ("dl21-passage-A", 27),
        ("span-gold", 317),
        ("beir-dbpedia-mini", 50),
        ("trec-covid-round1-A", 30),
    ],
)
def test_real_queries_are_all_taken(session: Session, name: str, queries: int) -> None:
    path = collection(name) / "queries.jsonl"
    project = make_project(session)

    take(session, project, path)

    assert service.counts(session, project.id).queries == queries
