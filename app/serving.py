"""Serving: the web server, with one worker beside it."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import structlog
import uvicorn

from app import jobs, logs, schema
from app.db import open_database
from app.main import create_app
from app.settings import Settings, load_settings

log = structlog.get_logger()

RESTART_AFTER = 2.0
STOP_WITHIN = 15.0
AT_ONCE = 250  # connections to one web process; fewer than its threads (app.main.THREADS)


def prepare(settings: Settings) -> None:
    """Bring our tables and the job engine's to the newest schema."""
    database = open_database(settings.database)
    try:
        schema.upgrade(database)
    finally:
        database.close()
    jobs.migrate(settings.database)


def at_port(settings: Settings, host: str, port: int) -> Settings:
    """Return the settings with the address of a server on this machine, unless one was set."""
    if "public_url" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"public_url": f"http://{host}:{port}"})


def serve(*, host: str, port: int, processes: int, with_worker: bool) -> None:
    """Migrate, then serve until told to stop."""
    logs.configure()
    settings = at_port(load_settings(), host, port)
    prepare(settings)
    several = processes > 1
    # The server raises the signal again when it is done; then the worker is ended as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with _worker_beside() if with_worker else nullcontext():
        uvicorn.run(
            "app.main:create_app" if several else create_app(settings),
            factory=several,
            host=host,
            port=port,
            workers=processes,
            access_log=False,  # it would hold the tokens of personal links
            log_level="warning",
            limit_concurrency=AT_ONCE,
            timeout_graceful_shutdown=5,
        )


@contextmanager
def _worker_beside() -> Iterator[None]:
    """Keep one worker process alive for as long as the web server runs.

    The worker ends when its standard input does, so that it does not outlive a web server
    that was killed.
    """
    stop = threading.Event()
    keeper = threading.Thread(target=_keep_worker, args=(stop,), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join(STOP_WITHIN + RESTART_AFTER)


def _keep_worker(stop: threading.Event) -> None:
    while not stop.is_set():
        child = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "worker", "--beside"], stdin=subprocess.PIPE
        )
        while child.poll() is None and not stop.wait(0.2):
            pass
        if child.poll() is not None and not stop.wait(RESTART_AFTER):
            log.warning("the worker ended and is started again", code=child.returncode)
            continue
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    child.terminate()
    try:
        child.wait(STOP_WITHIN)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
