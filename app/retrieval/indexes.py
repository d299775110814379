"""Indexes: caches on disk, built once from the database and rebuilt when missing."""

import fcntl
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.retrieval import analysis

UNUSED = 7 * 24 * 3600
"""Seconds after which an index of an older corpus is removed."""


def folder_of(cache: Path, project_id: int, fingerprint: str, chunking: str) -> Path:
    """Return the folder of all indexes of one corpus, cut one way."""
    basis = f"{project_id} {fingerprint} {analysis.VERSION}".encode()
    corpus = f"{project_id}-{hashlib.sha256(basis).hexdigest()[:16]}"
    return cache / "indexes" / corpus / chunking.replace(":", "-")


def ensure(folder: Path, build: Callable[[Path], None], *, resumable: bool = False) -> Path:
    """Return ``folder``, built first where it is missing.

    One process builds at a time, in a neighbouring folder that takes its name only when
    complete. What a ``resumable`` build left behind unfinished is given to the next one.
    """
    with _lock(folder):
        if not folder.is_dir():
            making = folder.with_name(folder.name + ".making")
            if not resumable:
                shutil.rmtree(making, ignore_errors=True)
            making.mkdir(exist_ok=True)
            build(making)
            making.rename(folder)
    return folder


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(folder.name + ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def remove_unused(folder: Path) -> None:
    """Remove indexes of the project's earlier corpora, a week after their last use."""
    mine = folder.parent
    project = mine.name.split("-")[0]
    mine.mkdir(parents=True, exist_ok=True)
    mine.touch()
    for other in mine.parent.glob(f"{project}-*"):
        if other != mine and time.time() - other.stat().st_mtime > UNUSED:
            shutil.rmtree(other, ignore_errors=True)
