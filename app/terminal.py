"""Terminal: what every command shares: the database, words on stderr, JSON on stdout."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from sqlalchemy.exc import OperationalError

from app import jobs, logs, schema
from app.db import Database, open_database
from app.errors import AppError
from app.settings import Settings, load_settings


@contextmanager
def opened(*, as_it_is: bool = False) -> Iterator[tuple[Database, Settings]]:
    """Open the database of the settings for one command.

    A new one gets its tables first, so that every command may be the first; one that another
    Goldspan wrote is refused. ``as_it_is`` leaves both to the command.
    """
    logs.configure(logging.WARNING)  # a command says its progress in its own words
    settings = load_settings()
    database = open_database(settings.database)
    try:
        if not as_it_is:
            _make_ready(database, settings)
        yield database, settings
    finally:
        database.close()


def _make_ready(database: Database, settings: Settings) -> None:
    if schema.is_empty(database):
        schema.upgrade(database)
        jobs.migrate(settings.database)
        say("Made a new database.")
    schema.check(database)


def say(*lines: str) -> None:
    """Tell the person something, on stderr, so that stdout stays for data."""
    for line in lines:
        typer.echo(line, err=True)


def emit(value: Any) -> None:
    """Write one JSON value to stdout; NaN is a defect, never written."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1))


def show(*lines: str) -> None:
    """Write the answer of a command to stdout."""
    for line in lines:
        typer.echo(line)


def answer(*lines: str, as_json: bool) -> None:
    """Write the answer of a command: to stdout, or to stderr where JSON goes to stdout."""
    (say if as_json else show)(*lines)


def run(app: typer.Typer) -> None:
    """Run a command: 0 done, 1 refused with the reasons on stderr, 2 wrong usage."""
    try:
        app()
    except AppError as refusal:
        lines = getattr(refusal, "lines", None)
        say(*(lines() if callable(lines) else [str(refusal)]))
        sys.exit(1)
    except OperationalError as lost:
        if lost.statement is not None:  # a defect of ours, not a database out of reach
            raise
        say(f"The database cannot be used: {str(lost.orig).strip()}")
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
