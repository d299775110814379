"""Projection: what the labels of some spans say about another chunk of the document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.spans import Span, shared_length, union_length

MIN_OVERLAP = 0.5
MAX_UNREAD = 0.2
PARTIAL = 2
_SHORT = 3  # spans below this can lose all they share by moving one character

Reason = Literal["matched", "inherited", "evidence", "touching", "read", "unjudged"]


@dataclass(frozen=True, slots=True)
class SpanLabel:
    """A graded span, and the spans inside it that the SMEs marked as the reason."""

    span: Span
    grade: int
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Projected:
    """The grade a chunk gets, None if it must be graded; and why."""

    grade: int | None
    reason: Reason


def project(
    chunk: Span,
    labels: Sequence[SpanLabel],
    min_overlap: float = MIN_OVERLAP,
    max_unread: float = MAX_UNREAD,
) -> Projected:
    """Project the labels of one query and document onto a chunk of it.

    A label of exactly this span is its grade. Else (1) the highest grade above 0 whose
    span the chunk matches, with evidence deciding where there is some; else (2) a chunk
    that touches a positive span or its evidence is unjudged; else (3) 0 if at most
    ``max_unread`` of it lies outside the spans graded 0; else (4) unjudged. So a chunk
    moved by one character never turns from 3 into 0, unless a person graded exactly the
    moved one as 0.
    """
    own = [label.grade for label in labels if _same(label.span, chunk)]
    if own:
        return Projected(max(own), "matched")
    positive = [label for label in labels if label.grade > 0]
    answers = [
        answer
        for label in positive
        if chunk.matches(label.span, min_overlap)
        and (answer := _answer(chunk, label)) is not None
    ]
    if answers:
        return max(answers, key=lambda answer: (answer.grade, answer.reason != "inherited"))
    if any(
        _touches(chunk, span) for label in positive for span in (label.span, *label.evidence)
    ):
        return Projected(None, "touching")
    read = [label.span for label in labels if label.grade == 0]
    if _is_read(chunk, read, max_unread):
        return Projected(0, "read")
    return Projected(None, "unjudged")


def _same(span: Span, chunk: Span) -> bool:
    if span.whole and chunk.whole:
        return span.doc_id == chunk.doc_id
    return span == chunk


def _answer(chunk: Span, label: SpanLabel) -> Projected | None:
    """Return what a matched positive label says, None if its evidence lies elsewhere."""
    if not label.evidence:
        piece = label.span.contains(chunk)
        return Projected(label.grade, "inherited" if piece else "matched")
    inside = shared_length([chunk], label.evidence)
    if inside == 0:
        return None
    if inside == union_length(label.evidence):
        return Projected(label.grade, "evidence")
    return Projected(min(label.grade, PARTIAL), "evidence")


def _touches(chunk: Span, span: Span) -> bool:
    if chunk.overlap(span) > 0:
        return True
    short = min(chunk.reach - chunk.start, span.reach - span.start) < _SHORT
    borders = span.start == chunk.end or chunk.start == span.end
    return short and borders and chunk.doc_id == span.doc_id


def _is_read(chunk: Span, read: Sequence[Span], max_unread: float) -> bool:
    if not chunk.length:
        return False
    unread = chunk.length - shared_length([chunk], read)
    return unread <= max_unread * chunk.length
