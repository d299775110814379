"""Ledger: attempts go on record before they are sent, through one writer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.judging.answers import Failure, Kind
from app.judging.llm import Answer

GATHER = 0.02
MOST = 64


@dataclass(frozen=True, slots=True)
class Finished:
    """An attempt that ended; ``final`` says that its pair is done or has failed for good."""

    attempt_id: int
    item_id: int
    answer: Answer
    final: bool


class Ledger(Protocol):
    """Where attempts are kept; called from threads, never two calls at a time."""

    def write(self, started: Sequence[int], finished: Sequence[Finished]) -> Sequence[int]:
        """In one transaction store what finished and begin an attempt for each started item.

        Returns:
            The ids of the new attempts, in the order of ``started``.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Start:
    item_id: int
    attempt: asyncio.Future[int]


class Writer:
    """Gathers what many workers report into few transactions, outside the event loop."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: asyncio.Queue[_Start | Finished | None] = asyncio.Queue()

    async def start(self, item_id: int) -> int:
        """Return the id of a new attempt once it is stored."""
        begun = _Start(item_id, asyncio.get_running_loop().create_future())
        self._waiting.put_nowait(begun)
        return await begun.attempt

    def finish(self, finished: Finished) -> None:
        """Take the end of an attempt; it is stored soon."""
        self._waiting.put_nowait(finished)

    def close(self) -> None:
        """Let :meth:`run` end when everything taken so far is stored."""
        self._waiting.put_nowait(None)

    async def run(self) -> None:
        """Store until closed; raises what the ledger raises."""
        closing = False
        while not (closing and self._waiting.empty()):
            entries = await self._collect()
            closing = closing or None in entries
            starts = [e for e in entries if isinstance(e, _Start) and not e.attempt.done()]
            await self._store(starts, [e for e in entries if isinstance(e, Finished)])

    async def _collect(self) -> list[_Start | Finished | None]:
        entries = [await self._waiting.get()]
        await asyncio.sleep(GATHER)
        while len(entries) < MOST and not self._waiting.empty():
            entries.append(self._waiting.get_nowait())
        return entries

    async def _store(self, starts: list[_Start], finished: list[Finished]) -> None:
        if not starts and not finished:
            return
        items = [start.item_id for start in starts]
        ids = await asyncio.to_thread(self._ledger.write, items, finished)
        for start, attempt_id in zip(starts, ids, strict=True):
            if start.attempt.done():
                self.finish(never_sent(attempt_id, start.item_id))
            else:
                start.attempt.set_result(attempt_id)


def never_sent(attempt_id: int, item_id: int) -> Finished:
    """Return the end of an attempt that was recorded and then not made."""
    unsent = Failure(Kind.STOPPED, "stopped before it was sent")
    return Finished(attempt_id, item_id, Answer(unsent, 0.0), final=False)
