"""Ids and texts: opaque, never inferred, never normalised (V-006 to V-016)."""

import io

import pytest

from app.errors import Invalid
from app.formats import beir, jsonl, tables, trec
from app.formats.checks import Problems
from app.formats.rows import LabelRow
from tests.formats.reading import bad_lines, joined, read, read_good

NUMBERS = ["7", "007", "7.0", "1e5", "100000", "9007199254740993", "+7", "0x10"]


def test_v006_numbers_in_quotes_keep_their_shape() -> None:
    corpus = "".join(f'{{"doc_id":"{number}","text":"x"}}\n' for number in NUMBERS)
    qrels = "".join(f"q1 0 {number} 1\n" for number in reversed(NUMBERS))

    assert [row.doc_id for row in read_good(jsonl.read_corpus, corpus)] == NUMBERS
    assert [row.hit for row in read_good(trec.read_qrels, qrels)] == NUMBERS[::-1]


def test_v007_what_looks_missing_is_text() -> None:
    content = "query_id,text\nNA,null\nnan,None\nnull,N/A\nTrue,1\n"

    rows = read_good(tables.read_csv_queries, content)

    assert [row.query_id for row in rows] == ["NA", "nan", "null", "True"]
    assert [row.text for row in rows] == ["null", "None", "N/A", "1"]


def test_v008_only_whole_numbers_and_texts_are_ids() -> None:
    content = (
        '{"_id":3,"text":"a"}\n{"_id":4.0,"text":"b"}\n{"_id":null,"text":"c"}\n'
        '{"_id":true,"text":"d"}\n{"_id":"","text":"e"}\n{"_id":{},"text":"f"}\n{"text":"g"}\n'
    )

    rows, problems = read(beir.read_corpus, content)

    assert [row.doc_id for row in rows] == ["3"]
    assert [problem.line for problem in problems.shown] == [2, 3, 4, 5, 6, 7]


def test_v008_a_large_whole_number_is_exact() -> None:
    [row] = read_good(beir.read_corpus, '{"_id":123456789012345678901234567890,"text":"a"}')

    assert row.doc_id == "123456789012345678901234567890"


def test_v009_ids_are_not_normalised() -> None:
    ids = ["Doc1", "doc1", "doc1 ", "A B", "A_B", "\u00e9", "e\u0301", "\ufb01", "fi"]
    content = "".join(f'{{"doc_id":"{name}","text":"x"}}\n' for name in ids)

    assert [row.doc_id for row in read_good(jsonl.read_corpus, content)] == ids


def test_v010_repetitions_are_noted_and_conflicts_refused_with_both_lines() -> None:
    content = (
        '{"_id":"d1","text":"alpha"}\n{"_id":"d2","text":"beta"}\n'
        '{"_id":"d1","text":"ALPHA changed"}\n{"text":"beta", "_id":"d2"}\n'
    )

    rows, problems = read(beir.read_corpus, content)

    assert [row.doc_id for row in rows] == ["d1", "d2"]
    assert str(problems.shown[0]).startswith("given, line 3: 'd1' is in line 1 already")
    assert str(problems.notes[0]).startswith("given, line 4: the same as line 2")
    assert (problems.total, problems.dropped) == (1, 1)


def test_v010_queries_and_hits_conflict_too() -> None:
    assert bad_lines(tables.read_csv_queries, "query_id,text\nq1,a\nq1,a\nq1,b\n") == [4]
    assert bad_lines(trec.read_run, "q Q0 d 1 9 r\nq Q0 d 2 8 r\nq2 Q0 d 1 9 r\n") == [2]


def test_v011_all_judgments_of_a_query_are_kept() -> None:
    rows = read_good(trec.read_qrels, "q1 0 d1 1\nq1 0 d2 2\nq1 0 d3 0\n")

    assert [(row.hit, row.grade_text) for row in rows] == [
        ("d1", "1"),
        ("d2", "2"),
        ("d3", "0"),
    ]


@pytest.mark.parametrize(
    "content", ["q1 0 d1 2", "q1\tQ0\td1\t2\r\n", "  q1   0\td1  2  ", "q1 0.5 d1 2 \r\n"]
)
def test_v012_any_run_of_blanks_parts_fields_and_column_two_is_ignored(content: str) -> None:
    assert read_good(trec.read_qrels, content) == [
        LabelRow(1, "q1", "d1", None, None, None, "2")
    ]


