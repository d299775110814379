"""Trying: one call with a made-up card, to learn whether a judge can be asked."""

import asyncio
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.db import Database, transaction
from app.domain.cards import Card
from app.errors import AppError
from app.judging import batches, judges, store, store_pairs
from app.judging.answers import Verdict
from app.judging.batches import Scope
from app.judging.prompts import Message, render
from app.models import Attempt, Batch, Judge, Project

MADE_UP = Card(
    query="How long is an opened item returnable?",
    need="Complete if it names the period.",
    title_path=("Returns",),
    before="",
    span="An opened item may be returned within 14 days.",
    after="",
)
NEWEST = 20


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a try: a grade and its reason, or None and why there is none."""

    grade: int | None
    words: str
    milliseconds: float
    model: str | None = None


def try_judge(judge: Judge, allowed: tuple[str, ...]) -> Tried:
    """Ask a judge once about a made-up passage; nothing of the project is sent or stored."""
    # Imported here: the client takes a second to load, and only this needs it in the web.
    from app.judging.chunks import open_judge
    from app.outside.transport import Limits

    async def ask() -> Tried:
        async with open_judge(judge, allowed, "", limits=Limits(total=30.0)) as client:
            answer = await client.ask(MADE_UP)
        took, model = answer.milliseconds, answer.model
        if isinstance(answer.result, Verdict):
            return Tried(answer.result.grade, answer.result.reason, took, model)
        return Tried(None, f"{answer.result.kind}: {answer.result.detail}", took, model)

    try:
        return asyncio.run(ask())
    except AppError as refused:
        return Tried(None, str(refused), 0.0)


def reading(database: Database) -> AbstractContextManager[Session]:
    """Open a session for a page that must not hold one all the time."""
    return transaction(database, write=False)


def example_prompt(
    session: Session, project: Project, judge: Judge, scope: Scope
) -> list[Message]:
    """Return the messages of one call of a launch as they would be sent; none if no call."""
    wanted = batches.want(session, project, judge, scope)
    sample = store_pairs.sample_wanted(session, wanted, 1, 1)
    if not sample:
        return []
    guideline = judges.guideline_of(session, judge)
    card = assignment.card_of(session, sample[0]).card
    words = guideline.text if guideline else ""
    return render(judges.prompt_of(judge), card, guidelines=words)


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call as pages show it."""

    call: Attempt
    query: str
    title: str


def newest_calls(session: Session, batch: Batch) -> list[ShownCall]:
    """Return the newest calls of a batch with the query and the document they were about."""
    return [ShownCall(*row) for row in store.newest_calls(session, batch.id, NEWEST)]
