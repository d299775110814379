"""Releases: what enters, what stays out, and that nothing moves afterwards."""

import hashlib
import io
import itertools
import json
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.agreement import service as agreement
from app.db import Database, transaction
from app.domain.hit_ids import read_hit_id
from app.domain.spans import Span
from app.errors import Conflict, Invalid, NotFound
from app.evaluation.files import evaluate_files
from app.formats import jsonl_spans, trec
from app.formats.checks import Problems
from app.models import GateReport, GradeEvent, Grader, Item, Project, Query, Release
from app.releases import service
from app.releases.service import Override
from tests.agreement.labels import (
    change,
    give,
    give_pairs,
    load_qrels,
    make_items,
    make_judge,
)
from tests.data import collection
from tests.factories import (
    make_document,
    make_grader,
    make_item,
    make_project,
    make_query,
    make_user,
)


@pytest.fixture
def project(session: Session) -> Project:
    return make_project(session)


@pytest.fixture
def sme(session: Session, project: Project) -> Grader:
    return make_grader(session, project)


def read(session: Session, project: Project, form: Any = "trec", **options: Any) -> str:
    blocks = service.export(session, project, form=form, **options)
    return b"".join(blocks).decode()


def grade_all(session: Session, items: list[Item], sme: Grader, values: list[int]) -> None:
    for item, value in zip(items, values, strict=True):
        give(session, item, sme, value)


def trust(session: Session, project: Project, judge: Grader) -> None:
    """Let the newest look call a judge trusted; that it really is, the pure tests show."""
    agreement.measure_judge(session, project, judge.name)
    session.execute(update(GateReport).values(answer="trusted", reasons=[]))
    session.expire_all()


def test_skips_and_open_items_are_no_lines(  # V-042
    session: Session, project: Project, sme: Grader
) -> None:
    items = make_items(session, project, 5)
    grade_all(session, items[:2], sme, [3, 0])
    change(session, give(session, items[2], sme, 0), None)

    service.cut_release(session, project)

    assert [line.split()[-1] for line in read(session, project).splitlines()] == ["3", "0"]


def test_every_label_is_exported(session: Session, project: Project, sme: Grader) -> None:
    items = make_items(session, project, 137)  # V-076
    grade_all(session, items, sme, [index % 4 for index in range(137)])

    release = service.cut_release(session, project)

    assert len(read(session, project).splitlines()) == release.manifest["labels"] == 137


@pytest.mark.parametrize(
    ("form", "count"),
    [
        pytest.param("trec", lambda text: len(text.splitlines()), id="trec"),
        pytest.param("beir", lambda text: len(text.splitlines()) - 1, id="beir"),
        pytest.param("json", lambda text: len(json.loads(text)["q1"]), id="json"),
        pytest.param("jsonl", lambda text: len(json.loads(text)["relevant"]), id="jsonl"),
        pytest.param("csv", lambda text: len(text.splitlines()) - 1, id="csv"),
    ],
)
def test_zeros_are_kept_in_every_format(  # V-077
    session: Session, project: Project, sme: Grader, form: str, count: Callable[[str], int]
) -> None:
    items = make_items(session, project, 4, query_id="q1")
    grade_all(session, items, sme, [0, 0, 0, 2])

    service.cut_release(session, project)

    assert count(read(session, project, form)) == 4


def test_the_order_is_by_bytes_of_the_ids_on_both_databases(  # V-078
    session: Session, project: Project, sme: Grader
) -> None:
    query = make_query(session, project, query_id="q")
    for doc_id in ("d10", "d9", "D1", "é", "z"):
        version = make_document(session, project, doc_id=doc_id)
        give(session, make_item(session, query, version, (5, 9)), sme, 1)
        give(session, make_item(session, query, version, (0, 4)), sme, 2)
        give(session, make_item(session, query, version), sme, 3)

    release = service.cut_release(session, project)

    ids = [line.split()[2] for line in read(session, project).splitlines()]
    spans = [f"{doc_id}{tail}" for doc_id in ("D1", "d10", "d9", "z", "é")
             for tail in ("", "#0-4", "#5-9")]  # fmt: skip
    assert ids == spans
    written = read(session, project, "jsonl", unit="span").encode()
    assert hashlib.sha256(written).hexdigest() == release.sha256


