"""Queue: what rooms say about work, once their transaction stands."""

from collections.abc import Sequence

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app import db
from app.db import Database
from app.jobs import engine
from app.jobs.work import Argument, Planned, known


def after_commit(session: Session, name: str, *, key: str, args: Sequence[Argument]) -> None:
    """Enqueue a job once the transaction stands; the same key again changes nothing."""
    if name not in known:
        raise LookupError(f"There is no job {name}: import the room's jobs module.")
    if not all(isinstance(each, int | str) for each in args):
        raise TypeError(f"A job gets ids only, not {args}.")
    waiting: list[Planned] = session.info.setdefault("jobs", [])
    if not waiting:
        bound = session.get_bind().engine
        db.after_commit(session, lambda: _hand_over(bound, waiting))
    waiting.append(Planned(name, key, tuple(args)))


def cancel_after_commit(session: Session, keys: Sequence[str]) -> None:
    """Take jobs off their queues once the transaction stands; see ``cancel``."""
    bound = session.get_bind().engine
    db.after_commit(
        session, lambda: engine.attempt(lambda: engine.cancel(bound, keys), "cancel")
    )


def cancel(database: Database, keys: Sequence[str]) -> None:
    """Take jobs off their queues; a running body goes on until it polls its room's state."""
    engine.cancel(database.writer, keys)


def resume(database: Database, keys: Sequence[str]) -> None:
    """Put cancelled jobs back on their queues; all others stay as they are.

    Pause by the room's state first: a body still running when its job is resumed goes on
    beside the new one, which is wasteful, not wrong.
    """
    with engine.connect(database.writer) as (client, _):
        for part in engine.split_in_parts(keys):
            engine.requeue(
                client,
                engine.list_workflows(client, workflow_ids=list(part), status="CANCELLED"),
            )


def _hand_over(bound: Engine, waiting: list[Planned]) -> None:
    """Enqueue what was committed; what fails here is found by the sweep."""
    engine.attempt(lambda: engine.enqueue(bound, waiting), "enqueue")
