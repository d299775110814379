"""Sheets: a card as the desk lays it out: words marked, place counted, tables kept in line."""

import re
from dataclasses import dataclass

from app.domain.cards import Card, mark_terms, query_terms

ALIGNED_SHARE = 0.4
_ALIGNED = re.compile(r"\t|\S {3,}\S|\|.*\|")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the page of one slot shows; the token is the only identifier in it."""

    token: str
    card_hash: str
    query: str
    need: str
    title_path: tuple[str, ...]
    before: str
    after: str
    """What stands around, without the blanks that touch the span."""
    marked: list[tuple[bool, str]]
    """(is a word of the query, piece); the pieces joined are the span, exactly."""
    is_aligned: bool
    grade: int | None
    note: str
    place: int
    """From 1, among the passages of this question."""
    total: int


def lay_out(
    card: Card,
    *,
    token: str,
    card_hash: str,
    grade: int | None,
    note: str,
    place: int,
    total: int,
) -> Sheet:
    """Lay a card out for the page."""
    return Sheet(
        token=token,
        card_hash=card_hash,
        query=card.query,
        need=card.need,
        title_path=card.title_path,
        before=card.before.rstrip(),
        after=card.after.lstrip(),
        marked=mark_terms(card.span, query_terms(card.query)),
        is_aligned=is_aligned(card.span),
        grade=grade,
        note=note,
        place=place,
        total=total,
    )


def is_aligned(text: str) -> bool:
    """Tell whether a text is a table or code whose columns need letters of equal width."""
    lines = [line for line in text.splitlines() if line.strip()]
    aligned = sum(bool(_ALIGNED.search(line)) for line in lines)
    return aligned >= 2 and aligned >= ALIGNED_SHARE * len(lines)
