"""Jobs: long work as durable workflows; the one door to dbos.

A body gets the database and the ids it was enqueued with. It may be started twice for one
key (a worker killed, or frozen and back again), so it re-reads what is missing.
"""

from app.jobs.bodies import define, worker_settings
from app.jobs.engine import migrate
from app.jobs.queue import after_commit, cancel, cancel_after_commit, resume
from app.jobs.sweep import is_worker_alive
from app.jobs.work import Planned, Stopped, planned
from app.jobs.worker import run_worker, work_until

__all__ = [
    "Planned",
    "Stopped",
    "after_commit",
    "cancel",
    "cancel_after_commit",
    "define",
    "is_worker_alive",
    "migrate",
    "planned",
    "resume",
    "run_worker",
    "work_until",
    "worker_settings",
]
