"""Line: what all calls of one process to one judge share."""

import asyncio
import random
import time
from functools import cache
from typing import Any

from app.judging.seats import Seats

FIRST_CALL = 3.0
SPREAD = 0.2


class Line:
    """A common pause, seats, the response format found out, whether anything came back yet.

    Clients of different event loops may share it.
    """

    def __init__(self) -> None:
        self.seats = Seats()
        self.rung = 0
        """Which step of the response format ladder the endpoint has reached."""
        self._until = 0.0
        self._proven = False
        self._leader: asyncio.Task[Any] | None = None

    def hold(self, seconds: float) -> None:
        """Let no call begin for so many seconds; a longer pause already set stays."""
        self._until = max(self._until, time.monotonic() + seconds)

    async def wait(self) -> None:
        """Wait until the pause is over; the waiting come back a little apart."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left + random.uniform(0, SPREAD))

    def prove(self) -> None:
        """Remember that the judge answered: calls need not go one by one."""
        self._proven = True

    async def let_one_go_first(self, caller: asyncio.Task[Any] | None) -> None:
        """Return at once for the first caller; for others once it has its answer.

        A wrong key or a refused format then costs one call, not one for each worker. A hung
        first call must not hold up the rest, so they wait for a short time only.
        """
        if self._leader is None or self._leader.done():
            self._leader = caller
        latest = time.monotonic() + FIRST_CALL
        while not self._proven and self._leader is not caller and time.monotonic() < latest:
            await asyncio.sleep(0.01)


@cache
def shared_line(*judge: str) -> Line:
    """Return this process's line to a judge, named by its endpoint and model."""
    assert judge, "a line leads somewhere"
    return Line()
