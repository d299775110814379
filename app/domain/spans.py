"""Spans: characters of a document, and what two spans share.

All offsets are Unicode code points, the end is exclusive.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import total_ordering

from app.errors import Invalid

_ENDLESS = 1 << 62  # stands for the end of a document whose length nobody knows


@total_ordering
@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` up to, not including, ``end`` of one document.

    Only a whole document starts at 0 by rule, may be empty, and may have an unknown
    length (``end`` is None: a run names a document that is not in the corpus).
    """

    doc_id: str
    start: int
    end: int | None
    whole: bool = False

    def __post_init__(self) -> None:
        if self.whole:
            if self.start != 0 or (self.end is not None and self.end < 0):
                raise Invalid(f"A whole document runs from 0 to its length: {self.doc_id}")
        elif self.end is None or not 0 <= self.start < self.end:
            raise Invalid(
                f"Start {self.start} and end {self.end} of {self.doc_id} make no span: "
                "the start is 0 or more and the end lies behind it."
            )

    def __lt__(self, other: "Span") -> bool:
        return self.order_key() < other.order_key()

    def order_key(self) -> tuple[str, int, int, bool]:
        """Return what spans are sorted by: document, start, end, whole last."""
        return (self.doc_id, self.start, self.reach, self.whole)

    @property
    def reach(self) -> int:
        """The end, or a number beyond every end where the length is unknown."""
        return _ENDLESS if self.end is None else self.end

    @property
    def length(self) -> int | None:
        """The number of characters, None where it is unknown."""
        return None if self.end is None else self.end - self.start

    def overlap(self, other: "Span") -> int:
        """Count the characters two spans share; none across documents.

        A document of unknown length holds every span of it; of two unknown lengths
        nothing can be counted, which gives 0.
        """
        if self.doc_id != other.doc_id:
            return 0
        end = min(self.reach, other.reach)
        return 0 if end == _ENDLESS else max(0, end - max(self.start, other.start))

    def iou(self, other: "Span") -> float | None:
        """Return intersection over union, 0 to 1; None where a length is unknown.

        A document and itself share everything, even if it is empty or of unknown length.
        """
        if self.doc_id != other.doc_id:
            return 0.0
        if self.whole and other.whole:
            return 1.0
        if self.end is None or other.end is None:
            return None
        shared = self.overlap(other)
        return shared / (self.end - self.start + other.end - other.start - shared)

    def contains(self, other: "Span") -> bool:
        """Tell whether every character of the other span is in this one."""
        inside = self.start <= other.start and other.reach <= self.reach
        return self.doc_id == other.doc_id and inside

    def matches(self, other: "Span", min_overlap: float = 0.5) -> bool:
        """Tell whether overlap / the shorter length reaches ``min_overlap`` (0 to 1)."""
        if self.whole and other.whole:
            return self.doc_id == other.doc_id
        shared = self.overlap(other)
        shorter = min(self.reach - self.start, other.reach - other.start)
        return shared > 0 and shared >= min_overlap * shorter


def merge_spans(spans: Iterable[Span]) -> dict[str, list[tuple[int, int]]]:
    """Return, per document, the sorted disjoint ranges the spans cover together."""
    merged: dict[str, list[tuple[int, int]]] = {}
    for span in sorted(spans, key=Span.order_key):
        ranges = merged.setdefault(span.doc_id, [])
        if ranges and span.start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], span.reach))
        else:
            ranges.append((span.start, span.reach))
    return merged


def union_length(spans: Iterable[Span]) -> int | None:
    """Count the characters covered, each once; None where a length is unknown."""
    ranges = [pair for pairs in merge_spans(spans).values() for pair in pairs]
    if any(end == _ENDLESS for _, end in ranges):
        return None
    return sum(end - start for start, end in ranges)


def shared_length(spans: Iterable[Span], others: Iterable[Span]) -> int:
    """Count the characters that both unions cover, each once (unknown lengths give 0)."""
    left, right = merge_spans(spans), merge_spans(others)
    return sum(
        _shared(left[doc_id], ranges) for doc_id, ranges in right.items() if doc_id in left
    )


def _shared(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> int:
    total = first = second = 0
    while first < len(left) and second < len(right):
        end = min(left[first][1], right[second][1])
        if end < _ENDLESS:
            total += max(0, end - max(left[first][0], right[second][0]))
        if left[first][1] < right[second][1]:
            first += 1
        else:
            second += 1
    return total


def span_coverage(chunks: Iterable[Span], gold: Iterable[Span]) -> float | None:
    """Return the share (0 to 1) of gold characters that the chunks cover, each once.

    None without gold characters, or where a gold length is unknown.
    """
    gold = list(gold)
    wanted = union_length(gold)
    return shared_length(chunks, gold) / wanted if wanted else None


def find_context(text: str, start: int, end: int, width: int) -> tuple[str, str, str]:
    """Return up to ``width`` code points before, the span itself, and as many after."""
    return text[max(0, start - width) : start], text[start:end], text[end : end + width]
