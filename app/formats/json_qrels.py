"""JSON qrels: one object of all queries, ``{query_id: {document: grade}}``."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import BinaryIO

from app.formats.checks import BadRow, Problems, check_id, check_text, describe
from app.formats.lines import read_lines
from app.formats.records import parse_json, write_json
from app.formats.rows import LabelRow

MAX_CHARACTERS = 256 * 2**20
"""The longest file taken: one object can only be read whole."""


def read_qrels(stream: BinaryIO, problems: Problems) -> Iterator[LabelRow]:
    """Yield every grade as a label; rows and problems have line 1, problems name the ids.

    Raises:
        BadFile: where the file is no such object, or longer than 256 Mi characters.
    """
    try:
        qrels = parse_json(_read_whole(stream, problems))
    except BadRow as bad:
        problems.fail(None, str(bad))
    if not isinstance(qrels, dict):
        problems.fail(None, 'the file is no object; write it like {"q1": {"d1": 3}}')
    for query_id, grades in qrels.items():
        yield from _read_query(query_id, grades, problems)
    if not any(qrels.values()) and not problems.total:
        problems.fail(None, "the file holds no labels; nothing to import")


def write_qrels(rows: Iterable[LabelRow]) -> Iterator[str]:
    """Yield one object, one line a query; rows of one query must follow each other."""
    before = "{\n"
    for query_id, labels in groupby(rows, key=lambda row: row.query_id):
        grades = {label.hit: int(label.grade_text) for label in labels}
        yield f"{before}{write_json(query_id)}: {write_json(grades)}"
        before = ",\n"
    yield "{}\n" if before == "{\n" else "\n}\n"


def _read_whole(stream: BinaryIO, problems: Problems) -> str:
    pieces, length = [], 0
    for _, text in read_lines(stream, problems, keep_ends=True):
        pieces.append(text)
        length += len(text)
        if length > MAX_CHARACTERS:
            problems.fail(
                None, f"longer than {MAX_CHARACTERS:,} characters; use JSON lines instead"
            )
    return "".join(pieces)


def _read_query(query_id: str, grades: object, problems: Problems) -> Iterator[LabelRow]:
    if not isinstance(grades, dict):
        problems.add(
            None, f"query {query_id!r} has {describe(grades)} where {{id: grade}} is due"
        )
        return
    for hit, grade in grades.items():
        try:
            yield _read_label(query_id, hit, grade)
        except BadRow as bad:
            problems.add(None, f"query {query_id!r}, id {hit!r}: {bad}")


def _read_label(query_id: str, hit: str, grade: object) -> LabelRow:
    if isinstance(grade, bool) or not isinstance(grade, int | float | str):
        raise BadRow(f"the grade is {describe(grade)}; it must be a whole number")
    return LabelRow(
        1,
        check_id(query_id, "the query id"),
        check_id(hit, "the document id"),
        None,
        None,
        None,
        check_text(str(grade), "the grade"),
    )
