"""Hit ids: one text for a document or a span of it, written and read back."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app.domain.spans import Span
from app.errors import Invalid

# 18 digits hold every offset; a longer tail cannot be ours and stays part of the id.
_TAIL = re.compile(r"(.*)#([0-9]{1,18})-([0-9]{1,18})", re.DOTALL)

Reading = Literal["document", "span"]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A hit id that names a document of the corpus and also a span of another one."""

    document: Span
    span: Span


def write_hit_id(span: Span) -> str:
    """Write ``doc_id`` for a whole document, else ``doc_id#start-end``.

    A document whose own id ends like a span is always written with its span, or it
    would be read back as one.

    Raises:
        Invalid: such a document is of unknown length.
    """
    if span.whole and not _TAIL.fullmatch(span.doc_id):
        return span.doc_id
    if span.end is None:
        raise Invalid(
            f"The document id {span.doc_id} ends like a span and its length is unknown, "
            "so it has no hit id. Import its text first."
        )
    return f"{span.doc_id}#{span.start}-{span.end}"


def read_hit_id(
    text: str, known: Callable[[str], bool] | None = None, reading: Reading | None = None
) -> Span | Ambiguous:
    """Read a hit id; a whole document comes back with an unknown length.

    Args:
        text: the id as a file has it.
        known: tells which document ids exist, for files of others: there a literal
            document id wins. Without it the text is read as Goldspan writes it.
        reading: the user's word (``--ids``) on how ids that end like a span are meant.

    Returns:
        the span, or Ambiguous where both readings exist and the user must choose.
    """
    document = Span(text, 0, None, whole=True)
    span = None if reading == "document" else _read_tail(text)
    if span is None:
        return document
    if reading == "span" or known is None or not known(text):
        return span
    return Ambiguous(document, span) if known(span.doc_id) else document


def _read_tail(text: str) -> Span | None:
    match = _TAIL.fullmatch(text)
    if match is None:
        return None
    start, end = int(match[2]), int(match[3])
    if start == end == 0:
        return Span(match[1], 0, 0, whole=True)
    return Span(match[1], start, end) if start < end else None