@pytest.mark.parametrize("doc_id", ["a b", "a\tb", "a\u00a0b"])
def test_ids_that_break_columns_are_refused_or_escaped(  # V-080
    session: Session, project: Project, sme: Grader, doc_id: str
) -> None:
    query = make_query(session, project)
    for one in (doc_id, "#x", "a%20b"):
        give(
            session,
            make_item(session, query, make_document(session, project, doc_id=one)),
            sme,
            1,
        )
    service.cut_release(session, project)

    with pytest.raises(Invalid, match="cannot hold the ids") as refused:
        read(session, project)
    lines = read(session, project, escape=True).splitlines()

    assert repr(doc_id) in str(refused.value)
    assert [len(line.split()) for line in lines] == [4, 4, 4]
    stored = trec.read_qrels(io.BytesIO("\n".join(lines).encode()), Problems("f"), escaped=True)
    assert {row.hit for row in stored} == {doc_id, "#x", "a%20b"}


def test_a_query_id_that_would_begin_a_comment_is_refused_or_escaped(  # V-013
    session: Session, project: Project, sme: Grader
) -> None:
    query = make_query(session, project, query_id="#42")
    item = make_item(session, query, make_document(session, project, doc_id="d"))
    give(session, item, sme, 1)
    release = service.cut_release(session, project)

    with pytest.raises(Invalid, match=r"'#42' \(1 label\).*trec with --escape"):
        read(session, project)

    assert release.manifest["unwritable"]["trec"]["first"] == ["#42"]
    assert read(session, project, escape=True) == "%2342 0 d 1\n"


def test_each_pair_has_one_label_and_its_source(  # V-081
    session: Session, project: Project, sme: Grader
) -> None:
    one, two = make_judge(session, project, "one"), make_judge(session, project, "two")
    (item,) = make_items(session, project, 1)
    (other,) = make_items(session, project, 1)
    for grader, value in ((sme, 1), (one, 3), (two, 2)):
        give(session, item, grader, value)
    give(session, other, two, 2)

    service.cut_release(session, project, overrides=[Override("two", "pilot")])

    def grades(source: Any) -> list[str]:
        return [line.split()[-1] for line in read(session, project, source=source).splitlines()]

    assert (grades("all"), grades("human"), grades("judge")) == (["1", "2"], ["1"], ["2"])
    assert [line.split(",")[-2:] for line in read(session, project, "csv").splitlines()] == [
        ["grade", "source"],
        ["1", '"consensus"'],
        ["2", '"judge"'],
    ]


def test_a_release_is_of_one_moment_while_others_grade(  # V-082
    database: Database,
) -> None:
    with transaction(database) as session:
        project = make_project(session)
        sme = make_grader(session, project)
        for _ in range(40):
            grade_all(session, make_items(session, project, 5), sme, [1] * 5)
        slug, project_id = project.slug, project.id
    stop = threading.Event()

    def flip() -> None:
        for value in itertools.cycle((2, 1)):
            for query_ref in range(1, 41):
                if stop.is_set():
                    return
                with transaction(database) as session:
                    items = select(Item.id).where(Item.query_ref == query_ref)
                    session.execute(
                        update(GradeEvent)
                        .where(GradeEvent.item_id.in_(items))
                        .values(value=value)
                    )

    flipping = threading.Thread(target=flip)
    flipping.start()
    try:
        for _ in range(8):
            with transaction(database) as session:
                project = session.get_one(Project, project_id)
                service.cut_release(session, project)
    finally:
        stop.set()
        flipping.join()

    with transaction(database, write=False) as session:
        project = session.get_one(Project, project_id)
        assert project.slug == slug
        for number in range(1, 9):
            qrels = json.loads(read(session, project, "json", number=number))
            assert [len(grades) for grades in qrels.values()] == [5] * 40
            assert all(len(set(grades.values())) == 1 for grades in qrels.values())


