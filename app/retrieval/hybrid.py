"""Hybrid: two retrievers fused by reciprocal ranks."""

from collections.abc import Sequence
from typing import Protocol

from app.domain.fusion import fuse
from app.retrieval.pieces import Answer, Pieces

POOL = 100
"""Hits of each retriever that are fused, at least."""


class Searcher(Protocol):
    """What answers queries with pieces."""

    def search(self, texts: Sequence[str], depth: int) -> list[Answer]: ...


class Hybrid:
    """Several retrievers over the same pieces; k = 60, ties by hit id falling."""

    def __init__(self, parts: Sequence[Searcher], pieces: Pieces) -> None:
        self._parts = parts
        self._pieces = pieces

    def search(self, texts: Sequence[str], depth: int) -> list[Answer]:
        """Return the best pieces by fused ranks for each text."""
        answers = [part.search(texts, max(depth, POOL)) for part in self._parts]
        return [self._fuse(each, depth) for each in zip(*answers, strict=True)]

    def _fuse(self, answers: Sequence[Answer], depth: int) -> Answer:
        numbers = {
            self._pieces.hit_id(number): number
            for answer in answers
            for number, _ in answer.found
        }
        rankings = [[self._pieces.hit_id(number) for number, _ in a.found] for a in answers]
        found = [(numbers[hit_id], score) for hit_id, score in fuse(rankings)[:depth]]
        return Answer(found, sum(answer.milliseconds for answer in answers))
