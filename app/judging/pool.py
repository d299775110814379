"""Pool: many cards asked of one judge, so many at a time, with every attempt on record."""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from app.domain.cards import Card
from app.judging.answers import Failure, Kind, Verdict
from app.judging.ledger import Finished, Ledger, Writer, never_sent
from app.judging.llm import Answer, JudgeClient
from app.judging.policy import GiveUp, Policy, Retry, Step, Stop, next_step

Pair = tuple[int, Card]
POLL = 0.5
GRACE = 0.5


@dataclass(frozen=True, slots=True)
class Ended:
    """How the pool ended; ``why`` is None when all pairs were worked through."""

    why: str | None = None
    pause: float | None = None
    """Seconds after which it may go on, where the endpoint said so."""
    asked_to_stop: bool = False


class _Halt(Exception):
    """Unwinds a worker when nothing more can succeed."""

    def __init__(self, step: Stop) -> None:
        super().__init__(step.why)
        self.step = step


async def grade_all(
    client: JudgeClient,
    pairs: Iterable[Pair] | AsyncIterable[Pair],
    ledger: Ledger,
    *,
    should_stop: Callable[[], bool],
    at_once: int = 64,
    policy: Policy | None = None,
) -> Ended:
    """Work through (item id, card) pairs, ``at_once`` calls at a time.

    Pools of one judge share the seats of its line, so together they make no more calls.

    Pairs are pulled as needed (at most two a worker), so memory does not grow with their
    number; a plain iterable must not block. ``ledger.write`` and ``should_stop`` run in
    threads and may use the database. ``should_stop`` is asked twice a second. When it says
    True, or the policy says so, no call begins; those in flight have half a second to finish,
    then they are cut off and recorded as stopped, and their pairs stay open.

    Raises:
        Exception: whatever ``ledger``, ``should_stop`` or ``pairs`` raise; all has ended then.
    """
    writer = Writer(ledger)
    crew = _Crew(client, writer, policy or Policy(), _Source(pairs))
    workers = [asyncio.create_task(crew.work()) for _ in range(at_once)]
    work = asyncio.gather(*workers)
    watch = asyncio.create_task(_watch(should_stop))
    writing = asyncio.create_task(writer.run())
    ends: set[asyncio.Future[Any]] = {work, watch, writing}
    try:
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        crew.closed = True
        await _wind_up(workers, watch, writing)
        writer.close()
        await writing
    return _read_end(work, watch, work in done)


async def _watch(should_stop: Callable[[], bool]) -> None:
    while not await asyncio.to_thread(should_stop):
        await asyncio.sleep(POLL)


async def _wind_up(
    workers: list[asyncio.Task[None]], watch: asyncio.Task[None], writing: asyncio.Task[None]
) -> None:
    if not writing.done():
        await asyncio.wait(workers, timeout=GRACE)
    for task in (*workers, watch):
        task.cancel()
    await asyncio.gather(*workers, watch, return_exceptions=True)


def _read_end(
    work: asyncio.Future[list[None]], watch: asyncio.Task[None], work_ended: bool
) -> Ended:
    if not work_ended:
        watch.result()
        return Ended("stopped", asked_to_stop=True)
    try:
        work.result()
    except _Halt as halted:
        return Ended(halted.step.why, halted.step.pause)
    return Ended()


class _Source:
    """Hands pairs to workers one at a time."""

    def __init__(self, pairs: Iterable[Pair] | AsyncIterable[Pair]) -> None:
        self._pairs = aiter(pairs) if isinstance(pairs, AsyncIterable) else _lift(pairs)
        self._turn = asyncio.Lock()

    async def take(self) -> Pair | None:
        async with self._turn:
            return await anext(self._pairs, None)


async def _lift(pairs: Iterable[Pair]) -> AsyncIterator[Pair]:
    for pair in pairs:
        yield pair


@dataclass(frozen=True, slots=True)
class _Reserved:
    """A pair whose first attempt is on record."""

    item_id: int
    card: Card
    attempt_id: int