def test_a_release_never_changes_afterwards(
    session: Session, project: Project, sme: Grader
) -> None:
    items = make_items(session, project, 3)
    grades = [give(session, item, sme, 1) for item in items]
    release = service.cut_release(session, project)
    forms = ("trec", "beir", "json", "jsonl", "csv")
    before = [read(session, project, form, number=1) for form in forms]
    manifest = json.dumps(release.manifest)

    change(session, grades[0], 3)
    query = session.get_one(Query, items[0].query_ref)
    query.tags, query.position = {"new": ["tag"]}, 0
    grade_all(session, make_items(session, project, 2), sme, [2, 2])
    second = service.cut_release(session, project)

    assert [read(session, project, form, number=1) for form in forms] == before
    assert json.dumps(session.get_one(Release, release.id).manifest) == manifest
    assert (second.number, second.manifest["labels"]) == (2, 5)


def test_people_come_before_judges_and_disputes_stay_out(
    session: Session, project: Project, sme: Grader
) -> None:
    bob, judge = make_grader(session, project, "bob"), make_judge(session, project)
    items = give_pairs(session, [(0, 3), (1, 3), (None, 2), (0, 3)], sme, judge)
    give(session, items[0], bob, 2)
    give(session, items[3], bob, 3)
    eve = make_grader(session, project, "eve")
    give(session, items[3], eve, 2, kind="adjudication")
    trust(session, project, judge)

    manifest = service.cut_release(session, project).manifest

    assert manifest["counts"] == {
        "adjudicated": [0, 0, 1, 0],
        "consensus": [0, 1, 0, 0],
        "judge": [0, 0, 1, 0],
        "override": [0, 0, 0, 0],
    }
    assert manifest["left_out"]["unresolved"] == 1
    assert manifest["judges"][0]["gate"]["answer"] == "trusted"


def test_an_untrusted_judge_enters_by_a_named_override_only(
    session: Session, project: Project, sme: Grader
) -> None:
    judge = make_judge(session, project)
    give_pairs(session, [(1, 1), (None, 2)], sme, judge)
    agreement.measure_judge(session, project, judge.name)
    user = make_user(session)
    make_grader(session, project, "boss", user=user)

    without = service.cut_release(session, project).manifest
    given = service.cut_release(
        session, project, overrides=[Override("judge-a", "a pilot")], by=user.id
    ).manifest

    assert (without["labels"], without["left_out"]["judge_not_admitted"]) == (1, 1)
    assert given["counts"]["override"] == [0, 0, 1, 0]
    assert given["judges"][0]["gate"]["answer"] == "not enough labels"
    override = given["judges"][0]["override"]
    assert (override["reason"], override["by"][:4]) == ("a pilot", "sme-")


def test_an_override_needs_a_judge_and_a_reason(
    session: Session, project: Project, sme: Grader
) -> None:
    give_pairs(session, [(1, 1)], sme, make_judge(session, project))

    with pytest.raises(Invalid, match="Say why"):
        service.cut_release(session, project, overrides=[Override("judge-a", " ")])
    with pytest.raises(NotFound, match="no judge nobody"):
        service.cut_release(session, project, overrides=[Override("nobody", "why")])


def test_nothing_labelled_is_nothing_to_release(session: Session, project: Project) -> None:
    make_items(session, project, 2)

    with pytest.raises(Conflict, match="Nothing is labelled yet"):
        service.cut_release(session, project)
    with pytest.raises(NotFound, match="There is no release yet"):
        read(session, project)


def test_labels_of_a_text_that_is_no_more_stay_out(
    session: Session, project: Project, sme: Grader
) -> None:
    items = make_items(session, project, 2)
    grade_all(session, items, sme, [3, 1])
    newer = make_document(session, project)
    old = items[0]
    session.connection().exec_driver_sql(
        f"UPDATE documents SET current_version_id = {newer.id} WHERE current_version_id ="
        f" {old.document_version_id}"
    )

    manifest = service.cut_release(session, project).manifest

    assert (manifest["labels"], manifest["left_out"]["outdated"]) == (1, 1)


