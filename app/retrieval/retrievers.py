"""Retrievers: the names of the built-in ones, ``bm25@chars:400:100`` and the like."""

from dataclasses import dataclass

from app.domain.chunking import Chunking, parse_chunking
from app.errors import Invalid

KINDS = {
    "bm25": "BM25: the question's words, the rarer the weightier.",
    "dense": "Dense: nearness of meaning, by vectors.",
    "hybrid": "Hybrid: BM25 and dense fused by their ranks.",
}
SHORT = 1_500
"""Mean characters of a document up to which it is retrieved whole unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """A kind and the pieces it finds; ``str()`` gives its canonical text, the run's name."""

    kind: str
    chunking: Chunking

    def __str__(self) -> str:
        return f"{self.kind}@{self.chunking}"


def parse_retriever(text: str, default: Chunking) -> Retriever:
    """Read ``bm25@paragraphs``; a kind alone gets the default chunking.

    Raises:
        Invalid: for another kind or no chunking.
    """
    kind, at, chunking = text.partition("@")
    if kind not in KINDS:
        raise Invalid(
            f"“{text}” is no built-in retriever. Write {', '.join(KINDS)}, each with @whole, "
            "@paragraphs, @chars:SIZE:OVERLAP or @sentences:SIZE, for example "
            "bm25@chars:400:100."
        )
    return Retriever(kind, parse_chunking(chunking) if at else default)


def choose_chunking(documents: int, characters: int) -> Chunking:
    """Return what is cut where nobody said: short documents stay whole, long ones are cut."""
    short = documents > 0 and characters <= SHORT * documents
    return parse_chunking("whole" if short else "paragraphs")
