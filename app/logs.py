"""Logs: one line an event, plain tracebacks, never the values of variables."""

import logging
import sys

import structlog


def configure(level: int = logging.INFO) -> None:
    """Write events of a level and above to stderr as key and value.

    Libraries speak from warnings up.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_print_to_stderr,
    )


def _print_to_stderr(*_: object) -> structlog.PrintLogger:
    return structlog.PrintLogger(sys.stderr)  # as it is now: a test may have exchanged it
