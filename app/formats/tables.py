"""Tables: queries in CSV and TSV with a header, every cell kept as the text it is."""

import csv
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from app.errors import Invalid
from app.formats.checks import BadRow, Problems, Seen, build_rows, check_id, check_text
from app.formats.jsonl import check_query_text
from app.formats.lines import MAX_LINE, read_lines
from app.formats.records import drop_blank
from app.formats.rows import QueryRow

COLUMNS = ("query_id", "text", "need")
NEEDED = COLUMNS[:2]

# The library's own limit of 131,072 characters is for the whole process; ours is a line's.
csv.field_size_limit(MAX_LINE)


def read_csv_queries(stream: BinaryIO, problems: Problems) -> Iterator[QueryRow]:
    """Yield the queries of a CSV file: comma, double quotes, columns named by the header.

    Columns are ``query_id, text`` and, if wanted, ``need``, in any order. Nothing is
    inferred: ``NA``, ``007`` and ``True`` are texts. A cell may hold line breaks; a row's
    line is the one it begins at.
    """
    return _build_queries(_read_cells(stream, problems), problems)


def read_tsv_queries(stream: BinaryIO, problems: Problems) -> Iterator[QueryRow]:
    """Yield the queries of a TSV file: parted at tabs only, quotes are ordinary characters."""
    lines = drop_blank(read_lines(stream, problems))
    return _build_queries(((line, text.split("\t")) for line, text in lines), problems)


def write_csv_queries(rows: Iterable[QueryRow]) -> Iterator[str]:
    """Yield the header, then one CSV record a query, every cell quoted and exact."""
    yield ",".join(COLUMNS) + "\n"
    for row in rows:
        cells = (row.query_id, row.text, row.need)
        yield ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


def write_tsv_queries(rows: Iterable[QueryRow]) -> Iterator[str]:
    """Yield the header, then one line a query.

    Raises:
        Invalid: where a cell holds a tab or a line break.
    """
    yield "\t".join(COLUMNS) + "\n"
    for row in rows:
        cells = (row.query_id, row.text, row.need)
        if any(mark in cell for cell in cells for mark in "\t\n\r"):
            raise Invalid(
                f"A TSV file cannot hold query {row.query_id!r}: it has a tab or line break."
                " Export CSV or JSON lines."
            )
        yield "\t".join(cells) + "\n"


def is_header(cells: list[str]) -> bool:
    """Say whether a first row names at least the columns every query needs."""
    return all(column in _rename(cells) for column in NEEDED)


def _read_cells(stream: BinaryIO, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    lines = read_lines(stream, problems, keep_ends=True)
    reader = csv.reader((text for _, text in lines), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.fail(line, f"not CSV: {error}; quote the cell, or double its quotes")
        if cells:
            yield line, cells


def _build_queries(
    rows: Iterable[tuple[int, list[str]]], problems: Problems
) -> Iterator[QueryRow]:
    numbered = iter(rows)
    line, header = next(numbered, (None, None))
    if line is None or header is None:
        problems.fail(None, "the file holds no rows; nothing to import")
    return build_rows(
        numbered, _builder(_read_header(line, header, problems), problems), problems
    )


def _builder(
    columns: list[str], problems: Problems
) -> Callable[[int, list[str]], QueryRow | None]:
    seen = Seen(problems)

    def build(line: int, cells: list[str]) -> QueryRow | None:
        if len(cells) != len(columns):
            raise BadRow(f"{len(cells)} cells where the header names {len(columns)} columns")
        named = dict(zip(columns, cells, strict=True))
        row = QueryRow(
            line,
            check_id(named["query_id"], "query_id"),
            check_query_text(named["text"]),
            check_text(named.get("need", ""), "need"),
        )
        return row if seen.is_new(line, (row.query_id,), (row.text, row.need)) else None

    return build


def _read_header(line: int, cells: list[str], problems: Problems) -> list[str]:
    columns = _rename(cells)
    if not is_header(cells):
        problems.fail(line, f"the header must name query_id and text; it is {cells!r}")
    unknown = [column for column in columns if column not in COLUMNS]
    if unknown or len(set(columns)) != len(columns):
        wrong = unknown or columns
        problems.fail(line, f"columns {wrong!r}: known are {', '.join(COLUMNS)}, each once")
    return columns


def _rename(cells: list[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    return ["text" if name == "query" and "text" not in names else name for name in names]
