"""Seats: how many calls one judge gets at a time, over all event loops of the process."""

import asyncio
import threading
from collections import deque
from contextlib import suppress

AT_ONCE = 64


class Seats:
    """Seats for workers, taken in the order of asking and given back by ``async with``.

    The pieces of a batch run in event loops of their own. With one set of seats for all, the
    last calls of one piece go on beside the first of the next, and no seat stays empty.
    """

    def __init__(self, count: int = AT_ONCE) -> None:
        self._free = count
        self._guard = threading.Lock()
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        waiter = self._take_or_queue()
        if waiter is None:
            return
        try:
            await waiter
        except asyncio.CancelledError:
            self._leave(waiter)
            raise

    async def __aexit__(self, *_: object) -> None:
        self._give_back()

    def _take_or_queue(self) -> "asyncio.Future[None] | None":
        with self._guard:
            if self._free:
                self._free -= 1
                return None
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            return waiter

    def _leave(self, waiter: "asyncio.Future[None]") -> None:
        with self._guard:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
                return
        self._give_back()  # the seat was given in the moment of leaving

    def _give_back(self) -> None:
        with self._guard:
            if not self._waiting:
                self._free += 1
                return
            waiter = self._waiting.popleft()
        with suppress(RuntimeError):  # its loop has ended, and its worker has left the queue
            waiter.get_loop().call_soon_threadsafe(_seat, waiter)


def _seat(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