def make_spans(session: Session, project: Project, sme: Grader) -> list[tuple[Span, int]]:
    query = make_query(session, project, query_id="q", tags={"type": ["policy"]})
    version = make_document(session, project, doc_id="d1")
    odd = make_document(session, project, doc_id="d1#0-5")
    labels = []
    for held, at, grade in (
        (version, (0, 5), 1), (version, (5, 9), 3), (version, None, 0), (odd, None, 2),
    ):  # fmt: skip
        give(session, make_item(session, query, held, at), sme, grade)
        doc_id = "d1" if held is version else "d1#0-5"
        span = Span(doc_id, *at) if at else Span(doc_id, 0, None, whole=True)
        labels.append((span, grade))
    return labels


def test_what_is_exported_is_read_back_as_the_same_labels(
    session: Session, project: Project, sme: Grader
) -> None:
    labels = make_spans(session, project, sme)
    service.cut_release(session, project)

    lines = read(session, project, "jsonl", unit="span").encode()
    rows = list(jsonl_spans.read_labels(io.BytesIO(lines), Problems("f")))
    back = {
        (Span(row.doc_id or "", row.start or 0, row.end, row.start is None), row.grade_text)
        for row in rows
    }
    assert back == {(span, str(grade)) for span, grade in labels}
    assert {row.tags["source"][0] for row in rows} == {"consensus"}

    hits = trec.read_qrels(io.BytesIO(read(session, project).encode()), Problems("f"))
    spans = {read_hit_id(row.hit) for row in hits}
    odd = Span("d1#0-5", 0, 46)
    assert spans == {span for span, _ in labels if span.doc_id == "d1"} | {odd}  # V-027


def test_a_document_has_the_highest_grade_of_its_spans(
    session: Session, project: Project, sme: Grader
) -> None:
    make_spans(session, project, sme)
    service.cut_release(session, project)

    assert read(session, project, unit="document") == "q 0 d1 3\nq 0 d1#0-5 2\n"
    row = json.loads(read(session, project, "jsonl", unit="document"))
    assert row["relevant"] == {"d1": 3, "d1#0-5": 2}
    assert (row["query_id"], row["tags"]) == ("q", {"type": ["policy"]})


def test_a_beir_folder_holds_the_texts_of_its_labels(
    session: Session, project: Project, sme: Grader
) -> None:
    make_spans(session, project, sme)
    service.cut_release(session, project)
    plan = service.plan_export(session, project, form="beir", packed=True)

    packed = b"".join(service.stream_export(session, plan))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]
        texts = [json.loads(line) for line in archive.read("corpus.jsonl").splitlines()]
        qrels = archive.read("qrels/test.tsv").decode().splitlines()

    assert {text["_id"] for text in texts} == {line.split("\t")[1] for line in qrels[1:]}
    assert {text["text"] for text in texts if text["_id"] == "d1#0-5"} == {"An op"}
    assert packed == b"".join(service.stream_export(session, plan))


def test_exported_nist_labels_score_runs_as_trec_eval_does(
    session: Session, project: Project, sme: Grader, tmp_path: Path
) -> None:
    folder = collection("dl21-passage-A")
    load_qrels(session, project, [(folder / "qrels.trec", sme)])
    service.cut_release(session, project)
    path = tmp_path / "qrels.trec"
    path.write_text(read(session, project), encoding="utf-8")

    def lines(file: Path) -> set[str]:
        return {" ".join(line.split()) for line in file.read_text().splitlines()}

    assert lines(path) == lines(folder / "qrels.trec")
    expected = json.loads((folder / "expected/metrics.json").read_text(encoding="utf-8"))
    runs = [folder / "runs" / f"{name}.trec" for name in ("p_bm25", "TUW_TAS-B_768")]
    found = evaluate_files(str(path), [str(run) for run in runs])["runs"]
    for name, keys in (("map", "map"), ("mrr", "recip_rank"), ("ndcg@10", "ndcg_cut_10")):
        for run in runs:
            wanted = expected["runs"][run.stem]["all_l1"][keys]
            assert found[run.stem]["mean"][name] == pytest.approx(wanted, abs=5e-5)
