"""Batches: one launch of a judge over pairs, and what may be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from app import jobs
from app.assignment import service as assignment
from app.db import now
from app.errors import Conflict, Invalid, NotFound
from app.judging import judges, store, store_pairs
from app.judging.prompts import estimate_tokens, render
from app.judging.store_pairs import Wanted
from app.models import Batch, Judge, Project
from app.pooling import service as pooling
from app.projects import service as projects
from app.queries import service as queries

CHUNK = 400  # pairs of one job
AHEAD = 50  # jobs of one batch that wait in the queue; the sweep brings the rest
SAMPLE = 24
JOB = "judge-chunk"
WAKE = "judge-wake"
KINDS = ("unjudged", "validation", "pool", "slice")


@dataclass(frozen=True, slots=True)
class Scope:
    """Which pairs a judge is asked about; always only those it has not graded."""

    kind: str
    """unjudged: nobody graded them; validation: the sample; pool: all; slice: by a tag."""
    tag: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        """The scope as one writes it on the command line."""
        return f"{self.tag}={self.value}" if self.kind == "slice" else self.kind


def read_scope(text: str) -> Scope:
    """Read unjudged, validation, pool, or TAG=VALUE for the queries with that tag.

    Raises:
        Invalid: it is none of these.
    """
    if text in KINDS[:3]:
        return Scope(text)
    tag, equals, value = text.partition("=")
    if not (tag and equals and value):
        raise Invalid(
            f"{text!r} is no scope. Say unjudged, validation, pool, "
            "or TAG=VALUE for the queries that have this tag."
        )
    return Scope("slice", tag, value)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a launch would ask: pairs, tokens sent in all (a guess), pairs access refuses."""

    pairs: int
    tokens: int
    refused: int


def preview_batch(session: Session, project: Project, judge: Judge, scope: Scope) -> Preview:
    """Count what a launch would ask, and guess its tokens from prompts of a sample.

    Raises:
        Invalid: the judge cannot be asked.
        NotFound: there is no pool.
    """
    wanted = want(session, project, judge, scope)
    pairs, refused = store_pairs.count_wanted(session, wanted)
    sample = store_pairs.sample_wanted(session, wanted, pairs, SAMPLE) if pairs else []
    return Preview(pairs, round(pairs * _mean_tokens(session, judge, sample)), refused)


def _mean_tokens(session: Session, judge: Judge, item_ids: Sequence[int]) -> float:
    if not item_ids:
        return 0.0
    prompt, guideline = judges.prompt_of(judge), judges.guideline_of(session, judge)
    guidelines = guideline.text if guideline else ""
    cards = assignment.cards_of(session, item_ids).values()
    sizes = [
        estimate_tokens(render(prompt, each.card, guidelines=guidelines)) for each in cards
    ]
    return sum(sizes) / len(sizes)


def want(session: Session, project: Project, judge: Judge, scope: Scope) -> Wanted:
    """Say which items a launch would ask about.

    Raises:
        Invalid: the judge cannot be asked.
        NotFound: there is no pool, or no query with the tag.
    """
    if judge.endpoint is None:
        raise Invalid(f"The labels of {judge.name} were imported; nobody can be asked.")
    grader = store_pairs.find_grader(session, judge.id)
    if grader is None:
        raise NotFound(f"{judge.name} has no grader in this project.")
    return Wanted(
        pool_id=pooling.pool_of(session, project.id).id,
        grader_id=grader.id,
        access=judge.access,
        ungraded=scope.kind == "unjudged",
        validation=scope.kind == "validation",
        query_refs=_find_queries(session, project, scope) if scope.kind == "slice" else None,
    )


def _find_queries(session: Session, project: Project, scope: Scope) -> list[int]:
    found = [
        query.query_ref
        for query in queries.list_current(session, project.id)
        if _has_tag(query.tags.get(scope.tag), scope.value)
    ]
    if not found:
        raise NotFound(f"No query has the tag {scope.text}.")
    return found


def _has_tag(held: Any, value: str) -> bool:
    return value in held if isinstance(held, list) else held == value


