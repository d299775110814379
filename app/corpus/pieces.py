"""Pieces: a long text cut into parts that fit on a page."""

from dataclasses import dataclass

PIECE = 20_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a long text: code points ``start`` up to, not including, ``end``."""

    text: str
    start: int
    end: int
    part: int
    parts: int


def split_text(text: str, part: int) -> Piece:
    """Return a part of 20,000 code points, from 1; a part beyond the end is the last."""
    parts = max(1, -(-len(text) // PIECE))
    part = min(part, parts)
    start = (part - 1) * PIECE
    end = min(len(text), start + PIECE)
    return Piece(text[start:end], start, end, part, parts)
