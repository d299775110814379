"""Cards, ledgers and judges for the tests of judging."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.domain.cards import Card
from app.judging.answers import Verdict
from app.judging.ledger import Finished
from app.judging.llm import Answer, JudgeClient
from app.judging.policy import Policy
from app.judging.pool import Ended, grade_all
from app.judging.prompts import load_prompt
from app.outside.transport import Endpoint, Limits
from tests.scripted_server import ScriptedServer

QUICK = Limits(connect=1.0, total=0.6)


def make_card(**changes: Any) -> Card:
    """Return a card about laptops, with what matters changed."""
    card = Card(
        query="What is the laptop refresh policy?",
        need="complete if it names the years",
        title_path=("Handbook", "Hardware"),
        before="Chairs are replaced when they break.",
        span="Engineers get a new laptop every three years.",
        after="Screens are kept for five.",
    )
    return replace(card, **changes)


def make_cards(count: int, marker: str = "pair") -> list[tuple[int, Card]]:
    """Return cards whose span ends in ``<marker-n.>``, numbered from 0."""
    return [(n, make_card(span=f"A laptop. <{marker}-{n}.>")) for n in range(count)]


def make_judge(server: ScriptedServer, **options: Any) -> JudgeClient:
    """Return a judge at a scripted server, its address allowed."""
    endpoint = Endpoint(server.url, key=options.pop("key", None), allowed=(server.url,))
    chosen: dict[str, Any] = {"model": "m", "prompt": load_prompt(), "limits": QUICK}
    return JudgeClient(endpoint, **(chosen | options))


def ask_once(server: ScriptedServer, card: Card | None = None, **options: Any) -> Answer:
    """Make one call and close."""

    async def run() -> Answer:
        async with make_judge(server, **options) as judge:
            return await judge.ask(card or make_card())

    return asyncio.run(run())


@dataclass
class MemoryLedger:
    """Keeps attempts in memory, and notes what was open at every moment."""

    started: list[int] = field(default_factory=list)
    finished: list[Finished] = field(default_factory=list)
    writes: int = 0
    inside: threading.Lock = field(default_factory=threading.Lock)

    def write(self, started: Sequence[int], finished: Sequence[Finished]) -> Sequence[int]:
        """Take starts and ends; two calls at a time would fail."""
        assert self.inside.acquire(blocking=False), "two writers at a time"
        self.writes += 1
        first = len(self.started)
        self.started += started
        self.finished += finished
        self.inside.release()
        return range(first, len(self.started))

    def final(self, item_id: int) -> Answer | None:
        """Return the answer that settled an item."""
        settled = [f.answer for f in self.finished if f.item_id == item_id and f.final]
        assert len(settled) <= 1
        return settled[0] if settled else None

    def outcomes(self) -> dict[int, str | int]:
        """Return the grade or the reason of every settled item."""
        return {f.item_id: describe(f.answer) for f in self.finished if f.final}


def describe(answer: Answer) -> str | int:
    """Return the grade, or the reason there is none."""
    result = answer.result
    return result.grade if isinstance(result, Verdict) else str(result.kind)


def run_pool(
    server: ScriptedServer,
    pairs: Iterable[tuple[int, Card]],
    *,
    at_once: int = 8,
    stop_when: Callable[[], bool] = lambda: False,
    policy: Policy | None = None,
    **options: Any,
) -> tuple[Ended, MemoryLedger]:
    """Grade all pairs and return how it ended, with what was recorded."""
    ledger = MemoryLedger()

    async def run() -> Ended:
        async with make_judge(server, **options) as judge:
            return await grade_all(
                judge, pairs, ledger, should_stop=stop_when, at_once=at_once, policy=policy
            )

    return asyncio.run(run()), ledger
