"""Jobs of retrieval: one durable piece of work a run."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from app import jobs
from app.db import Database
from app.jobs import Planned
from app.retrieval import service


@jobs.define(service.JOB, queue="retrieval")
def retrieve_run(database: Database, run_id: int) -> None:
    """Answer a run's queries; started twice, it goes on where it stopped."""
    # Imported here: the libraries of search take seconds, and only a worker needs them.
    from app.retrieval.answering import answer_run

    answer_run(database, jobs.worker_settings(), run_id)


@jobs.planned
def planned_runs(session: Session) -> Iterable[Planned]:
    """Find the runs that are not over."""
    return [
        Planned(service.JOB, service.job_key(run), (run.id,))
        for run in service.open_runs(session)
    ]