def test_v012_a_blank_of_another_kind_belongs_to_the_id() -> None:
    [row] = read_good(trec.read_qrels, "q1 0 a\u00a0b 2")

    assert row.hit == "a\u00a0b"


@pytest.mark.parametrize(
    "content",
    [
        "query-id\tcorpus-id\tscore\nq1\td1\t2\n",
        "score\tquery-id\tcorpus-id\r\n2\tq1\td1\r\n",
        "q1\td1\t2",
    ],
)
def test_v012_a_beir_header_is_known_by_its_names(content: str) -> None:
    [row] = read_good(beir.read_qrels, content)

    assert (row.query_id, row.hit, row.grade_text) == ("q1", "d1", "2")


def test_v013_an_id_may_begin_with_a_hash_and_no_line_is_a_comment() -> None:
    rows, problems = read(trec.read_qrels, "# made by hand\n#42 0 d1 3\nq2 0 #d 1\n#\n")

    assert [problem.line for problem in problems.shown] == [1, 4]
    assert "never comments" in problems.shown[0].reason
    assert [(row.query_id, row.hit) for row in rows] == [("#42", "d1"), ("q2", "#d")]


def test_v013_no_line_is_written_that_trec_eval_takes_for_a_comment() -> None:
    rows, _ = read(trec.read_qrels, "#42 0 d1 3\nq2 0 #d 1\n")

    with pytest.raises(Invalid, match=r"ids '#42': .*comment.*escaped ids"):
        joined(trec.write_qrels(rows))
    written = joined(trec.write_qrels(rows, escape=True))

    assert written == b"%2342 0 d1 3\nq2 0 #d 1\n"
    again = trec.read_qrels(io.BytesIO(written), Problems("f"), escaped=True)
    assert [row.query_id for row in again] == ["#42", "q2"]


@pytest.mark.parametrize("escape", [r"\u0000", r"\ud83d", r"\udc00x"])
def test_v015_v016_what_no_database_holds_is_refused_by_line(escape: str) -> None:
    good = r'{"_id":"d2","text":"ab\ud83e\udd8acd"}'

    rows, problems = read(beir.read_corpus, f'{{"_id":"d1","text":"ab{escape}cd"}}\n{good}\n')

    assert [problem.line for problem in problems.shown] == [1]
    assert "at character 2" in problems.shown[0].reason
    assert [len(row.text) for row in rows] == [5]


def test_v015_nul_is_refused_in_every_format() -> None:
    assert bad_lines(trec.read_qrels, "q1 0 d\x00 1\n") == [1]
    assert bad_lines(trec.read_run, "q\x001 Q0 d 1 2 r\n") == [1]
    assert bad_lines(tables.read_csv_queries, "query_id,text\nq1,a\x00b\n") == [2]
    assert bad_lines(tables.read_tsv_queries, "query_id\ttext\nq1\ta\x00b\n") == [2]
    assert bad_lines(beir.read_qrels, "q1\td\x00\t1\n") == [1]
    assert bad_lines(beir.read_corpus, '{"_id":"d","text":"a\x00"}') == [1]
    assert bad_lines(jsonl.read_corpus, r'{"doc_id":"d\u0000","text":"a"}') == [1]
    assert bad_lines(jsonl.read_corpus, r'{"doc_id":"d","text":"a","tags":{"x":"\ud800"}}') == [
        1
    ]


def test_v019_scores_are_finite_decimal_numbers() -> None:
    scores = ["10", "1e-3", "-2", "nan", "inf", "1,5", "1_0", "٣", "1e999", "-.5E+2"]
    content = "".join(f"q1 Q0 d{i} {i} {score} r\n" for i, score in enumerate(scores, 1))

    rows, problems = read(trec.read_run, content)

    assert [problem.line for problem in problems.shown] == [4, 5, 6, 7, 8, 9]
    assert [row.score for row in rows] == [10, 0.001, -2, -50]


def test_v019_a_cut_line_is_refused_by_line() -> None:
    assert bad_lines(trec.read_run, "q1 Q0 d1 1 10 r\nq1 Q0 d2 2 9\nq1 Q0 d3 3 8 r x\n") == [
        2,
        3,
    ]


def test_v019_a_rank_is_a_whole_number_of_any_start() -> None:
    content = "q Q0 a 0 1 r\nq Q0 b -1 1 r\nq Q0 c 1.5 1 r\nq Q0 d 99999999999 1 r\n"

    rows, problems = read(trec.read_run, content)

    assert [row.rank for row in rows] == [0, -1]
    assert [problem.line for problem in problems.shown] == [3, 4]