def launch(
    session: Session, project: Project, judge: Judge, scope: Scope, *, by: int | None = None
) -> Batch:
    """Ask a judge about the pairs of a scope; workers take it from there.

    Raises:
        Conflict: the judge is at work already, or has graded all of these pairs.
        Invalid: the judge cannot be asked.
        NotFound: there is no pool.
    """
    projects.lock(session, project.id)
    if store.has_work(session, judge.id):
        raise Conflict(
            f"{judge.name} is at work already. Wait until its batch has finished, or cancel it."
        )
    wanted = want(session, project, judge, scope)
    batch = Batch(
        project_id=project.id,
        judge_id=judge.id,
        scope={"kind": scope.kind, "text": scope.text},
        pairs=0,
        user_id=by,
        created_at=now(session),
    )
    session.add(batch)
    session.flush()
    batch.pairs = store_pairs.add_pairs(session, batch.id, wanted, CHUNK)
    if not batch.pairs:
        raise Conflict(
            f"There is nothing to ask: {judge.name} has graded all pairs of this scope."
        )
    store.add_chunks(session, batch.id, -(-batch.pairs // CHUNK))
    what = f"{judge.name} about {batch.pairs:,} pairs ({scope.text})"
    projects.record(session, project.id, "asked judge", what, by=by)
    _send(session, batch)
    return batch


def key_of(batch_id: int, number: int, attempt: int) -> str:
    """Return the key of the job that works through a chunk."""
    return f"judge-{batch_id}-{number}-{attempt}"


def _send(session: Session, batch: Batch) -> None:
    session.flush()
    for number, attempt in store.open_chunks(session, batch.id, AHEAD):
        key = key_of(batch.id, number, attempt)
        jobs.after_commit(session, JOB, key=key, args=(batch.id, number, attempt))


def batch_by_number(session: Session, project_id: int, number: int | None = None) -> Batch:
    """Return a batch by its number in the project, the newest without one."""
    if number is None:
        everything = store.batches_of(session, project_id)
        found = everything[-1] if everything else None
    else:
        found = store.batch_by_number(session, project_id, number)
    if found is None:
        raise NotFound(f"There is no batch {number}." if number else "There is no batch yet.")
    return found


def _take(session: Session, batch: Batch, allowed: Sequence[str], verb: str) -> Batch:
    taken = store.take_batch(session, batch.id)
    if taken.state not in allowed:
        raise Conflict(f"This batch is {taken.state}, so it cannot be {verb}.")
    return taken


def _record(session: Session, batch: Batch, verb: str, by: int | None) -> None:
    number = store.number_of(session, batch)
    projects.record(session, batch.project_id, verb, f"batch {number}", by=by)


def pause(session: Session, batch: Batch, *, by: int | None = None) -> None:
    """Begin no more calls; those in flight have half a second."""
    taken = _take(session, batch, ("planned", "running"), "paused")
    taken.state, taken.why, taken.paused_until = "paused", None, None
    _record(session, taken, "paused", by)


def resume(session: Session, batch: Batch, *, by: int | None = None) -> None:
    """Go on with a batch that is paused or was stopped."""
    taken = _take(session, batch, ("paused", "stopped"), "resumed")
    _go_on(session, taken)
    _record(session, taken, "resumed", by)


def cancel(session: Session, batch: Batch, *, by: int | None = None) -> None:
    """End a batch; its verdicts stay, its open pairs are asked no more."""
    taken = _take(session, batch, ("planned", "running", "paused", "stopped"), "cancelled")
    taken.state, taken.why, taken.paused_until = "cancelled", None, None
    taken.finished_at = now(session)
    _record(session, taken, "cancelled", by)


def retry_failed(session: Session, batch: Batch, *, by: int | None = None) -> None:
    """Ask once more about the pairs that failed, and go on.

    Raises:
        Conflict: the batch is at work, was cancelled, its judge is at work, or none failed.
    """
    taken = _take(session, batch, ("finished", "stopped", "paused"), "tried again")
    if taken.state == "finished" and store.has_work(session, taken.judge_id):
        raise Conflict("The judge is at work on another batch. Wait until it has finished.")
    if not store.count_pairs(session, taken.id).get("failed"):
        raise Conflict("No pair of this batch has failed.")
    store.reopen_failed(session, taken.id)
    _go_on(session, taken)
    _record(session, taken, "tried failed pairs again", by)


def wake(session: Session, batch_id: int) -> None:
    """Go on with a batch whose pause, asked for by the endpoint, is over."""
    batch = store.take_batch(session, batch_id)
    if batch.state == "paused" and batch.paused_until and batch.paused_until <= now(session):
        _go_on(session, batch)


def _go_on(session: Session, batch: Batch) -> None:
    batch.state, batch.why, batch.paused_until = "running", None, None
    batch.finished_at = None
    store.send_again(session, batch.id)
    _send(session, batch)


def halt(session: Session, batch: Batch, why: str, pause: float | None = None) -> None:
    """Stop a batch at work, or let it wait ``pause`` seconds, and say why in words."""
    if batch.state not in ("planned", "running"):
        return
    batch.why = why
    batch.state = "stopped" if pause is None else "paused"
    if pause is not None:
        batch.paused_until = now(session) + timedelta(seconds=pause)


def planned_work(session: Session) -> list[jobs.Planned]:
    """Return the next chunks of the batches at work, and the wakings that are due."""
    work: list[jobs.Planned] = []
    for batch in store.batches_at_work(session):
        if batch.state != "paused":
            work += [
                jobs.Planned(JOB, key_of(batch.id, number, tries), (batch.id, number, tries))
                for number, tries in store.open_chunks(session, batch.id, AHEAD)
            ]
        elif batch.paused_until is not None and batch.paused_until <= now(session):
            work.append(
                jobs.Planned(WAKE, _key_of_waking(batch, batch.paused_until), (batch.id,))
            )
    return work


def _key_of_waking(batch: Batch, due: datetime) -> str:
    return f"judge-wake-{batch.id}-{due.timestamp():.6f}"
