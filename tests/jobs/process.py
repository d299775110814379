"""Process: what the tests start beside themselves, a worker or somebody who enqueues."""

import signal
import sys
import threading

from app import jobs
from app.db import open_database, transaction
from app.settings import Settings
from tests.jobs import rows


def work(url: str, dead_after: str) -> None:
    database = open_database(url)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    jobs.run_worker(database, Settings(), stop=stop, dead_after=float(dead_after))
    database.close()


def enqueue(url: str, prefix: str, count: str) -> None:
    """Want and enqueue ``count`` names of three units, one transaction each."""
    database = open_database(url)
    for number in range(int(count)):
        name = f"{prefix}{number}"
        with transaction(database) as session:
            rows.want_rows(session, name, units=3)
            jobs.after_commit(session, "test-write", key=name, args=(name,))
    database.close()


if __name__ == "__main__":
    work(*sys.argv[1:])
