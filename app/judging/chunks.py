"""Chunks: the work of one job, some hundred pairs of a batch asked of its judge."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.assignment.service import ItemCard, JudgeGrade
from app.db import Database, now, transaction
from app.domain.cards import Card
from app.errors import AppError, Invalid
from app.judging import batches, judges, store, store_pairs
from app.judging.answers import Failure, Verdict
from app.judging.ledger import Finished
from app.judging.line import shared_line
from app.judging.llm import JudgeClient
from app.judging.policy import Policy
from app.judging.pool import Ended, grade_all
from app.models import Batch, Grader, Judge
from app.outside.transport import Endpoint, Limits
from app.settings import read_secret

LIMITS = Limits(connect=10.0, total=120.0)
CARDS = 50  # cards read at a time
GOING = ("planned", "running")


@dataclass(frozen=True, slots=True)
class Task:
    """What is left of a chunk, and who is asked; ``attempt`` is that of the chunk."""

    batch_id: int
    number: int
    attempt: int
    judge: Judge
    grader: Grader
    guidelines: str
    item_ids: Sequence[int]


async def grade_chunk(
    database: Database,
    allowed: tuple[str, ...],
    batch_id: int,
    number: int,
    attempt: int,
    *,
    policy: Policy | None = None,
) -> None:
    """Ask about the pairs of a chunk that are still open; started twice, it goes on.

    No session is held while a call is in flight. ``allowed`` are the URL prefixes that may
    be called besides public addresses.
    """
    task = await asyncio.to_thread(_begin, database, batch_id, number, attempt)
    if task is None:
        return
    try:
        ended = Ended() if not task.item_ids else await _ask(database, allowed, task, policy)
    except AppError as refused:
        ended = Ended(str(refused))
    except OperationalError:
        raise  # the database is away: the job is started again
    except Exception:
        await asyncio.to_thread(_end, database, task, Ended("an unexpected error; see the log"))
        raise
    await asyncio.to_thread(_end, database, task, ended)


def endpoint_of(judge: Judge, allowed: tuple[str, ...]) -> Endpoint:
    """Return where a judge is asked, with its key.

    Raises:
        Invalid: its labels were imported, or its key is not set where this runs.
    """
    if judge.endpoint is None or judge.model is None:
        raise Invalid(f"The labels of {judge.name} were imported; nobody can be asked.")
    key = read_secret(judge.key_name) if judge.key_name else None
    return Endpoint(judge.endpoint, key, allowed)


def _begin(database: Database, batch_id: int, number: int, attempt: int) -> Task | None:
    with transaction(database) as session:
        batch = store.take_batch(session, batch_id)
        if batch.state not in GOING or not _is_ours(session, batch_id, number, attempt):
            return None
        if batch.state == "planned":
            batch.state, batch.started_at = "running", now(session)
        judge = session.get_one(Judge, batch.judge_id)
        grader = store_pairs.find_grader(session, judge.id)
        guideline = judges.guideline_of(session, judge)
        assert grader is not None, "a judge is added with its grader"
        store_pairs.settle_known(session, batch_id, number, grader.id)
        store_pairs.refuse_restricted(session, batch_id, number, judge.access)
        left = store_pairs.open_items(session, batch_id, number)
        words = guideline.text if guideline else ""
        return Task(batch_id, number, attempt, judge, grader, words, left)


def _is_ours(session: Session, batch_id: int, number: int, attempt: int) -> bool:
    chunk = store.chunk_of(session, batch_id, number)
    return chunk.attempt == attempt and chunk.state == "planned"


def open_judge(
    judge: Judge, allowed: tuple[str, ...], guidelines: str, *, limits: Limits = LIMITS
) -> JudgeClient:
    """Return a client of a judge; see :func:`endpoint_of` for what it refuses."""
    return JudgeClient(
        endpoint_of(judge, allowed),
        model=judge.model or "",
        prompt=judges.prompt_of(judge),
        parameters=judge.parameters,
        guidelines=guidelines,
        limits=limits,
        line=shared_line(judge.endpoint or "", judge.model or ""),
    )


async def _ask(
    database: Database, allowed: tuple[str, ...], task: Task, policy: Policy | None
) -> Ended:
    ledger = DatabaseLedger(database, task.batch_id, task.grader, task.judge.guideline_id)
    client = open_judge(task.judge, allowed, task.guidelines)
    async with client:
        return await grade_all(
            client,
            _read_cards(database, task.item_ids, ledger),
            ledger,
            should_stop=lambda: _should_stop(database, task),
            policy=policy,
        )


async def _read_cards(
    database: Database, item_ids: Sequence[int], ledger: "DatabaseLedger"
) -> AsyncIterator[tuple[int, Card]]:
    """Read cards some at a time, so that long documents do not stand in memory together."""
    for start in range(0, len(item_ids), CARDS):
        part = item_ids[start : start + CARDS]
        found = await asyncio.to_thread(_find_cards, database, part)
        for item_id in part:
            ledger.show(found[item_id])
            yield item_id, found[item_id].card


def _find_cards(database: Database, item_ids: Sequence[int]) -> dict[int, ItemCard]:
    with transaction(database, write=False) as session:
        return assignment.cards_of(session, item_ids)


def _should_stop(database: Database, task: Task) -> bool:
    with transaction(database, write=False) as session:
        batch = session.get_one(Batch, task.batch_id)
        ours = _is_ours(session, task.batch_id, task.number, task.attempt)
        return batch.state not in GOING or not ours


def _end(database: Database, task: Task, ended: Ended) -> None:
    with transaction(database) as session:
        batch = store.take_batch(session, task.batch_id)
        if ended.asked_to_stop or not _is_ours(
            session, task.batch_id, task.number, task.attempt
        ):
            return
        if ended.why is not None:
            batches.halt(session, batch, ended.why, ended.pause)
            return
        store.finish_chunk(session, task.batch_id, task.number)
        if batch.state != "cancelled" and not store.has_open_chunk(session, batch.id):
            batch.state, batch.why, batch.paused_until = "finished", None, None
            batch.finished_at = now(session)


class DatabaseLedger:
    """Keeps attempts, verdicts and failures in the database."""

    def __init__(
        self, database: Database, batch_id: int, grader: Grader, guideline_id: int | None
    ) -> None:
        self._database = database
        self._batch_id = batch_id
        self._grader = grader
        self._guideline_id = guideline_id
        self._cards: dict[int, ItemCard] = {}

    def show(self, card: ItemCard) -> None:
        """Remember a card about to be sent until its pair is settled."""
        self._cards[card.item_id] = card

    def write(self, started: Sequence[int], finished: Sequence[Finished]) -> Sequence[int]:
        """Store what ended and begin attempts, in one transaction."""
        with transaction(self._database) as session:
            moment = now(session)
            grades = self._write_grades(session, finished)
            store_pairs.end_attempts(session, [_describe(each) for each in finished])
            settled = [_settle(each, grades) for each in finished if each.final]
            store_pairs.end_pairs(session, self._batch_id, settled)
            ids = store_pairs.begin_attempts(session, self._batch_id, started, moment)
        for each in finished:
            if each.final:
                self._cards.pop(each.item_id, None)
        return ids

    def _write_grades(self, session: Session, finished: Sequence[Finished]) -> dict[int, int]:
        rows = [
            self._grade(each.item_id, each.answer.result)
            for each in finished
            if isinstance(each.answer.result, Verdict)
        ]
        if not rows:
            return {}
        return assignment.write_judge_grades(
            session, grader=self._grader, rows=rows, guideline_id=self._guideline_id
        )

    def _grade(self, item_id: int, verdict: Verdict) -> JudgeGrade:
        card = self._cards[item_id]
        return JudgeGrade(
            item_id,
            verdict.grade,
            verdict.reason or None,
            card.card_hash,
            card.query_version_id,
            card.document_version_id,
        )


def _describe(finished: Finished) -> dict[str, Any]:
    answer = finished.answer
    failure = answer.result if isinstance(answer.result, Failure) else None
    return {
        "attempt_id": finished.attempt_id,
        "outcome": str(failure.kind) if failure else "verdict",
        "reason": failure.detail if failure else None,
        "milliseconds": answer.milliseconds,
        "tokens_in": answer.usage.tokens_in,
        "tokens_out": answer.usage.tokens_out,
        "tokens_cached": answer.usage.tokens_cached,
        "model": answer.model,
        "answer": answer.content,
        "suspicious": answer.suspicious,
    }


def _settle(finished: Finished, grades: dict[int, int]) -> dict[str, Any]:
    result = finished.answer.result
    failed = isinstance(result, Failure)
    return {
        "for_item": finished.item_id,
        "state": "failed" if failed else "done",
        "reason": str(result.kind) if isinstance(result, Failure) else None,
        "grade_id": None if failed else grades[finished.item_id],
    }
