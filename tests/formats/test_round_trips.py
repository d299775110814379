"""Round trips: what a format writes it reads back the same, whatever the characters."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from app.errors import Invalid
from app.formats import beir, json_qrels, jsonl, jsonl_spans, tables, trec
from app.formats.rows import (
    DocumentRow,
    HitRow,
    LabelRow,
    QueryLabelsRow,
    QueryRow,
    Tags,
    join_hit,
)
from tests.formats.reading import joined, read_good

HARD = "\t\n\r \"',#%\\{}\u0085\u2028\u2029\u00a0\ufeff\x0b\x0c\x1c\x7f🦊é0"
character = some.one_of(
    some.sampled_from(HARD),
    some.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
)
text = some.text(character, max_size=12)
identifier = some.text(character, min_size=1, max_size=8)
query_text = text.filter(lambda written: bool(written.strip()))
tags = some.dictionaries(identifier, some.lists(text, max_size=2), max_size=2)
grade = some.integers(0, 3)
score = some.floats(allow_nan=False, allow_infinity=False)
few = settings(max_examples=60, deadline=None)


def ids(size: int = 4) -> some.SearchStrategy[list[str]]:
    return some.lists(identifier, min_size=1, max_size=size, unique=True)


@some.composite
def labels(draw: some.DrawFn) -> list[LabelRow]:
    return [
        LabelRow(0, query_id, hit, None, None, None, str(draw(grade)))
        for query_id in draw(ids())
        for hit in draw(ids())
    ]


@some.composite
def places(draw: some.DrawFn) -> tuple[str, int | None, int | None]:
    doc_id = draw(identifier)
    if draw(some.booleans()):
        return doc_id, None, None
    start = draw(some.integers(0, 2**20))
    return doc_id, start, start + draw(some.integers(1, 99))


def bare(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Everything of a row but its line."""
    return [
        tuple(getattr(row, name) for name in row.__slots__ if name != "line") for row in rows
    ]


@few
@given(ids(), text, text, tags, some.none() | text)
def test_documents_in_json_lines(
    names: list[str], title: str, body: str, marks: Tags, access: str | None
) -> None:
    rows = [DocumentRow(0, name, title, body, marks, access) for name in names]

    assert bare(read_good(jsonl.read_corpus, joined(jsonl.write_corpus(rows)))) == bare(rows)


@few
@given(ids(), text, text, tags)
def test_documents_in_beir(names: list[str], title: str, body: str, marks: Tags) -> None:
    rows = [DocumentRow(0, name, title, body, marks) for name in names]

    assert bare(read_good(beir.read_corpus, joined(beir.write_corpus(rows)))) == bare(rows)


@few
@given(ids(), query_text, text, tags, some.none() | some.booleans())
def test_queries_in_json_lines(
    names: list[str], asked: str, need: str, marks: Tags, answerable: bool | None
) -> None:
    rows = [QueryRow(0, name, asked, need, marks, answerable) for name in names]

    assert bare(read_good(jsonl.read_queries, joined(jsonl.write_queries(rows)))) == bare(rows)


@few
@given(ids(), query_text, text, tags)
def test_queries_in_beir(names: list[str], asked: str, need: str, marks: Tags) -> None:
    rows = [QueryRow(0, name, asked, need, marks) for name in names]

    assert bare(read_good(beir.read_queries, joined(beir.write_queries(rows)))) == bare(rows)


@few
@given(ids(), query_text, text)
def test_queries_in_csv(names: list[str], asked: str, need: str) -> None:
    rows = [QueryRow(0, name, asked, need) for name in names]

    written = joined(tables.write_csv_queries(rows))

    assert bare(read_good(tables.read_csv_queries, written)) == bare(rows)


@few
@given(ids(), query_text, text)
def test_queries_in_tsv_or_a_refusal(names: list[str], asked: str, need: str) -> None:
    rows = [QueryRow(0, name, asked, need) for name in names]
    try:
        written = joined(tables.write_tsv_queries(rows))
    except Invalid:
        assert any(mark in "".join([*names, asked, need]) for mark in "\t\n\r")
        return

    assert bare(read_good(tables.read_tsv_queries, written)) == bare(rows)


@few
@given(labels())
def test_escaped_trec_qrels_have_four_fields_and_come_back(rows: list[LabelRow]) -> None:
    written = joined(trec.write_qrels(rows, escape=True))

    assert all(len(line.split()) == 4 for line in written.decode().splitlines())
    back = read_good(lambda stream, bad: trec.read_qrels(stream, bad, escaped=True), written)
    assert bare(back) == bare(rows)


@few
@given(labels())
def test_plain_trec_qrels_come_back_or_are_refused(rows: list[LabelRow]) -> None:
    try:
        written = joined(trec.write_qrels(rows))
    except Invalid:
        return

    assert all(len(line.split()) == 4 for line in written.decode().splitlines())
    assert bare(read_good(trec.read_qrels, written)) == bare(rows)


