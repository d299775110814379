"""Reports: how a batch stands, counted from its rows."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from app.db import now
from app.judging import store
from app.models import Batch, Judge

RECENT = 300  # calls that the pace is taken from


@dataclass(frozen=True, slots=True)
class Standing:
    """How a batch stands now; pairs are ``done`` + ``failed`` + ``open``."""

    number: int
    judge: str
    scope: str
    state: str
    why: str | None
    pairs: int
    done: int
    failed: int
    reasons: tuple[tuple[str, int], ...]
    unknown_calls: int
    """Calls that were sent and of which nobody knows how they ended; possibly charged."""
    seconds_left: float | None
    """A guess from the latest calls, while it runs."""

    @property
    def open(self) -> int:
        """Pairs still to be asked about."""
        return self.pairs - self.done - self.failed

    @property
    def is_over(self) -> bool:
        """Whether nothing happens unless somebody acts."""
        return self.state in ("finished", "stopped", "cancelled", "paused")

    @property
    def words(self) -> str:
        """The state as people read it; finished with holes says so."""
        if self.state == "finished" and self.failed:
            return f"finished, {self.failed:,} failed"
        return {"planned": "waiting for a worker"}.get(self.state, self.state)

    def as_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        return {
            "batch": self.number,
            "judge": self.judge,
            "scope": self.scope,
            "state": self.state,
            "why": self.why,
            "pairs": self.pairs,
            "done": self.done,
            "failed": self.failed,
            "open": self.open,
            "reasons": dict(self.reasons),
            "unknown_calls": self.unknown_calls,
        }


def standing_of(session: Session, batch: Batch, number: int | None = None) -> Standing:
    """Return how a batch stands."""
    counts = store.count_pairs(session, batch.id)
    left = counts.get("open", 0)
    running = batch.state == "running"
    return Standing(
        number=number or store.number_of(session, batch),
        judge=session.get_one(Judge, batch.judge_id).name,
        scope=batch.scope.get("text", ""),
        state=batch.state,
        why=batch.why,
        pairs=batch.pairs,
        done=counts.get("done", 0),
        failed=counts.get("failed", 0),
        reasons=tuple(store.count_reasons(session, batch.id)) if counts.get("failed") else (),
        unknown_calls=0 if running else store.count_unknown(session, batch.id),
        seconds_left=_guess_seconds(session, batch, left) if running else None,
    )


def _guess_seconds(session: Session, batch: Batch, left: int) -> float | None:
    starts = store.newest_starts(session, batch.id, RECENT)
    verdicts = sum(outcome == "verdict" for _, outcome in starts)
    if not verdicts:
        return None
    took = now(session) - min(started for started, _ in starts)
    return left * max(took, timedelta(seconds=0.1)).total_seconds() / verdicts


@dataclass(frozen=True, slots=True)
class Calls:
    """What the calls of a batch took. Cached tokens are a part of those that went in."""

    calls: int
    counted: int
    """Calls of which the server said how many tokens they took."""
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    suspicious: int
    """Calls about cards that hold text which seems to dictate a grade."""


def calls_of(session: Session, batch: Batch) -> Calls:
    """Sum up all calls of a batch; reads every one of them."""
    return Calls(*store.sum_calls(session, batch.id))


def batches_of(
    session: Session, project_id: int, judge: Judge | None = None
) -> list[tuple[int, Batch]]:
    """Return the batches of a project or one judge with their numbers, newest first."""
    numbered = list(enumerate(store.batches_of(session, project_id), start=1))
    return [
        (number, batch)
        for number, batch in reversed(numbered)
        if judge is None or batch.judge_id == judge.id
    ]
