"""Fusion: one ranking out of several, by reciprocal ranks."""

from collections.abc import Iterable, Sequence
from math import fsum

from app.domain.ordering import make_falling

RRF_K = 60


def fuse(rankings: Iterable[Sequence[str]], k: int = RRF_K) -> list[tuple[str, float]]:
    """Fuse rankings of hit ids, best first: score = sum over rankings of 1 / (k + rank).

    Ranks start at 1; an id counts once a ranking, at its best rank. Ties are broken by
    hit id falling; scores fall strictly, also in 32 bits; the order of the rankings does
    not matter. Cormack, Clarke and Buettcher, SIGIR 2009.
    """
    shares: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, hit_id in enumerate(dict.fromkeys(ranking), start=1):
            shares.setdefault(hit_id, []).append(1 / (k + rank))
    # fsum is exact, so the same shares give the same score in any order.
    scored = sorted(((fsum(parts), hit_id) for hit_id, parts in shares.items()), reverse=True)
    falling = make_falling([score for score, _ in scored])
    return [(hit_id, score) for (_, hit_id), score in zip(scored, falling, strict=True)]
