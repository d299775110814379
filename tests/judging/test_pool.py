"""Pool: many cards over real HTTP; calls are counted by the server (V-045 to V-053)."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from app.domain.cards import Card
from app.judging.answers import Kind
from app.judging.ledger import Finished
from app.judging.policy import Policy
from app.judging.pool import grade_all
from app.outside.transport import Limits
from tests.judging.factory import MemoryLedger, make_cards, make_judge, run_pool
from tests.scripted_server import (
    HANG,
    Act,
    ScriptedServer,
    always,
    by_marker,
    grade,
    in_turn,
    raw,
    says,
    sensible,
    status,
)

GOOD = always(grade(2))
BRISK = Policy(first_wait=0.05)


def test_every_pair_is_graded_once_and_recorded_before_it_is_sent_v052() -> None:
    class Watching(MemoryLedger):
        def write(self, started: Sequence[int], finished: Sequence[Finished]) -> Sequence[int]:
            ids = super().write(started, finished)
            assert len(server.calls) <= len(self.started)
            return ids

    with ScriptedServer(always(grade(2, latency=0.02))) as server:
        ledger = Watching()

        async def run() -> None:
            async with make_judge(server) as judge:
                await grade_all(
                    judge, make_cards(200), ledger, should_stop=lambda: False, at_once=16
                )

        asyncio.run(run())

    assert ledger.outcomes() == dict.fromkeys(range(200), 2)
    assert len(server.calls) == len(ledger.started) == len(ledger.finished) == 200
    assert ledger.writes < 200


@pytest.mark.parametrize(
    ("acts", "outcome", "calls"),
    [
        pytest.param([status(503), status(503), grade(2)], 2, 3, id="503, 503, 200"),
        pytest.param([status(400)], Kind.BAD_REQUEST, 1, id="400"),
        pytest.param([status(422)], Kind.BAD_REQUEST, 1, id="422"),
        pytest.param(
            [status(400, error_code="context_length_exceeded")], Kind.TOO_LONG, 1, id="too long"
        ),
        pytest.param([status(500)], Kind.SERVER_ERROR, 5, id="500 for ever"),
        pytest.param([status(409), status(408), grade(0)], 0, 3, id="409, 408, 200"),
        pytest.param([HANG, grade(1)], 1, 2, id="hangs once"),
        pytest.param([grade(5), grade(3)], 3, 2, id="off the scale, then on it"),
        pytest.param([grade(5)], Kind.OFF_SCALE, 2, id="off the scale twice"),
        pytest.param([says("Hm.")], Kind.MALFORMED, 2, id="prose twice"),
        pytest.param([raw(b"\xff")], Kind.WRONG_ENCODING, 2, id="no UTF-8 twice"),
        pytest.param(
            [says("{", finish_reason="length")], Kind.TRUNCATED, 1, id="truncated once"
        ),
        pytest.param([says(None, refusal="no")], Kind.REFUSED, 1, id="refused"),
    ],
)
def test_each_failure_is_tried_as_often_as_it_deserves_v045_v050(
    acts: list[Act], outcome: int | Kind, calls: int
) -> None:
    with ScriptedServer(by_marker({"pair-1.": acts}, GOOD)) as server:
        ended, ledger = run_pool(server, make_cards(3), policy=BRISK)

    assert ended.why is None
    assert ledger.outcomes() == {0: 2, 1: outcome, 2: 2}
    assert len(server.texts("pair-1.")) == calls
    assert len(server.texts("pair-0.")) == 1


@pytest.mark.parametrize(
    "act",
    [status(401), status(403), status(404), status(429, error_code="insufficient_quota")],
    ids=lambda act: str(act.status),
)
def test_what_no_call_can_survive_stops_the_batch_after_one_call_v050(act: Act) -> None:
    with ScriptedServer(always(act)) as server:
        ended, ledger = run_pool(server, make_cards(100), at_once=8)

    assert ended.why
    assert ended.pause is None
    assert len(server.calls) == 1
    assert len(ledger.finished) == len(ledger.started) <= 2
    assert ledger.outcomes() == {}


def test_an_endpoint_without_response_formats_costs_two_calls_in_all() -> None:
    with ScriptedServer(always(grade(1, latency=0.02)), formats=()) as server:
        ended, ledger = run_pool(server, make_cards(50), at_once=16)

    assert ended.why is None
    assert ledger.outcomes() == dict.fromkeys(range(50), 1)
    assert len(server.calls) == 52


def _gap(server: ScriptedServer) -> float:
    return max(later.at - sooner.at for sooner, later in pairwise(server.calls))


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("1", 1.0, 1.6),
        ("0.5", 0.5, 1.1),
        ("date ahead", 0.5, 2.8),
        ("date past", 0.0, 0.4),
        ("-5", 0.2, 0.9),
        ("nan", 0.2, 0.9),
        ("inf", 0.2, 0.9),
        ("abc", 0.2, 0.9),
        (None, 0.2, 0.9),
    ],
)
def test_a_rate_limit_holds_back_all_workers_as_long_as_asked_v049(
    header: str | None, least: float, most: float
) -> None:
    if header is not None and header.startswith("date"):
        delta = timedelta(seconds=2 if header == "date ahead" else -3600)
        header = format_datetime(datetime.now(UTC) + delta, usegmt=True)
    named = {} if header is None else {"retry_after": header}
    with ScriptedServer(in_turn([grade(2), status(429, **named)], grade(2))) as server:
        _, ledger = run_pool(server, make_cards(24), at_once=8)

    assert ledger.outcomes() == dict.fromkeys(range(24), 2)
    assert len(server.calls) == 25
    assert least <= _gap(server) + 0.02
    assert _gap(server) < most + 0.4


def test_a_wait_beyond_the_cap_pauses_the_batch_visibly_v049() -> None:
    with ScriptedServer(in_turn([grade(2)], status(429, retry_after="198300"))) as server:
        started = time.monotonic()
        ended, ledger = run_pool(server, make_cards(50), at_once=8)

    assert ended.pause == 198_300
    assert ended.why is not None
    assert "rate limit" in ended.why
    assert time.monotonic() - started < 2
    assert len(server.calls) < 12
    assert ledger.outcomes() == {0: 2}


def test_a_batch_can_be_stopped_while_it_waits_out_a_pause_v049() -> None:
    latest = time.monotonic() + 1.0
    with ScriptedServer(always(status(429, retry_after="60"))) as server:
        started = time.monotonic()
        ended, _ = run_pool(server, make_cards(50), stop_when=lambda: time.monotonic() > latest)

    assert ended.asked_to_stop
    assert time.monotonic() - started < 3
    assert len(server.calls) <= 8


def test_hung_calls_hold_up_nobody_else_and_end_as_timeouts_v051() -> None:
    acts = {f"pair-{n}.": HANG for n in range(0, 50, 5)}
    once = Policy(max_tries=1)
    with ScriptedServer(by_marker(acts, GOOD)) as server:
        started = time.monotonic()
        _, ledger = run_pool(server, make_cards(50), at_once=10, policy=once)
        took = time.monotonic() - started
        server.script = GOOD
        late = [pair for pair in make_cards(50) if ledger.outcomes()[pair[0]] == Kind.TIMEOUT]
        _, healed = run_pool(server, late)

    assert len(late) == 10
    assert took < 3
    assert set(healed.outcomes().values()) == {2}
    assert len(healed.started) == 10


def test_stopping_cuts_off_calls_in_flight_and_leaves_their_pairs_open_v052() -> None:
    latest = time.monotonic() + 0.3
    with ScriptedServer(always(HANG)) as server:
        started = time.monotonic()
        ended, ledger = run_pool(
            server,
            make_cards(50),
            stop_when=lambda: time.monotonic() > latest,
            limits=Limits(total=30),
        )
        took = time.monotonic() - started

    assert ended.asked_to_stop
    assert took < 2
    assert ledger.outcomes() == {}
    assert len(ledger.finished) == len(ledger.started) >= 1


def test_stopping_lets_quick_calls_finish() -> None:
    with ScriptedServer(always(grade(2, latency=0.2))) as server:
        _, ledger = run_pool(
            server, make_cards(500), stop_when=lambda: len(server.calls) > 20, at_once=8
        )

    assert len(ledger.outcomes()) == len(server.calls)
    assert len(ledger.finished) == len(ledger.started)


def test_one_bad_pair_leaves_the_rest_whole_v053() -> None:
    acts = {f"pair-{n}.": status(400) for n in (2, 5, 8)}
    with ScriptedServer(by_marker(acts, sensible)) as server:
        ended, ledger = run_pool(server, make_cards(10))

    failed = [n for n, outcome in ledger.outcomes().items() if outcome == Kind.BAD_REQUEST]
    assert ended.why is None
    assert sorted(failed) == [2, 5, 8]
    assert len(ledger.outcomes()) == 10


def test_a_ledger_that_fails_ends_the_pool_with_its_error() -> None:
    class Full(MemoryLedger):
        def write(self, *_: object) -> Sequence[int]:
            raise OSError("disk full")

    async def run(server: ScriptedServer) -> None:
        async with make_judge(server) as judge:
            await grade_all(judge, make_cards(9), Full(), should_stop=lambda: False)

    with ScriptedServer(GOOD) as server, pytest.raises(OSError, match="disk full"):
        asyncio.run(run(server))
    assert server.calls == []


def test_pairs_are_pulled_only_as_they_are_needed() -> None:
    pulled: list[int] = []

    def pairs() -> Iterator[tuple[int, Card]]:
        for number, card in make_cards(300):
            pulled.append(number)
            assert len(pulled) - len(server.calls) <= 16
            yield number, card

    with ScriptedServer(GOOD) as server:
        _, ledger = run_pool(server, pairs(), at_once=8)

    assert len(ledger.outcomes()) == 300


def test_no_pairs_need_no_calls() -> None:
    with ScriptedServer(GOOD) as server:
        ended, ledger = run_pool(server, [])

    assert ended.why is None
    assert (server.calls, ledger.started) == ([], [])
