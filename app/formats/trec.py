"""TREC: qrels and runs in columns parted by white space.

Any run of blanks and tabs parts the fields; the second column is ignored; no line is a
comment, so an id may begin with ``#``, and a line whose first field is ``#`` alone is refused.
trec_eval 10 skips lines that begin with ``#``, so none is written: such a query id is refused
unless escaped (V-013).
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from urllib.parse import quote, unquote

from app.errors import MAX_SHOWN, Invalid
from app.formats.checks import (
    BadRow,
    Problems,
    Seen,
    build_rows,
    check_text,
    read_rank,
    read_score,
)
from app.formats.lines import read_lines
from app.formats.records import drop_blank
from app.formats.rows import HitRow, LabelRow

QRELS_FIELDS = "4 (query, anything, document, grade)"
RUN_FIELDS = "6 (query, anything, document, rank, score, tag)"
SPECIAL = re.compile("[\\s%\x00-\x1f\x7f-\x9f\ufeff]")
"""What another program may split at, or what our escape itself needs."""
UNWRITABLE = (
    "they are empty, # alone, hold white space, or begin a line with #, "
    "which trec_eval takes for a comment"
)
ESCAPED = re.compile("(?:%[0-9A-F]{2})+")


def read_qrels(
    stream: BinaryIO, problems: Problems, *, escaped: bool = False
) -> Iterator[LabelRow]:
    """Yield every line of qrels as a label, repeated pairs too.

    With ``escaped`` ids are read as `escape_id` writes them.
    """

    def build(line: int, text: str) -> LabelRow:
        query_id, _, hit, grade = _split(text, 4, QRELS_FIELDS)
        query_id, hit = _read_ids(query_id, hit, escaped=escaped)
        return LabelRow(line, query_id, hit, None, None, None, grade)

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def read_run(
    stream: BinaryIO, problems: Problems, *, escaped: bool = False
) -> Iterator[HitRow]:
    """Yield the hits of a run in the order of the file.

    A hit that comes twice unchanged is dropped and noted; with another rank or score it is a
    problem naming both lines.
    """
    seen = Seen(problems)

    def build(line: int, text: str) -> HitRow | None:
        query_id, _, hit, rank, score, tag = _split(text, 6, RUN_FIELDS)
        query_id, hit = _read_ids(query_id, hit, escaped=escaped)
        row = HitRow(
            line,
            query_id,
            hit,
            None,
            None,
            None,
            read_rank(rank),
            read_score(score),
            tag,
        )
        key = (query_id, hit)
        return row if seen.is_new(line, key, (row.rank, row.score)) else None

    return build_rows(drop_blank(read_lines(stream, problems)), build, problems)


def write_qrels(rows: Iterable[LabelRow], *, escape: bool = False) -> Iterator[str]:
    """Yield one line a label; ids as they are, or escaped when asked for.

    Raises:
        Invalid: at the first row whose ids white space would break, unless escaped
            (`refuse_unwritable` lists all of them before the first line).
    """
    for row in rows:
        query_id, hit = _write_ids((row.query_id, row.hit), escape=escape)
        yield f"{query_id} 0 {hit} {row.grade_text}\n"


def write_run(rows: Iterable[HitRow], *, escape: bool = False) -> Iterator[str]:
    """Yield one line a hit; a missing rank is counted from 1 within its query's rows.

    Raises:
        Invalid: as `write_qrels`.
    """
    current, place = "", 0
    for row in rows:
        place = place + 1 if row.query_id == current else 1
        current = row.query_id
        query_id, hit, tag = _write_ids(
            (row.query_id, row.hit, row.tag or "run"), escape=escape
        )
        rank = place if row.rank is None else row.rank
        yield f"{query_id} Q0 {hit} {rank} {row.score!r} {tag}\n"


def refuse_unwritable(ids: Iterable[str], *, first: bool = False) -> None:
    """Refuse ids that a file in columns cannot hold, the first 50 of them by name.

    Raises:
        Invalid: where an id is empty, is ``#`` alone, holds white space or a control
            character, or begins with a byte-order mark; where they are the ``first`` of
            their line, also where one begins with ``#``.
    """
    bad = [
        written
        for written in ids
        if not _writable(written) or (first and written.startswith("#"))
    ]
    if bad:
        shown = ", ".join(map(repr, bad[:MAX_SHOWN]))
        more = f" and {len(bad) - MAX_SHOWN} more" if len(bad) > MAX_SHOWN else ""
        raise Invalid(
            f"A file in columns cannot hold the ids {shown}{more}: {UNWRITABLE}."
            " Export JSON lines, or ask for escaped ids."
        )


def escape_id(text: str, *, first: bool = False) -> str:
    """Write white space, control characters and ``%`` as ``%XX`` of their UTF-8 bytes.

    ``#`` alone, and in the ``first`` id of a line a ``#`` at its beginning, are escaped too.
    """
    if text == "#" or (first and text.startswith("#")):
        return "%23" + escape_id(text[1:])
    return SPECIAL.sub(lambda found: quote(found[0], safe=""), text)


def unescape_id(text: str) -> str:
    """Read what `escape_id` wrote.

    Raises:
        BadRow: where the escaped bytes are not UTF-8.
    """
    try:
        return ESCAPED.sub(lambda found: unquote(found[0], errors="strict"), text)
    except UnicodeDecodeError:
        raise BadRow(f"{text!r} is not an escaped id; read the file without escapes") from None


def _split(text: str, wanted: int, meaning: str) -> list[str]:
    # str.split() would also part at U+00A0 and others, which are characters of an id.
    fields = [field for field in text.replace("\t", " ").split(" ") if field]
    if "\x00" in text:
        raise BadRow(f"the NUL character U+0000 at character {text.index(chr(0))}; remove it")
    if fields[0] == "#":
        raise BadRow("lines are never comments; delete this line")
    if len(fields) != wanted:
        raise BadRow(
            f"{len(fields)} fields where {meaning} are needed;"
            " the line may be cut off, or the file of another format"
        )
    return fields


def _read_ids(query_id: str, hit: str, *, escaped: bool) -> tuple[str, str]:
    if not escaped:
        return query_id, hit
    query_id, hit = unescape_id(query_id), unescape_id(hit)
    return check_text(query_id, "the query id"), check_text(hit, "the document id")


def _write_ids(ids: tuple[str, ...], *, escape: bool) -> tuple[str, ...]:
    if escape:
        ids = (escape_id(ids[0], first=True), *map(escape_id, ids[1:]))
    if ids[0].startswith("#") or not all(map(_writable, ids)):  # a file has very many lines
        refuse_unwritable(ids[:1], first=True)
        refuse_unwritable(ids[1:])
    return ids


def _writable(text: str) -> bool:
    # A percent sign is an ordinary character where ids are not escaped.
    return bool(text) and text != "#" and not SPECIAL.search(text.replace("%", ""))
