"""Tables: headers by name, cells as they are."""

import pytest

from app.errors import BadFile
from app.formats import tables
from app.formats.rows import QueryRow
from tests.formats.reading import bad_lines, read, read_good


def test_columns_follow_the_header_in_any_order() -> None:
    content = 'need,query_id,text\r\n"say ""why""\r\nand how",q1,a\r\n\r\n,q2,"b, c"\r\n'

    assert read_good(tables.read_csv_queries, content) == [
        QueryRow(2, "q1", "a", 'say "why"\r\nand how'),
        QueryRow(5, "q2", "b, c"),
    ]


def test_quotes_in_tsv_are_characters() -> None:
    [row] = read_good(tables.read_tsv_queries, 'query_id\tquery\nq1\t"a" b\n')

    assert row.text == '"a" b'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("q1,red shoes\n", "the header must name query_id and text"),
        ("query_id,text,colour\nq1,a,b\n", "known are query_id, text, need"),
        ("query_id,text,text\nq1,a,b\n", "each once"),
        ('query_id,text\nq1,"a"b\n', "line 2: not CSV"),
        ('query_id,text\nq1,"a\n', "not CSV"),
        ("", "no rows"),
        ("query_id,text\n", "no rows"),
    ],
)
def test_a_table_of_another_shape_is_refused(content: str, reason: str) -> None:
    with pytest.raises(BadFile, match=reason):
        read(tables.read_csv_queries, content)


def test_a_row_of_another_width_is_refused_by_line() -> None:
    assert bad_lines(tables.read_csv_queries, "query_id,text\nq1,a\nq2\nq3,a,b\n,a\nq4,\n") == [
        3,
        4,
        5,
        6,
    ]
