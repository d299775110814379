"""JSON in all its forms: strict, by name, refused by line."""

import pytest

from app.errors import BadFile
from app.formats import beir, json_qrels, jsonl, jsonl_spans
from app.formats.rows import DocumentRow, LabelRow, QueryRow
from tests.formats.reading import Reader, bad_lines, read, read_good


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"doc_id":"a","text":"x","text":"y"}', "the key 'text' is there twice"),
        ('{"doc_id":"a","text":"x","tags":{"n":NaN}}', "NaN is not JSON"),
        ('{"doc_id":"a","text":"x"', "not JSON at column 25"),
        ('["a"]', "no object"),
        ('{"doc_id":"a"}', "text is missing or null"),
        ('{"doc_id":"a","text":5}', "text is the number 5"),
        ('{"doc_id":"a","text":"x","url":"u"}', "unknown key 'url'; known are doc_id, title"),
        ('{"_id":"a","text":"x"}', "of format beir"),
        ('{"doc_id":"a","text":"x","tags":["t"]}', "tags is a list"),
        ('{"doc_id":"a","text":"x","tags":{"t":3}}', "tag 't' is the number 3"),
        ('{"doc_id":"a","text":"x","tags":{"":"t"}}', "the name of a tag is empty"),
        ('{"doc_id":"a","text":"x","title":[]}', "title is a list"),
        ("[" * 100_000, "nested too deep"),
        ('{"doc_id":' + "9" * 5000 + ',"text":"x"}', "4,300 digits"),
    ],
)
def test_a_bad_document_is_refused_with_its_reason(line: str, reason: str) -> None:
    _, problems = read(jsonl.read_corpus, f'\n{line}\n{{"doc_id":"z","text":""}}\n')

    assert [problem.line for problem in problems.shown] == [2]
    assert reason in problems.shown[0].reason


def test_a_document_has_title_tags_and_access() -> None:
    content = '{"doc_id":1,"title":null,"text":"","tags":{"a":"x","b":["y","z"]},"access":"hr"}'

    assert read_good(jsonl.read_corpus, content) == [
        DocumentRow(1, "1", "", "", {"a": ["x"], "b": ["y", "z"]}, "hr")
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"query_id":"q","text":"t","need":"n"}', QueryRow(1, "q", "t", "n")),
        ('{"query_id":"q","query":"t"}', QueryRow(1, "q", "t")),
        ('{"query_id":"q","text":"t","narrative":"n"}', QueryRow(1, "q", "t", "n")),
        (
            '{"query_id":"q","text":"t","question":"w?","narrative":"n"}',
            QueryRow(1, "q", "t", "w?\nn"),
        ),
        (
            '{"query_id":"q","text":"t","answerable":false}',
            QueryRow(1, "q", "t", answerable=False),
        ),
    ],
)
def test_a_query_says_its_text_and_need_under_several_names(
    line: str, expected: QueryRow
) -> None:
    assert read_good(jsonl.read_queries, line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        '{"query_id":"q","text":"t","query":"t"}',
        '{"query_id":"q","text":"t","need":"n","narrative":"n"}',
        '{"query_id":"q","text":" "}',
        '{"query_id":"q"}',
        '{"query_id":"q","text":"t","answerable":"no"}',
    ],
)
def test_a_query_that_says_nothing_or_twice_is_refused(line: str) -> None:
    assert bad_lines(jsonl.read_queries, line) == [1]


def test_beir_metadata_becomes_tags() -> None:
    content = (
        '{"_id":"d","text":"x","metadata":{"url":"u","n":3,"ok":true,"l":["a"],"no":null}}'
    )

    [row] = read_good(beir.read_corpus, content)

    assert row.tags == {"url": ["u"], "n": ["3"], "ok": ["true"], "l": ["a"]}
    assert bad_lines(beir.read_corpus, '{"_id":"d","text":"x","metadata":{"a":{}}}') == [1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('"start":3', "start and end come together"),
        ('"start":3,"end":3', "empty or backward"),
        ('"start":-1,"end":3', "start is the number -1"),
        ('"start":0,"end":2147483648', "end is the number 2147483648"),
        ('"start":0.0,"end":3', "start is the number 0.0"),
        ('"start":false,"end":3', "start is false"),
    ],
)
def test_a_bad_span_is_refused(line: str, reason: str) -> None:
    for reader, field in ((jsonl_spans.read_run, "score"), (jsonl_spans.read_labels, "grade")):
        check_refused(reader, f'{{"query_id":"q","doc_id":"d",{line},"{field}":1}}', reason)


def check_refused(reader: Reader[object], line: str, reason: str) -> None:
    _, problems = read(reader, line)
    assert reason in problems.shown[0].reason


def test_a_hit_is_a_span_or_a_whole_document() -> None:
    content = (
        '{"query_id":"q","doc_id":"d","start":0,"end":5,"score":1.5,"rank":1}\n'
        '{"query_id":"q","doc_id":"d","score":-2,"start":null,"end":null}\n'
    )

    span, whole = read_good(jsonl_spans.read_run, content)

    assert (span.hit, span.start, span.end, span.score, span.rank) == ("d#0-5", 0, 5, 1.5, 1)
    assert (whole.hit, whole.start, whole.rank, whole.score) == ("d", None, None, -2)


@pytest.mark.parametrize("score", ['"1"', "true", "null", "1e999", "Infinity", "[1]"])
def test_a_score_in_json_is_a_finite_number(score: str) -> None:
    line = f'{{"query_id":"q","doc_id":"d","score":{score}}}'

    assert bad_lines(jsonl_spans.read_run, line) == [1]


def test_a_label_keeps_its_grade_as_text_with_note_and_passage() -> None:
    content = (
        '{"query_id":"q","doc_id":"d","start":0,"end":2,"grade":3,"text":"ab","note":"n"}\n'
        '{"query_id":"q","doc_id":"d","grade":2.0}\n{"query_id":"q","doc_id":"e","grade":"x"}\n'
        '{"query_id":"q","doc_id":"f","grade":true}\n{"query_id":"q","doc_id":"f"}\n'
    )

    rows, problems = read(jsonl_spans.read_labels, content)

    assert rows[0] == LabelRow(1, "q", "d#0-2", "d", 0, 2, "3", "n", "ab")
    assert [row.grade_text for row in rows] == ["3", "2.0", "x"]
    assert [problem.line for problem in problems.shown] == [4, 5]


def test_labels_by_query_are_read_as_single_labels() -> None:
    content = '{"query_id":"q","query":"t","relevant":{"d1":3,"d2#0-5":0},"tags":{"a":["b"]}}'

    rows = read_good(jsonl_spans.read_labels, content)

    assert [(row.hit, row.grade_text) for row in rows] == [("d1", "3"), ("d2#0-5", "0")]


def test_json_qrels_name_the_bad_pair() -> None:
    content = '{"q1": {"d1": 0, "d2": null, "": 1}, "q2": 3}'

    rows, problems = read(json_qrels.read_qrels, content)

    assert [(row.hit, row.grade_text) for row in rows] == [("d1", "0")]
    assert "query 'q1', id 'd2': the grade is missing" in str(problems.shown[0])
    assert problems.total == 3


@pytest.mark.parametrize("content", ["[]", "{", '{"q":{"d":1,"d":2}}', "{}", '{"q":{}}', ""])
def test_json_qrels_of_another_shape_are_refused(content: str) -> None:
    with pytest.raises(BadFile):
        read(json_qrels.read_qrels, content)
