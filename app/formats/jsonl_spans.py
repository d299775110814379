"""JSON lines of spans: runs and labels anchored to characters, and labels by query."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from app.formats.checks import (
    BadRow,
    Problems,
    Seen,
    build_rows,
    check_id,
    check_span,
    check_tags,
    describe,
    read_rank,
    read_score,
)
from app.formats.jsonl import read_optional
from app.formats.lines import read_lines
from app.formats.records import Record, drop_blank, parse_json, parse_record, write_json
from app.formats.rows import HitRow, LabelRow, QueryLabelsRow, join_hit

RUN_KEYS = ("query_id", "doc_id", "start", "end", "rank", "score", "tag")
LABEL_KEYS = ("query_id", "doc_id", "start", "end", "grade", "text", "note", "tags")
QUERY_LABELS_KEYS = ("query_id", "query", "relevant", "tags")


def read_run(stream: BinaryIO, problems: Problems) -> Iterator[HitRow]:
    """Yield the hits of lines with ``query_id, doc_id, start, end, score``.

    Without start and end a hit is its whole document. ``rank`` and ``tag`` are optional. A
    hit that comes twice unchanged is dropped and noted; changed, it is a problem.
    """
    seen = Seen(problems)

    def build(line: int, text: str) -> HitRow | None:
        record = parse_record(text, RUN_KEYS)
        query_id, doc_id, start, end = _read_place(record)
        rank = record.get("rank")
        row = HitRow(
            line,
            query_id,
            join_hit(doc_id, start, end),
            doc_id,
            start,
            end,
            None if rank is None else read_rank(_read_number(rank, "rank")),
            read_score(_read_number(record.get("score"), "score")),
            read_optional(record, "tag") or "",
        )
        key = (row.query_id, doc_id, str(start), str(end))
        return row if seen.is_new(line, key, (row.rank, row.score)) else None

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_run(rows: Iterable[HitRow]) -> Iterator[str]:
    """Yield one line a hit; rows need their ``doc_id``."""
    for row in rows:
        record = _write_place(row)
        if row.rank is not None:
            record["rank"] = row.rank
        record["score"] = row.score
        if row.tag:
            record["tag"] = row.tag
        yield write_json(record) + "\n"


def read_labels(stream: BinaryIO, problems: Problems) -> Iterator[LabelRow]:
    """Yield the labels of lines with ``query_id, doc_id, start, end, grade``.

    ``text``, ``note`` and ``tags`` may stand beside them. A line with ``relevant`` in place
    of doc_id and grade (as `write_query_labels` writes it) gives one row an id. Repeated
    pairs are all yielded: what they mean is the importer's ``--duplicates``.
    """

    def build(line: int, text: str) -> list[LabelRow]:
        record = parse_json(text)
        if isinstance(record, dict) and "relevant" in record:
            return _read_query_labels(line, parse_record(text, QUERY_LABELS_KEYS))
        return [_read_label(line, parse_record(text, LABEL_KEYS))]

    for rows in build_rows(drop_blank(read_lines(stream, problems)), build, problems):
        yield from rows


def write_labels(rows: Iterable[LabelRow]) -> Iterator[str]:
    """Yield one line a label, its grade as a whole number; rows need their ``doc_id``."""
    for row in rows:
        record = _write_place(row)
        record["grade"] = int(row.grade_text)
        if row.text is not None:
            record["text"] = row.text
        if row.note is not None:
            record["note"] = row.note
        if row.tags:
            record["tags"] = row.tags
        yield write_json(record) + "\n"


def write_query_labels(rows: Iterable[QueryLabelsRow]) -> Iterator[str]:
    """Yield one line a query: ``query_id, query, relevant, tags``; zeros are kept."""
    for row in rows:
        record: Record = {
            "query_id": row.query_id,
            "query": row.query,
            "relevant": row.relevant,
            "tags": row.tags,
        }
        yield write_json(record) + "\n"


def _read_place(record: Record) -> tuple[str, str, int | None, int | None]:
    query_id = check_id(record.get("query_id"), "query_id")
    doc_id = check_id(record.get("doc_id"), "doc_id")
    start, end = check_span(record.get("start"), record.get("end"))
    return query_id, doc_id, start, end


def _write_place(row: HitRow | LabelRow) -> Record:
    if row.doc_id is None:
        raise ValueError(f"hit {row.hit!r} has no document id; it cannot be written as a span")
    record: Record = {"query_id": row.query_id, "doc_id": row.doc_id}
    if row.start is not None:
        record |= {"start": row.start, "end": row.end}
    return record


def _read_number(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRow(f"{name} is {describe(value)}; it must be a number")
    return str(value)


def _read_grade(value: object) -> str:
    """Return a grade as text; whether it is on the scale is asked later, with the mapping."""
    if isinstance(value, str):
        return check_id(value, "grade")
    return _read_number(value, "grade")


def _read_label(line: int, record: Record) -> LabelRow:
    query_id, doc_id, start, end = _read_place(record)
    return LabelRow(
        line,
        query_id,
        join_hit(doc_id, start, end),
        doc_id,
        start,
        end,
        _read_grade(record.get("grade")),
        read_optional(record, "note"),
        read_optional(record, "text"),
        check_tags(record.get("tags")),
    )


def _read_query_labels(line: int, record: Record) -> list[LabelRow]:
    query_id = check_id(record.get("query_id"), "query_id")
    read_optional(record, "query")
    tags = check_tags(record.get("tags"))
    relevant = record["relevant"]
    if not isinstance(relevant, dict):
        raise BadRow(f'relevant is {describe(relevant)}; write it like {{"d1": 3}}')
    return [
        LabelRow(
            line, query_id, check_id(hit, "an id in relevant"), None, None, None,
            _read_grade(grade), tags=tags,
        )
        for hit, grade in relevant.items()
    ]  # fmt: skip
