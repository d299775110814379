"""Ordering: the one order of a run that pooling, metrics and export share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from app.errors import Invalid

Rule = Literal["score", "rank"]
_SIGN = 1 << 31  # of a 32-bit float; the other bits rise with its size


class Ranked(Protocol):
    """What a hit needs to be put in order."""

    @property
    def hit_id(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def rank(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class RunHit:
    """One line of a run: a hit id, a score, and the rank column where there is one."""

    hit_id: str
    score: float
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class OrderReport:
    """What an importer tells about the order of a run; each field lists query ids."""

    queries: int
    disagreeing: tuple[str, ...]  # a higher rank has a lower score
    tied_by_rank: tuple[str, ...]  # equal scores only, but the ranks break them otherwise
    tied_in_32_bits: tuple[str, ...]  # different scores that 32 bits cannot tell apart


AnyHit = TypeVar("AnyHit", bound=Ranked)


def order_hits(hits: Iterable[AnyHit], rule: Rule = "score") -> list[AnyHit]:
    """Order the hits of one query.

    "score": score falling, then hit id falling, compared by code points, which is
    trec_eval's order (its strcmp compares UTF-8 bytes, and both agree). "rank": rank
    rising, ties as above.

    Raises:
        Invalid: a score is not a finite number, or a rank is missing where it decides.
    """
    ordered = list(hits)
    for hit in ordered:
        if not isfinite(hit.score):
            raise Invalid(f"The score of {hit.hit_id} is {hit.score}, which has no order.")
    ordered.sort(key=lambda hit: (hit.score, hit.hit_id), reverse=True)
    if rule == "rank":
        ordered.sort(key=_take_rank)
    return ordered


def _take_rank(hit: Ranked) -> int:
    if hit.rank is None:
        raise Invalid(f"{hit.hit_id} has no rank. Import the run with --order score.")
    return hit.rank


def order_report(queries: Mapping[str, Iterable[AnyHit]]) -> OrderReport:
    """Say in which queries rank and score disagree and where 32 bits make ties.

    Queries without ranks cannot disagree.
    """
    disagreeing, tied_by_rank, tied_in_32_bits = [], [], []
    for query_id, hits in queries.items():
        by_score = order_hits(hits)
        if _ties_in_32_bits([hit.score for hit in by_score]):
            tied_in_32_bits.append(query_id)
        if any(hit.rank is None for hit in by_score):
            continue
        by_rank = order_hits(by_score, "rank")
        if any(above.score < below.score for above, below in pairwise(by_rank)):
            disagreeing.append(query_id)
        elif by_rank != by_score:
            tied_by_rank.append(query_id)
    return OrderReport(
        len(queries), tuple(disagreeing), tuple(tied_by_rank), tuple(tied_in_32_bits)
    )


def _ties_in_32_bits(falling: list[float]) -> bool:
    exact = np.array(falling, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore"):
        short = exact.astype(np.float32)
    return bool(np.any((short[1:] == short[:-1]) & (exact[1:] != exact[:-1])))


def falling_scores(ordered: Sequence[str]) -> dict[str, int]:
    """Return hit id to n, n-1, .., 1: the order itself as scores, for pytrec_eval."""
    return {hit_id: len(ordered) - place for place, hit_id in enumerate(ordered)}


def make_falling(scores: Sequence[float] | npt.NDArray[np.float32]) -> list[float]:
    """Return the scores, given in order, as strictly falling 32-bit numbers.

    A score that is not below the one before becomes the next 32-bit number under it, so
    no reader of the run sees a tie.
    """
    numbered = _number_floats(np.array(scores, dtype=np.float32))
    places = np.arange(len(numbered))
    # Falling by at least 1 from each to the next is falling at all, once 1 a place is added.
    falling = np.minimum.accumulate(numbered + places) - places
    bits = np.where(falling < 0, -falling | _SIGN, falling)
    return [float(score) for score in bits.astype(np.uint32).view(np.float32)]


def _number_floats(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Number 32-bit floats so that neighbours are 1 apart; both zeros are number 0."""
    bits = scores.view(np.uint32).astype(np.int64)
    return np.where(bits & _SIGN, _SIGN - bits, bits)
