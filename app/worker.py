"""Worker: the process that does long work, apart from the web."""

import os
import signal
import sys
import threading

from app import jobs, logs
from app.db import open_database
from app.judging import jobs as _judging_jobs  # noqa: F401 - makes its work known
from app.retrieval import jobs as _retrieval_jobs  # noqa: F401 - makes its work known
from app.settings import load_settings


def work(*, beside: bool = False) -> None:
    """Work until SIGTERM or SIGINT; what is unfinished goes back to its queue.

    A worker ``beside`` a web server also stops when its standard input ends, which is when
    the server is gone, however it went.
    """
    logs.configure()
    settings = load_settings()
    database = open_database(settings.database)
    stop = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stop.set())
    if beside:
        threading.Thread(target=_stop_at_end_of_input, args=(stop,), daemon=True).start()
    try:
        jobs.run_worker(database, settings, stop=stop)
    finally:
        database.close()


def is_working() -> bool:
    """Tell whether some worker is alive, for health checks."""
    database = open_database(load_settings().database)
    try:
        return jobs.is_worker_alive(database)
    finally:
        database.close()


def _stop_at_end_of_input(stop: threading.Event) -> None:
    # Not through sys.stdin: its lock, held by a daemon thread, would abort the interpreter.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    stop.set()
