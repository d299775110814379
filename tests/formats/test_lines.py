"""Lines: encodings, line ends and limits (V-001 to V-005, V-018)."""

import gzip
import io
from pathlib import Path

import pytest

from app.errors import BadFile, Invalid
from app.formats import beir, jsonl, tables, trec
from app.formats.checks import Problems
from app.formats.lines import MAX_LINE, open_file, peek_line, read_lines
from tests.formats.reading import Reader, bad_lines, read, read_good

BOM = b"\xef\xbb\xbf"


def read_text(content: bytes) -> list[tuple[int, str]]:
    return list(read_lines(io.BytesIO(content), Problems("given")))


@pytest.mark.parametrize(
    ("reader", "content", "key", "expected"),
    [
        pytest.param(
            tables.read_csv_queries,
            b"query_id,text\nq1,red shoes\n",
            "query_id",
            "q1",
            id="csv",
        ),
        pytest.param(
            tables.read_tsv_queries, b"query_id\ttext\nq1\tred\n", "query_id", "q1", id="tsv"
        ),
        pytest.param(beir.read_corpus, b'{"_id":"d1","text":"x"}\n', "doc_id", "d1", id="beir"),
        pytest.param(
            jsonl.read_corpus, b'{"doc_id":"d1","text":"x"}\n', "doc_id", "d1", id="jsonl"
        ),
        pytest.param(trec.read_run, b"q1 Q0 d1 1 9.5 runA", "query_id", "q1", id="run"),
        pytest.param(trec.read_qrels, b"q1 0 d1 1\n", "query_id", "q1", id="qrels"),
    ],
)
def test_v001_one_mark_at_the_start_of_a_file_is_no_content(
    reader: Reader[object], content: bytes, key: str, expected: str
) -> None:
    [row] = read_good(reader, BOM + content)

    assert getattr(row, key) == expected


def test_v001_a_mark_inside_a_text_is_content() -> None:
    [row] = read_good(jsonl.read_corpus, BOM + '{"doc_id":"d1","text":"\ufeffx"}'.encode())

    assert row.text == "\ufeffx"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_v002_another_unicode_encoding_is_refused_by_name(encoding: str) -> None:
    content = "query_id,text\nq1,hello\n".encode(encoding)

    with pytest.raises(BadFile, match=r"UTF-(16|32).*save it as UTF-8"):
        read(tables.read_csv_queries, content)


def test_v003_bytes_of_a_code_page_are_refused_with_line_and_byte() -> None:
    content = b"query_id,text\nq1,caf\xe9 Z\xfcrich\n"

    with pytest.raises(BadFile, match=r"line 2: byte 20 of the file \(0xe9\).*UTF-8"):
        read(tables.read_csv_queries, content)
    assert content[20] == 0xE9


def test_v003_every_bad_line_of_a_jsonl_file_is_named() -> None:
    good = b'{"doc_id":"d1","text":"x"}\n'

    assert bad_lines(jsonl.read_corpus, b"\xff\n" + good + b"caf\xe9\n") == [1, 3]


def test_v003_the_byte_is_counted_from_the_start_of_the_file_with_its_mark() -> None:
    _, problems = read(trec.read_qrels, BOM + b"q1 0 d\xe9 1\n")

    assert "byte 9 " in problems.shown[0].reason


def test_v004_lines_end_at_line_feeds_only() -> None:
    first = '{"_id":"d1","text":"one\u2028two\u0085three\\ffour"}'

    one, two = read_good(beir.read_corpus, first + '\n{"_id":"d2","text":"ok"}')

    assert len(one.text) == 18
    assert one.text[14:18] == "four"
    assert two.line == 2


def test_v004_a_carriage_return_goes_only_before_a_line_feed() -> None:
    assert read_text(b"a\r\nb\rc\n\r\n") == [(1, "a"), (2, "b\rc"), (3, "")]


def test_v005_a_long_cell_is_complete() -> None:
    text = "a" * 200_000 + "END"

    [row] = read_good(tables.read_csv_queries, f"query_id,text\nq1,{text}\n")

    assert row.text == text


def test_v005_a_long_line_is_complete() -> None:
    text = "a" * 5_000_000 + "END"

    [row] = read_good(jsonl.read_corpus, f'{{"doc_id":"d1","text":"{text}"}}')

    assert len(row.text) == 5_000_003
    assert row.text.endswith("END")


def test_v005_beyond_the_limit_the_line_is_refused_and_the_next_is_read() -> None:
    content = b"a" * (2 * MAX_LINE + 10) + b"\nq1 0 d1 1\n"

    rows, problems = read(trec.read_qrels, content)

    assert [problem.line for problem in problems.shown] == [1]
    assert "67,108,864 bytes" in problems.shown[0].reason
    assert [row.line for row in rows] == [2]


def test_v018_a_cut_record_is_refused_by_line() -> None:
    content = '{"_id":"d1","text":"x"}\n\n{"_id":"d4","text":"unfini'

    assert bad_lines(beir.read_corpus, content) == [3]


def test_v018_skipped_bad_lines_are_counted() -> None:
    content = '{"_id":"d1","text":"x"}\n{"_id":"d4","text":"unfini'

    rows, problems = read(beir.read_corpus, content, skip_bad=True)
    problems.raise_if_any()

    assert (len(rows), problems.skipped) == (1, 1)


def test_gzip_is_known_by_its_first_bytes() -> None:
    assert read_text(gzip.compress(b"a\n") + gzip.compress(b"b\n")) == [(1, "a"), (2, "b")]


def test_a_cut_gzip_file_is_refused() -> None:
    content = gzip.compress(bytes(range(32, 127)) * 3 + b"\n" * 9)

    with pytest.raises(BadFile, match="cut off or damaged"):
        read_text(content[:-20])


def test_the_stream_stays_open() -> None:
    stream = io.BytesIO(b"a\n")
    list(read_lines(stream, Problems("given")))

    assert not stream.closed


@pytest.mark.parametrize(
    "content",
    [
        b"a\r\nb\n",
        BOM + b"\n\na\n",
        gzip.compress(b"a\nb" * 99),
        "a\nb\n".encode("utf-16"),
        "a\nb\n".encode("utf-16-be"),
    ],
)
def test_the_first_line_is_seen_and_not_taken(content: bytes) -> None:
    stream = io.BytesIO(content)

    assert peek_line(stream) == "a"
    assert stream.tell() == 0


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with (
        pytest.raises(Invalid, match=r"Cannot open .*nothing: No such file"),
        open_file(str(tmp_path / "nothing")),
    ):
        pass


def test_more_than_fifty_bad_lines_are_counted() -> None:
    _, problems = read(trec.read_qrels, "bad\n" * 70)

    with pytest.raises(BadFile, match="and 20 more bad lines") as refused:
        problems.raise_if_any()
    assert refused.value.total == 70


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \t\n"])
def test_a_file_without_rows_is_refused(content: bytes) -> None:
    with pytest.raises(BadFile, match="holds no rows"):
        read(trec.read_run, content)


def test_a_file_of_bad_lines_only_is_refused_even_when_they_are_skipped() -> None:
    with pytest.raises(BadFile, match="every line is bad"):
        read(trec.read_run, "x\ny\n", skip_bad=True)
