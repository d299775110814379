"""Intervals: how far a measured share may be from the true one."""

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Interval:
    """A lower and an upper end, both included."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"backward interval: {self}")


def normal_quantile(level: float) -> float:
    """Return z so that a normal value lies within -z..z with probability ``level``."""
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1: {level}")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Return the Wilson score interval of a share, within 0..1; None where n is 0.

    Wilson 1927; Brown, Cai and DasGupta 2001, formula (4). ``n`` need not be whole,
    so that an effective sample size fits.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return None
    z = normal_quantile(level)
    share = successes / n
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return Interval(low, high)


def interval(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """Return the interval shown beside a rate: Wilson on n, as if all pairs were independent.

    Pairs of one query are alike, so the true interval is wider; the division of n by the
    design effect by query belongs here.
    """
    return wilson(successes, n, level)
