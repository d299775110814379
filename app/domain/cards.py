"""Cards: what a grader sees of an item, the same for SMEs and judges."""

import hashlib
import json
from dataclasses import asdict, dataclass

from app.domain.headings import find_enclosing
from app.domain.marking import mark_terms as mark_terms
from app.domain.marking import query_terms as query_terms
from app.domain.spans import find_context
from app.errors import Invalid

CONTEXT_CHARS = 600


@dataclass(frozen=True, slots=True)
class Card:
    """The query and its need, and the passage with its place and surroundings."""

    query: str
    need: str
    title_path: tuple[str, ...]
    before: str
    span: str
    after: str


def build_card(
    *,
    query: str,
    need: str,
    title: str,
    text: str,
    start: int,
    end: int,
    whole: bool = False,
    context_chars: int = CONTEXT_CHARS,
) -> Card:
    """Build the card of ``text[start:end]``, or of the whole text.

    The title path is the title, then the Markdown headings above the span; a first
    heading that repeats the title is left out. Offsets and context are code points.

    Raises:
        Invalid: the span is empty or leaves the text.
    """
    if whole:
        return Card(query, need, _join_path(title, ()), "", text, "")
    if not 0 <= start < end <= len(text):
        raise Invalid(
            f"The span {start} to {end} is not inside a text of {len(text)} characters."
        )
    before, span, after = find_context(text, start, end, context_chars)
    path = _join_path(title, find_enclosing(text, start))
    return Card(query, need, path, before, span, after)


def _join_path(title: str, headings: tuple[str, ...]) -> tuple[str, ...]:
    own = title.strip()
    if not own or (headings and headings[0].casefold() == own.casefold()):
        return headings
    return (title, *headings)


def card_hash(card: Card) -> str:
    """Return the SHA-256 (hex) of the card's canonical JSON.

    Sorted keys, no blanks, UTF-8 and no escapes of letters, so that anyone can recompute
    it from the immutable versions.
    """
    canonical = json.dumps(
        asdict(card), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()