@few
@given(ids(), some.lists(identifier, min_size=1, max_size=4, unique=True), score)
def test_escaped_trec_runs_come_back(queries: list[str], hits: list[str], value: float) -> None:
    rows = [
        HitRow(0, query_id, hit, None, None, None, rank, value, "tag")
        for query_id in queries
        for rank, hit in enumerate(hits, start=1)
    ]

    written = joined(trec.write_run(rows, escape=True))

    back = read_good(lambda stream, bad: trec.read_run(stream, bad, escaped=True), written)
    assert bare(back) == bare(rows)


@few
@given(labels())
def test_beir_qrels_come_back_or_are_refused(rows: list[LabelRow]) -> None:
    try:
        written = joined(beir.write_qrels(rows))
    except Invalid:
        assert any(mark in row.query_id + row.hit for row in rows for mark in "\t\n\r")
        return

    assert bare(read_good(beir.read_qrels, written)) == bare(rows)


@few
@given(labels())
def test_json_qrels_come_back(rows: list[LabelRow]) -> None:
    assert bare(read_good(json_qrels.read_qrels, joined(json_qrels.write_qrels(rows)))) == bare(
        rows
    )


@few
@given(identifier, places(), score, some.none() | some.integers(-5, 5), text)
def test_runs_of_spans_come_back(
    query_id: str,
    place: tuple[str, int | None, int | None],
    value: float,
    rank: int | None,
    tag: str,
) -> None:
    rows = [HitRow(0, query_id, join_hit(*place), *place, rank, value, tag)]

    assert bare(read_good(jsonl_spans.read_run, joined(jsonl_spans.write_run(rows)))) == bare(
        rows
    )


@few
@given(identifier, places(), grade, some.none() | text, some.none() | text, tags)
def test_labels_of_spans_come_back(
    query_id: str,
    place: tuple[str, int | None, int | None],
    value: int,
    note: str | None,
    passage: str | None,
    marks: Tags,
) -> None:
    rows = [LabelRow(0, query_id, join_hit(*place), *place, str(value), note, passage, marks)]

    written = joined(jsonl_spans.write_labels(rows))

    assert bare(read_good(jsonl_spans.read_labels, written)) == bare(rows)


@few
@given(identifier, text, some.dictionaries(identifier, grade, min_size=1, max_size=4), tags)
def test_labels_by_query_come_back(
    query_id: str, asked: str, relevant: dict[str, int], marks: Tags
) -> None:
    written = joined(
        jsonl_spans.write_query_labels([QueryLabelsRow(query_id, asked, relevant, marks)])
    )

    back = read_good(jsonl_spans.read_labels, written)
    assert {row.hit: int(row.grade_text) for row in back} == relevant
    assert all(row.query_id == query_id and row.tags == marks for row in back)


@few
@given(identifier)
def test_an_escaped_id_comes_back(written: str) -> None:
    assert trec.unescape_id(trec.escape_id(written)) == written


V080 = ["a b", "a\tb", "a\u00a0b", "#x", "a%20b"]


def test_v080_ids_with_white_space_are_refused_by_name() -> None:
    with pytest.raises(Invalid, match=r"ids 'a b', 'a\\tb', 'a\\xa0b', '', '#': "):
        trec.refuse_unwritable([*V080, "", "#"])


def test_v080_escaped_ids_stay_different() -> None:
    rows = [LabelRow(1, "q", hit, None, None, None, "1") for hit in V080]

    written = joined(trec.write_qrels(rows, escape=True)).decode()

    hits = [line.split()[2] for line in written.splitlines()]
    assert hits == ["a%20b", "a%09b", "a%C2%A0b", "#x", "a%2520b"]


def test_v077_grade_0_is_written_in_every_format() -> None:
    rows = [LabelRow(1, "q", f"d{n}", f"d{n}", None, None, "0") for n in range(3)]

    for pieces, lines in (
        (trec.write_qrels(rows), 3),
        (beir.write_qrels(rows), 4),
        (json_qrels.write_qrels(rows), 3),
        (jsonl_spans.write_labels(rows), 3),
    ):
        assert joined(pieces).count(b"\n") == lines
    relevant = {row.hit: 0 for row in rows}
    assert joined(jsonl_spans.write_query_labels([QueryLabelsRow("q", "", relevant)])) == (
        b'{"query_id": "q", "query": "", "relevant": {"d0": 0, "d1": 0, "d2": 0}, "tags": {}}\n'
    )


def test_no_written_line_is_split_by_careless_readers() -> None:
    rows = [DocumentRow(1, "d", "", "a\u2028b\u0085c\u2029d\x0ce")]

    assert len(joined(jsonl.write_corpus(rows)).decode().splitlines()) == 1
