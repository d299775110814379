"""Jobs of judging: one durable piece of work a chunk of a batch, and wakings."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from app import jobs
from app.db import Database, transaction
from app.jobs import Planned
from app.judging import service


@jobs.define(service.JOB, queue="judging")
async def grade_chunk(database: Database, batch_id: int, number: int, attempt: int) -> None:
    """Ask about the pairs of a chunk that are still open."""
    # Imported here: the client takes a second to load, and only a worker needs it.
    from app.judging.chunks import grade_chunk as work_through

    allowed = jobs.worker_settings().endpoints
    await work_through(database, allowed, batch_id, number, attempt)


@jobs.define(service.WAKE, queue="judging")
def wake_batch(database: Database, batch_id: int) -> None:
    """Go on with a batch that the endpoint asked to wait."""
    with transaction(database) as session:
        service.wake(session, batch_id)


@jobs.planned
def planned_work(session: Session) -> Iterable[Planned]:
    """Find the chunks of batches at work, and the pauses that are over."""
    return service.planned_work(session)
