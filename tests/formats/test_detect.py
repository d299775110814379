"""Detect: names and first lines tell the format; a wrong guess ends in a refusal."""

import pytest

from app.errors import Invalid
from app.formats.detect import Kind, check_format, sniff


@pytest.mark.parametrize(
    ("kind", "path", "first_line", "expected"),
    [
        ("corpus", "c.jsonl", '{"doc_id": "1", "text": ""}', "jsonl"),
        ("corpus", "c.jsonl.gz", '{"_id": "1", "text": ""}', "beir"),
        ("corpus", "c", '{"title": "x", "_id": "1", "text": "cut', "beir"),
        ("queries", "q.jsonl", '{"query_id": "1", "text": "_id"}', "jsonl"),
        ("queries", "q.jsonl", '{"_id": "1", "text": "x"}', "beir"),
        ("queries", "q.txt", "query_id\ttext", "tsv"),
        ("queries", "q.txt", '"text","query_id"', "csv"),
        ("queries", "q.tsv", "1\twhat", "tsv"),
        ("queries", "q.csv.gz", "1,what", "csv"),
        ("run", "r.jsonl", '{"query_id": "1"}', "jsonl"),
        ("run", "r.tsv", "1\tQ0\td\t1\t2\tr", "trec"),
        ("qrels", "x.tsv", "query-id\tcorpus-id\tscore", "beir"),
        ("qrels", "x.tsv", "q\td\t1", "beir"),
        ("qrels", "x.tsv", "q\t0\td\t1", "trec"),
        ("qrels", "x", "q 0 d 1", "trec"),
        ("qrels", "x", '{"query_id": "q", "doc_id": "d", "grade": 1}', "jsonl"),
        ("qrels", "x", '{"q": {"d": 1}}', "json"),
        ("qrels", "x", "{", "json"),
        ("qrels", "x.tsv", "", "trec"),
        ("corpus", "x", "", "jsonl"),
    ],
)
def test_the_format_is_guessed(kind: Kind, path: str, first_line: str, expected: str) -> None:
    assert sniff(kind, path, first_line) == expected


@pytest.mark.parametrize(("kind", "line"), [("corpus", ".I 1"), ("queries", "1 what")])
def test_an_unknown_form_is_refused_with_the_formats(kind: Kind, line: str) -> None:
    with pytest.raises(Invalid, match=r"Cannot tell the format of x.*--format jsonl\|beir"):
        sniff(kind, "x", line)


def test_a_format_that_the_kind_has_not_is_refused() -> None:
    assert check_format("run", "trec") == "trec"
    with pytest.raises(Invalid, match="run has no format 'beir'; it has trec, jsonl"):
        check_format("run", "beir")
