"""JSON lines: documents and queries in our own form, one object a line."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from app.formats.checks import (
    BadRow,
    Problems,
    Seen,
    build_rows,
    check_id,
    check_tags,
    check_text,
)
from app.formats.lines import read_lines
from app.formats.records import Record, drop_blank, parse_record, write_json
from app.formats.rows import DocumentRow, QueryRow

DOCUMENT_KEYS = ("doc_id", "title", "text", "tags", "access")
QUERY_KEYS = (
    "query_id", "text", "query", "need", "question", "narrative", "tags", "answerable",
)  # fmt: skip
BEIR_HINT = "; a file with _id and metadata is of format beir"


def read_corpus(stream: BinaryIO, problems: Problems) -> Iterator[DocumentRow]:
    """Yield the documents of lines with ``doc_id, title, text, tags, access``.

    ``doc_id`` and ``text`` are needed, the text may be empty. A document that comes twice
    unchanged is dropped and noted; changed, it is a problem naming both lines.
    """
    seen = Seen(problems)

    def build(line: int, text: str) -> DocumentRow | None:
        record = parse_record(text, DOCUMENT_KEYS, BEIR_HINT)
        row = DocumentRow(
            line,
            check_id(record.get("doc_id"), "doc_id"),
            read_optional(record, "title") or "",
            check_text(record.get("text"), "text"),
            check_tags(record.get("tags")),
            read_optional(record, "access"),
        )
        content = (row.title, row.text, repr(row.tags), row.access)
        return row if seen.is_new(line, (row.doc_id,), content) else None

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_corpus(rows: Iterable[DocumentRow]) -> Iterator[str]:
    """Yield one line a document; tags and access only where there are any."""
    for row in rows:
        record: Record = {"doc_id": row.doc_id, "title": row.title, "text": row.text}
        if row.tags:
            record["tags"] = row.tags
        if row.access is not None:
            record["access"] = row.access
        yield write_json(record) + "\n"


def read_queries(stream: BinaryIO, problems: Problems) -> Iterator[QueryRow]:
    """Yield the queries of lines with ``query_id, text, need, tags, answerable``.

    ``query`` is read as text; ``question`` and ``narrative`` (of TREC topics) are read as the
    need, one under the other. Repetitions as in `read_corpus`.
    """
    seen = Seen(problems)

    def build(line: int, text: str) -> QueryRow | None:
        record = parse_record(text, QUERY_KEYS, BEIR_HINT)
        row = QueryRow(
            line,
            check_id(record.get("query_id"), "query_id"),
            _read_query_text(record),
            _read_need(record),
            check_tags(record.get("tags")),
            _read_answerable(record.get("answerable")),
        )
        content = (row.text, row.need, repr(row.tags), row.answerable)
        return row if seen.is_new(line, (row.query_id,), content) else None

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_queries(rows: Iterable[QueryRow]) -> Iterator[str]:
    """Yield one line a query; need, tags and answerable only where they say something."""
    for row in rows:
        record: Record = {"query_id": row.query_id, "text": row.text}
        if row.need:
            record["need"] = row.need
        if row.tags:
            record["tags"] = row.tags
        if row.answerable is not None:
            record["answerable"] = row.answerable
        yield write_json(record) + "\n"


def read_optional(record: Record, key: str) -> str | None:
    """Return the text under a key, or None where it is absent or null."""
    value = record.get(key)
    return None if value is None else check_text(value, key)


def check_query_text(value: object, name: str = "text") -> str:
    """Return a query's text, unchanged; blanks alone ask nothing and are refused."""
    text = check_text(value, name)
    if not text.strip():
        raise BadRow(f"{name} is empty; a query needs words")
    return text


def _read_query_text(record: Record) -> str:
    if "text" in record and "query" in record:
        raise BadRow("both text and query are given; keep one of them")
    name = "query" if "query" in record else "text"
    return check_query_text(record.get(name), name)


def _read_need(record: Record) -> str:
    topic = [read_optional(record, key) for key in ("question", "narrative")]
    need = read_optional(record, "need")
    if need is not None and any(topic):
        raise BadRow("need is given beside question or narrative; keep one of them")
    return need or "\n".join(part for part in topic if part)


def _read_answerable(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise BadRow("answerable must be true, false or left out")