class _Crew:
    """What the workers of one pool share."""

    def __init__(
        self, client: JudgeClient, writer: Writer, policy: Policy, source: _Source
    ) -> None:
        self.closed = False
        self._client = client
        self._line = client.line
        self._writer = writer
        self._policy = policy
        self._source = source
        self._failed_in_a_row = 0

    async def work(self) -> None:
        """Grade pairs in a seat of the judge's line."""
        async with self._line.seats:
            await self._work_on()

    async def _work_on(self) -> None:
        """Grade pairs, the next one already on record while one is in flight."""
        ahead = self._reserve()
        try:
            while not self.closed and (reserved := await ahead) is not None:
                ahead = self._reserve()
                await self._grade(reserved)
        finally:
            self._release(ahead)

    def _reserve(self) -> asyncio.Task[_Reserved | None]:
        # Recording costs a transaction; doing it ahead keeps it out of the pair's way.
        return asyncio.create_task(self._take(asyncio.current_task()))

    async def _take(self, worker: asyncio.Task[Any] | None) -> _Reserved | None:
        pair = await self._source.take()
        if pair is None:
            return None
        await self._line.let_one_go_first(worker)
        return _Reserved(*pair, await self._writer.start(pair[0]))

    def _release(self, ahead: asyncio.Task[_Reserved | None]) -> None:
        if not ahead.done():
            ahead.cancel()  # the writer sees it, and closes the attempt if it was stored
        elif not ahead.cancelled() and ahead.exception() is None:
            reserved = ahead.result()
            if reserved is not None:
                self._writer.finish(never_sent(reserved.attempt_id, reserved.item_id))

    async def _grade(self, reserved: _Reserved) -> None:
        item_id, attempt_id = reserved.item_id, reserved.attempt_id
        failures: list[Failure] = []
        started = time.monotonic()
        while True:
            answer = await self._ask(reserved, attempt_id)
            step = self._decide(answer, failures, time.monotonic() - started)
            over = step is None or isinstance(step, GiveUp)
            self._writer.finish(Finished(attempt_id, item_id, answer, final=over))
            if isinstance(step, Stop):
                raise _Halt(step)
            if step is None or isinstance(step, GiveUp) or self.closed:
                return
            await self._stay_away(step)
            attempt_id = await self._writer.start(item_id)

    def _decide(self, answer: Answer, failures: list[Failure], elapsed: float) -> Step | None:
        if isinstance(answer.result, Verdict):
            self._line.prove()
            self._failed_in_a_row = 0
            return None
        failures.append(answer.result)
        step = next_step(
            failures, retry_after=answer.retry_after, elapsed=elapsed, policy=self._policy
        )
        if not isinstance(step, Stop) and answer.result.kind is not Kind.FORMAT:
            self._line.prove()
        return self._count(answer.result) if isinstance(step, GiveUp) else step

    def _count(self, failure: Failure) -> Step:
        """Give one pair up; too many in a row are the judge's fault, so nothing goes on."""
        self._failed_in_a_row += 1
        if self._failed_in_a_row < self._policy.max_failed_in_a_row:
            return GiveUp()
        return Stop(
            f"{self._failed_in_a_row} pairs in a row failed, the last with "
            f"{failure.kind}: {failure.detail}"
        )

    async def _stay_away(self, step: Retry) -> None:
        if step.shared:
            self._line.hold(step.after)
        else:
            await asyncio.sleep(step.after)

    async def _ask(self, reserved: _Reserved, attempt_id: int) -> Answer:
        began = None
        try:
            await self._line.wait()
            began = time.monotonic()
            return await self._client.ask(reserved.card)
        except asyncio.CancelledError:
            cut = _cut_off(reserved.item_id, attempt_id, began)
            self._writer.finish(cut)
            raise


def _cut_off(item_id: int, attempt_id: int, began: float | None) -> Finished:
    if began is None:
        return never_sent(attempt_id, item_id)
    cut = Failure(Kind.STOPPED, "stopped while in flight; it may have been charged")
    answer = Answer(cut, (time.monotonic() - began) * 1000)
    return Finished(attempt_id, item_id, answer, final=False)
