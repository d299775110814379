"""Assignment: who is to grade what, planned from a seed, and what SMEs say together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Literal, TypeVar

from app.domain.spans import Span
from app.errors import Invalid

Name = TypeVar("Name", int, str)

SECONDS_PER_GRADE = 20
"""What one grade takes, in seconds: a guess, until a team's own median is measured."""


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Name]):
    """A sampled item and the chance (0 to 1) with which it was drawn."""

    item: Name
    inclusion: float


@dataclass(frozen=True, slots=True)
class PlannedBlock(Generic[Name]):
    """The items of one query for one seat (from 1); blocks are handed out by ``place``."""

    query: Name
    seat: int
    items: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and where its passage stands."""

    item: int
    span: Span


State = Literal["adjudicated", "agreed", "resolved", "unresolved", "none"]


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the SMEs say of an item: a grade or None, how it came about, of how many grades."""

    value: int | None
    state: State
    grades: int


def plan_sample(items: Iterable[Name], size: int, seed: int) -> list[Chosen[Name]]:
    """Draw a simple random sample without replacement; every item has the same chance.

    The draw depends on the seed and the set of items, not on their order. Where there
    are fewer items than asked, all are taken with chance 1.

    Raises:
        Invalid: the size is negative.
    """
    if size < 0:
        raise Invalid("A sample cannot have fewer than 0 items.")
    population = sorted(set(items))
    size = min(size, len(population))
    drawn = Random(seed).sample(population, size)
    return [Chosen(item, size / len(population)) for item in sorted(drawn)]


def plan_blocks(
    items: Mapping[Name, Sequence[int]], seats: int, seed: int
) -> list[PlannedBlock[Name]]:
    """Plan one block for each query and seat, queries in an order shuffled by the seed.

    The seats of a query follow each other, so that items get all their grades early.
    Queries without items have no block.

    Raises:
        Invalid: fewer than 1 seat.
    """
    if seats < 1:
        raise Invalid("A plan needs at least 1 seat for each query.")
    queries = sorted(query for query in items if items[query])
    Random(seed).shuffle(queries)
    turns = ((query, seat) for query in queries for seat in range(1, seats + 1))
    return [
        PlannedBlock(query, seat, tuple(items[query]), place)
        for place, (query, seat) in enumerate(turns)
    ]


def shuffle_documents(items: Iterable[Placed], seed: int, grader: str) -> list[int]:
    """Order a block's items for one SME.

    Documents are shuffled by seed and grader; the chunks of one document stay together,
    in order of their start.
    """
    documents: dict[str, list[Placed]] = {}
    for placed in sorted(items, key=lambda placed: (placed.span.order_key(), placed.item)):
        documents.setdefault(placed.span.doc_id, []).append(placed)
    order = list(documents)
    Random(f"{seed}:{grader}").shuffle(order)
    return [placed.item for doc_id in order for placed in documents[doc_id]]


def consensus(grades: Sequence[int], cut: int, adjudicated: int | None = None) -> Consensus:
    """Say what the current grades of the SMEs amount to.

    A decision of an adjudicator stands. Two grades on different sides of the cut, or two
    steps apart, are unresolved. Else the value is the median, the lower of two middles.
    A third grade can resolve a conflict: more than half of all grades must then lie on
    the median's side of the cut and at most one step from it.
    """
    if adjudicated is not None:
        return Consensus(adjudicated, "adjudicated", len(grades))
    if not grades:
        return Consensus(None, "none", 0)
    ordered = sorted(grades)
    median = ordered[(len(ordered) - 1) // 2]
    if ordered[0] == ordered[-1]:
        return Consensus(median, "agreed", len(grades))
    if _conflict(ordered[0], ordered[-1], cut) and not _settled(ordered, median, cut):
        return Consensus(None, "unresolved", len(grades))
    return Consensus(median, "resolved", len(grades))


def _conflict(low: int, high: int, cut: int) -> bool:
    return (low >= cut) != (high >= cut) or high - low >= 2


def _settled(grades: Sequence[int], median: int, cut: int) -> bool:
    supporting = sum(
        not _conflict(min(grade, median), max(grade, median), cut) for grade in grades
    )
    return len(grades) > 2 and supporting * 2 > len(grades)
