"""Waiting: how long to stay away from an address that is busy or broken."""

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
LONGEST = 366 * 86_400.0


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Read a Retry-After header as seconds from ``now`` (an aware time).

    Whole or fractional seconds, or an HTTP date; a past date is 0. Anything else (negative,
    nan, inf, junk, absent) is None: the server said nothing. At most 366 days.
    """
    if value is None:
        return None
    text = value.strip()
    if SECONDS.fullmatch(text):
        return min(float(text), LONGEST)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return min(max((when - now).total_seconds(), 0.0), LONGEST)


def back_off(tries: int, *, first: float = 0.5, longest: float = 30.0) -> float:
    """Return seconds to wait after ``tries`` failures: doubling, the upper half at random.

    Calls that failed together come back apart.
    """
    whole = min(first * 2.0 ** min(tries - 1, 30), longest)
    return whole * random.uniform(0.5, 1.0)
