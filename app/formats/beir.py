"""BEIR: corpus.jsonl, queries.jsonl and qrels in three tab-separated columns."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from app.errors import Invalid
from app.formats.checks import BadRow, Problems, Seen, build_rows, check_id, check_text
from app.formats.jsonl import check_query_text, read_optional
from app.formats.lines import read_lines
from app.formats.records import Record, drop_blank, parse_record, write_json
from app.formats.rows import DocumentRow, LabelRow, QueryRow, Tags

KEYS = ("_id", "title", "text", "metadata")
COLUMNS = ("query-id", "corpus-id", "score")
NEED = "narrative"
NATIVE_HINT = "; a file with doc_id or query_id is of format jsonl"


def read_corpus(stream: BinaryIO, problems: Problems) -> Iterator[DocumentRow]:
    """Yield the documents of lines with ``_id, title, text, metadata``.

    Metadata becomes tags: texts, whole numbers and truth values, alone or in lists; anything
    deeper is refused by line. Repetitions as in `jsonl.read_corpus`.
    """
    seen = Seen(problems)

    def build(line: int, text: str) -> DocumentRow | None:
        record = parse_record(text, KEYS, NATIVE_HINT)
        row = DocumentRow(
            line,
            check_id(record.get("_id"), "_id"),
            read_optional(record, "title") or "",
            check_text(record.get("text"), "text"),
            _read_metadata(record.get("metadata")),
        )
        content = (row.title, row.text, repr(row.tags))
        return row if seen.is_new(line, (row.doc_id,), content) else None

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_corpus(rows: Iterable[DocumentRow]) -> Iterator[str]:
    """Yield one line a document; tags are the metadata."""
    for row in rows:
        record: Record = {
            "_id": row.doc_id, "title": row.title, "text": row.text, "metadata": row.tags,
        }  # fmt: skip
        yield write_json(record) + "\n"


def read_queries(stream: BinaryIO, problems: Problems) -> Iterator[QueryRow]:
    """Yield the queries of lines with ``_id, text, metadata``.

    Metadata as in `read_corpus`, but that a text named ``narrative`` is the need.
    """
    seen = Seen(problems)

    def build(line: int, text: str) -> QueryRow | None:
        record = parse_record(text, ("_id", "text", "metadata"), NATIVE_HINT)
        tags = _read_metadata(record.get("metadata"))
        row = QueryRow(
            line,
            check_id(record.get("_id"), "_id"),
            check_query_text(record.get("text")),
            "\n".join(tags.pop(NEED, [])),
            tags,
        )
        content = (row.text, row.need, repr(row.tags))
        return row if seen.is_new(line, (row.query_id,), content) else None

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_queries(rows: Iterable[QueryRow]) -> Iterator[str]:
    """Yield one line a query; tags are the metadata, and the need its narrative."""
    for row in rows:
        need: Record = {NEED: row.need} if row.need else {}
        record: Record = {
            "_id": row.query_id, "text": row.text, "metadata": row.tags | need,
        }  # fmt: skip
        yield write_json(record) + "\n"


def read_qrels(stream: BinaryIO, problems: Problems) -> Iterator[LabelRow]:
    """Yield every line of tab-separated qrels as a label, repeated pairs too.

    A header ``query-id, corpus-id, score`` names the columns in any order; without one they
    stand in that order.
    """
    order = [0, 1, 2]

    def build(line: int, text: str) -> LabelRow | None:
        fields = text.split("\t")
        if line == 1 and is_header(fields):
            order[:] = [_rename(fields).index(column) for column in COLUMNS]
            return None
        if len(fields) != len(COLUMNS):
            raise BadRow(_explain_width(len(fields)))
        query_id, hit, grade = (fields[place] for place in order)
        return LabelRow(
            line, check_id(query_id, "query-id"), check_id(hit, "corpus-id"),
            None, None, None, grade.strip(" "),
        )  # fmt: skip

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_qrels(rows: Iterable[LabelRow]) -> Iterator[str]:
    """Yield the header, then one line a label.

    Raises:
        Invalid: where an id holds a tab or a line break.
    """
    yield "\t".join(COLUMNS) + "\n"
    for row in rows:
        for written in (row.query_id, row.hit):
            if not written or any(mark in written for mark in "\t\n\r"):
                raise Invalid(
                    f"Tab-separated qrels cannot hold the id {written!r}: it is empty or has a"
                    " tab or line break. Export JSON lines."
                )
        yield f"{row.query_id}\t{row.hit}\t{row.grade_text}\n"


def is_header(fields: list[str]) -> bool:
    """Say whether the fields of a first line are the three column names, in any order."""
    return sorted(_rename(fields)) == sorted(COLUMNS)


def _rename(fields: list[str]) -> list[str]:
    return [field.strip().replace("_", "-") for field in fields]


def _explain_width(width: int) -> str:
    if width == 4:
        return (
            "4 columns where BEIR has 3 (query-id, corpus-id, score); delete the column too"
            " many, or use format trec, which ignores the second one"
        )
    return f"{width} columns where BEIR has 3, parted by tabs: query-id, corpus-id, score"


def _read_metadata(value: object) -> Tags:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRow("metadata must be an object {...}")
    tags = {name: _read_values(name, value[name]) for name in value}
    return {name: values for name, values in tags.items() if values or value[name] == []}


def _read_values(name: str, value: object) -> list[str]:
    check_id(name, "a name in metadata")
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    return [_read_value(name, one) for one in values]


def _read_value(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return check_text(value, f"metadata {name!r}")
    raise BadRow(f"metadata {name!r} is no text or list of texts; leave it out")
