"""Process: a worker that the tests start beside themselves, and kill."""

import signal
import threading

from app import jobs
from app.db import open_database
from app.judging import chunks as _chunks  # noqa: F401 - imported once, before the forks
from app.judging import jobs as _jobs  # noqa: F401 - makes its work known
from app.settings import Settings


def work(url: str, endpoint: str, dead_after: str) -> None:
    """Work until told to stop; the endpoint may be called."""
    database = open_database(url)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    settings = Settings(allowed_endpoints=endpoint)
    jobs.run_worker(database, settings, stop=stop, dead_after=float(dead_after))
    database.close()
