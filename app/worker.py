"""Worker: the process that does long work, apart from the web."""

import signal
import threading

from app import jobs
from app.db import open_database
from app.settings import load_settings

# A room with long work is imported here plainly, so that its jobs are known:
#     from app.judging import jobs as _judging


def main() -> None:
    """Work until SIGTERM or SIGINT; what is unfinished goes back to its queue."""
    settings = load_settings()
    database = open_database(settings.database)
    stop = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stop.set())
    try:
        jobs.run_worker(database, settings, stop=stop)
    finally:
        database.close()
