"""What is stored after an import, on both databases; parsing itself is in tests/formats."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.corpus import service
from app.errors import BadFile
from app.models import Document, DocumentVersion, Hit, Import, Project, Run
from app.projects.imports import ImportReport
from tests.corpus.files import write
from tests.data import collection
from tests.factories import make_document, make_item, make_project, make_query


def take(
    session: Session, project: Project, path: Path, *, skip_bad: bool = False
) -> ImportReport:
    return service.import_corpus(session, project, path, file_name=path.name, skip_bad=skip_bad)


def take_rows(
    session: Session, project: Project, folder: Path, *rows: Mapping[str, object]
) -> ImportReport:
    path = write(folder, *(json.dumps(row, ensure_ascii=False) for row in rows))
    return take(session, project, path)


def stored(session: Session, project: Project) -> dict[str, str]:
    return {doc_id: text for _, doc_id, _, text in service.iterate_texts(session, project.id)}


def test_a_byte_order_mark_is_no_part_of_the_first_id_v001(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)

    take(session, project, write(tmp_path, b'\xef\xbb\xbf{"_id":"d1","text":"x"}'))

    assert stored(session, project) == {"d1": "x"}


def test_a_byte_order_mark_inside_a_text_is_kept_v001(session: Session, tmp_path: Path) -> None:
    project = make_project(session)

    take_rows(session, project, tmp_path, {"doc_id": "d1", "text": "\ufeffx"})

    assert stored(session, project) == {"d1": "\ufeffx"}


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param('{"doc_id":"d1","text":"x"}\n'.encode("utf-16"), id="utf-16 v002"),
        pytest.param(b'{"doc_id":"d1","text":"caf\xe9"}\n', id="windows-1252 v003"),
        pytest.param(b'{"_id":"d1","text":"ab\\u0000cd"}\n', id="nul v015"),
        pytest.param(b'{"_id":"d1","text":"ab\\ud83dcd"}\n', id="lone surrogate v016"),
        pytest.param(b'{"_id":"d1","text":"a"}\n{"_id":"d4","text":"unfini', id="cut off v018"),
        pytest.param(b'{"_id":"d1","text":"a"}\n{"_id":4.0,"text":"b"}\n', id="decimal v008"),
        pytest.param(b'{"_id":"%s","text":"a"}\n' % (b"x" * 3_000), id="endless id"),
        pytest.param(b"", id="empty file"),
    ],
)
def test_a_file_with_a_bad_line_stores_nothing(
    session: Session, tmp_path: Path, raw: bytes
) -> None:
    project = make_project(session)
    path = tmp_path / "bad.jsonl"
    path.write_bytes(raw)

    with pytest.raises(BadFile, match=r"bad\.jsonl"):
        take(session, project, path)

    assert stored(session, project) == {}
    assert session.scalar(select(func.count()).select_from(Import)) == 0


def test_bad_lines_are_left_out_only_when_asked_and_counted(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    path = write(tmp_path, '{"doc_id":"a","text":"x"}', '{"doc_id":null,"text":"y"}')

    report = take(session, project, path, skip_bad=True)

    assert (report.added, report.skipped) == (1, 1)
    assert "line 2" in report.problems[0]
    assert stored(session, project) == {"a": "x"}


def test_unicode_separators_do_not_cut_a_record_v004(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    first = '{"_id":"d1","text":"one\u2028two\u0085three\\ffour"}'

    take(session, project, write(tmp_path, first, '{"_id":"d2","text":"ok"}'))

    assert service.document_versions(session, project.id, ["d1"])["d1"].length == 18
    assert stored(session, project)["d1"][14:18] == "four"


def test_a_line_of_five_million_characters_is_stored_whole_v005(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)

    take_rows(session, project, tmp_path, {"doc_id": "d", "text": "a" * 5_000_000 + "END"})

    text = stored(session, project)["d"]
    assert (len(text), text[-3:]) == (5_000_003, "END")


@pytest.mark.parametrize(
    "ids",
    [
        pytest.param(
            ["7", "007", "7.0", "1e5", "100000", "9007199254740993", "+7", "0x10"], id="v006"
        ),
        pytest.param(["NA", "null", "nan", "None", "True", "N/A"], id="v007"),
        pytest.param(
            ["Doc1", "doc1", "doc1 ", "A B", "A_B", "\u00e9", "e\u0301", "\ufb01", "fi"],
            id="v009",
        ),
    ],
)
def test_ids_are_kept_apart_as_exact_text(
    session: Session, tmp_path: Path, ids: list[str]
) -> None:
    project = make_project(session)

    report = take_rows(
        session, project, tmp_path, *({"doc_id": each, "text": each} for each in ids)
    )

    assert report.added == len(ids)
    assert stored(session, project) == {each: each for each in ids}
    assert set(service.document_versions(session, project.id, ids)) == set(ids)


def test_a_whole_number_as_id_is_its_decimal_text_v008(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)

    take(session, project, write(tmp_path, '{"_id":3,"text":"a"}'))

    assert stored(session, project) == {"3": "a"}


def test_a_repeated_document_is_counted_once_and_a_changed_one_refused_v010(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    same = {"doc_id": "d2", "text": "beta"}

    with pytest.raises(BadFile, match="line 3: 'd1' is in line 1"):
        take_rows(
            session,
            project,
            tmp_path,
            {"doc_id": "d1", "text": "alpha"},
            same,
            {"doc_id": "d1", "text": "ALPHA changed"},
            same,
        )
    report = take_rows(session, project, tmp_path, same, same)

    assert (report.added, report.duplicates) == (1, 1)


def test_the_same_file_again_changes_nothing_and_says_so_v017(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    path = write(tmp_path, '{"doc_id":"a","text":"x"}')
    first = take(session, project, path)

    again = take(session, project, path)

    assert (first.already, again.already) == (False, True)
    assert (again.added, again.unchanged) == (0, 1)
    assert session.scalar(select(func.count()).select_from(Import)) == 1


@pytest.mark.parametrize(
    ("text", "length", "start", "end", "word"),
    [
        pytest.param("🦊 fox says hi", 13, 6, 10, "says", id="astral v020"),
        pytest.param("👩🏽‍🔬 lab notes", 14, 5, 8, "lab", id="joined v021"),
        pytest.param("cafe\u0301 noir served", 17, 6, 10, "noir", id="decomposed v022"),
        pytest.param("one\r\ntwo\r\nthree", 15, 10, 15, "three", id="crlf v023"),
        pytest.param("a\rb", 3, 2, 3, "b", id="lone cr v023"),
        pytest.param("a &lt; b & c <i>d</i>", 21, 13, 21, "<i>d</i>", id="markup v024"),
    ],
)
def test_a_text_is_stored_exactly_and_measured_in_code_points(
    session: Session, tmp_path: Path, text: str, length: int, start: int, end: int, word: str
) -> None:
    project = make_project(session)

    take_rows(session, project, tmp_path, {"doc_id": "d", "text": text})

    info = service.document_versions(session, project.id, ["d"])["d"]
    assert info.length == length
    assert service.text_of(session, info.version_id)[2] == text
    assert stored(session, project)["d"][start:end] == word


def test_another_text_is_a_new_version_while_nobody_refers_to_the_old(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    take_rows(session, project, tmp_path, {"doc_id": "d", "text": "old"})
    before = service.fingerprint(session, project.id)

    report = take_rows(session, project, tmp_path, {"doc_id": "d", "text": "new"})

    assert report.changed == 1
    assert stored(session, project) == {"d": "new"}
    assert service.fingerprint(session, project.id) != before
    assert session.scalar(select(func.count()).select_from(DocumentVersion)) == 2


def test_the_fingerprint_changes_with_texts_and_with_nothing_else(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    seen = [service.fingerprint(session, project.id)]

    def look() -> bool:
        seen.append(service.fingerprint(session, project.id))
        return seen[-1] not in seen[:-1]

    service.add_unknown(session, project.id, ["d"])
    assert not look()
    take_rows(session, project, tmp_path, {"doc_id": "d", "text": "filled"})
    assert look()
    take_rows(session, project, tmp_path, {"doc_id": "e", "text": "new"})
    assert look()
    take_rows(session, project, tmp_path, {"doc_id": "e", "text": "new"})
    assert not look()
    take_rows(session, project, tmp_path, {"doc_id": "e", "text": "new", "access": "hr"})
    assert not look()
    take_rows(session, project, tmp_path, {"doc_id": "e", "text": "changed"})
    assert look()


def test_a_refused_file_leaves_the_fingerprint(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    version = make_document(session, project, "old", doc_id="d")
    make_item(session, make_query(session, project), version)
    before = service.fingerprint(session, project.id)

    with pytest.raises(BadFile):
        take_rows(
            session,
            project,
            tmp_path,
            {"doc_id": "e", "text": "x"},
            {"doc_id": "d", "text": "y"},
        )

    assert service.fingerprint(session, project.id) == before


def test_a_text_that_comes_back_is_its_old_version(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    for text in ("old", "new"):
        take_rows(session, project, tmp_path, {"doc_id": "d", "text": text})

    take_rows(session, project, tmp_path, {"doc_id": "d", "text": "old", "tags": {"a": "b"}})

    assert stored(session, project) == {"d": "old"}
    assert session.scalar(select(func.count()).select_from(DocumentVersion)) == 2


def test_another_text_is_refused_where_an_item_refers_to_the_document(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    version = make_document(session, project, "old", doc_id="d")
    make_item(session, make_query(session, project), version)

    with pytest.raises(BadFile, match="'d' has another text"):
        take_rows(
            session,
            project,
            tmp_path,
            {"doc_id": "e", "text": "x"},
            {"doc_id": "d", "text": "y"},
        )

    assert stored(session, project) == {"d": "old"}


def test_other_tags_and_access_are_taken_over(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    take_rows(session, project, tmp_path, {"doc_id": "d", "text": "x"})

    report = take_rows(
        session, project, tmp_path,
        {"doc_id": "d", "text": "x", "tags": {"kind": ["a", "b"]}, "access": "staff"},
    )  # fmt: skip

    assert (report.updated, report.changed) == (1, 0)
    assert service.access_labels(session, project.id) == {"staff": 1}
    tags = session.scalars(select(Document.tags).where(Document.project_id == project.id)).one()
    assert tags == {"kind": ["a", "b"]}


def test_a_document_known_by_name_gets_its_text_in_place(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    named = service.add_unknown(session, project.id, ["d", "other"])
    query = make_query(session, project)
    run = Run(project_id=project.id, name="r", retriever=None, depth=1)
    session.add(run)
    session.flush()
    hit = Hit(
        run_id=run.id, query_ref=query.id, rank=1, document_version_id=named["d"].version_id,
        whole=True, span_start=0, span_end=0, score=1.0,
    )  # fmt: skip
    session.add(hit)
    session.flush()

    report = take_rows(session, project, tmp_path, {"doc_id": "d", "text": "four"})

    session.refresh(hit)
    now = service.document_versions(session, project.id, ["d", "other", "none"])
    assert (report.filled, report.added) == (1, 0)
    assert now["d"] == service.VersionInfo(named["d"].version_id, "d", 4, True)
    assert (now["other"].known, now["other"].length) == (False, None)
    assert hit.span_end == 4
    assert service.counts(session, project.id) == service.CorpusCounts(1, 1, 4)


def test_a_text_shorter_than_what_a_run_found_in_it_is_refused(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    named = service.add_unknown(session, project.id, ["d"])["d"]
    version = session.get_one(DocumentVersion, named.version_id)
    make_item(session, make_query(session, project), version, (2, 9))

    with pytest.raises(BadFile, match="a run found characters up to 9"):
        take_rows(session, project, tmp_path, {"doc_id": "d", "text": "short"})


def test_naming_documents_twice_adds_them_once(session: Session) -> None:
    project = make_project(session)
    first = service.add_unknown(session, project.id, ["a", "b"])

    again = service.add_unknown(session, project.id, ["b", "a", "b"])

    assert again == first


def test_a_preview_stores_nothing_and_shows_the_first_rows(
    session: Session, tmp_path: Path
) -> None:
    project = make_project(session)
    rows = [{"doc_id": f"d{number}", "text": "x" * number} for number in range(30)]
    path = write(tmp_path, *map(json.dumps, rows))

    report = service.preview_corpus(session, project, path, file_name="f")

    assert (report.added, len(report.first_rows)) == (30, 20)
    assert report.first_rows[3] == {
        "doc_id": "d3", "title": "", "text": "xxx", "length": 3, "tags": {}, "access": None,
    }  # fmt: skip
    assert stored(session, project) == {}


def test_two_projects_do_not_see_each_other(session: Session, tmp_path: Path) -> None:
    one, other = make_project(session), make_project(session)
    take_rows(session, one, tmp_path, {"doc_id": "d", "text": "one"})

    take_rows(session, other, tmp_path, {"doc_id": "d", "text": "other"})

    assert stored(session, one) == {"d": "one"}
    assert stored(session, other) == {"d": "other"}


def test_texts_come_in_order_from_any_place_on(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    take_rows(session, project, tmp_path, *({"doc_id": f"d{n}", "text": "x"} for n in range(7)))

    texts = list(service.iterate_texts(session, project.id, size=2))
    rest = list(service.iterate_texts(session, project.id, after=texts[3][0], size=2))

    assert [version for version, *_ in texts] == sorted(version for version, *_ in texts)
    assert rest == texts[4:]


def test_a_compressed_file_is_read_too(session: Session, tmp_path: Path) -> None:
    project = make_project(session)
    path = tmp_path / "docs.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"doc_id":"a","text":"x"}\n'))

    assert take(session, project, path).added == 1


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("cranfield", 1_400),
        ("dl21-passage-A", 5_716),
        ("span-gold", 3),
        ("beir-dbpedia-mini", 5_000),
    ],
)
def test_a_real_corpus_is_stored_character_by_character(
    session: Session, name: str, documents: int
) -> None:
    path = collection(name) / "corpus.jsonl"
    project = make_project(session)

    report = take(session, project, path)

    texts = stored(session, project)
    with path.open("rb") as lines:
        rows = [json.loads(line) for line in lines]
    assert report.added == documents
    assert texts == {row.get("doc_id", row.get("_id")): row["text"] for row in rows}
