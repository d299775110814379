"""Work: kinds of jobs, pieces of planned work, and who finds them."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

AT_ONCE = {"retrieval": os.cpu_count() or 1, "judging": 4}  # workflows a worker runs, by queue

Argument = int | str


class Stopped(Exception):
    """Raised by a body that ends early because its room says pause or cancel.

    The workflow is left cancelled, so that ``resume`` takes it up again; a body that merely
    returns is done for ever.
    """


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of long work; the body is a plain or an ``async`` function."""

    name: str
    queue: str
    body: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """One piece of work: which job, the key that makes it one, and ids."""

    name: str
    key: str
    args: Sequence[Argument]


Finder = Callable[[Session], Iterable[Planned]]

known: dict[str, Job] = {}
finders: list[Finder] = []


def planned(finder: Finder) -> Finder:
    """Register a finder of work still to do that a crash may have kept from its queue.

    It is called every second with a reading session: only open work, and from an index.
    """
    finders.append(finder)
    return finder
