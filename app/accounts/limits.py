"""Limits: how often somebody may guess (V-092)."""

import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.errors import TooMany

PER_ADDRESS = RateLimitItemPerMinute(20)
PER_ACCOUNT = RateLimitItemPerMinute(10)


class Guesses:
    """Counts failed tries of one process, by network address and by account and address.

    The account is counted together with the address, so that nobody can lock its owner out
    from elsewhere.
    """

    def __init__(self) -> None:
        self.limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, *, address: str, account: str) -> None:
        """Refuse where either count is used up; do not count."""
        for limit, keys in ((PER_ADDRESS, (address,)), (PER_ACCOUNT, (address, account))):
            if not self.limiter.test(limit, *keys):
                until = self.limiter.get_window_stats(limit, *keys).reset_time
                raise TooMany(
                    "Too many tries. Wait a minute and try again.",
                    retry_after=max(1, int(until - time.time())),
                )

    def count(self, *, address: str, account: str) -> None:
        """Count one failed try."""
        self.limiter.hit(PER_ADDRESS, address)
        self.limiter.hit(PER_ACCOUNT, address, account)
