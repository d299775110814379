"""Rows: what the readers of every format give and the writers take."""

from dataclasses import dataclass, field

Tags = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document; ``line`` is the physical line it began at, from 1."""

    line: int
    doc_id: str
    title: str
    text: str
    tags: Tags = field(default_factory=dict)
    access: str | None = None


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One query and its need; ``answerable`` is None where nobody said."""

    line: int
    query_id: str
    text: str
    need: str = ""
    tags: Tags = field(default_factory=dict)
    answerable: bool | None = None


@dataclass(frozen=True, slots=True)
class HitRow:
    """One line of a run.

    ``hit`` is the id as written in the file, or ``doc_id#start-end`` (``doc_id`` for a whole
    document) where the format has columns for them; ``doc_id`` is None where the format has
    one id only, and what that id means is for the importer to find out.
    """

    line: int
    query_id: str
    hit: str
    doc_id: str | None
    start: int | None
    end: int | None
    rank: int | None
    score: float
    tag: str = ""

    @property
    def hit_id(self) -> str:
        """The hit as `domain.ordering` knows it."""
        return self.hit


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label; ``grade_text`` is the grade as the file writes it, not yet on our scale.

    ``hit``, ``doc_id``, ``start`` and ``end`` as in `HitRow`; ``text`` is what the file says
    stands at the span, for the importer to check.
    """

    line: int
    query_id: str
    hit: str
    doc_id: str | None
    start: int | None
    end: int | None
    grade_text: str
    note: str | None = None
    text: str | None = None
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryLabelsRow:
    """All labels of one query: hit id to grade 0..3, in the caller's order."""

    query_id: str
    query: str
    relevant: dict[str, int]
    tags: Tags = field(default_factory=dict)


def join_hit(doc_id: str, start: int | None, end: int | None) -> str:
    """Write the columns of a span as one id: ``doc_id`` for a whole document."""
    return doc_id if start is None else f"{doc_id}#{start}-{end}"
