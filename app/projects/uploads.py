"""Uploads: files from outside under names of our own, gone when the work is done."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fastapi import UploadFile

from app.errors import Invalid
from app.formats.lines import open_file

MAX_BYTES = 4 * 2**30
"""The largest file taken."""

PIECE = 2**20
MAX_NAME = 120


@contextmanager
def saved_upload(upload: UploadFile) -> Iterator[Path]:
    """Give an upload as a file of ours; what the client calls it is never a path (V-085).

    Raises:
        Invalid: where no file was chosen, or it is too large.
    """
    if not upload.filename:
        raise Invalid("No file was chosen. Choose one and send it again.")
    with saved_stream(upload.file) as path:
        yield path


@contextmanager
def saved_stream(stream: BinaryIO, *, limit: int = MAX_BYTES) -> Iterator[Path]:
    """Give the rest of a stream as a temporary file that is removed in every case.

    Raises:
        Invalid: where there are more than ``limit`` bytes.
    """
    with tempfile.TemporaryDirectory(prefix="goldspan-") as folder:
        path = Path(folder) / "upload"
        with path.open("wb") as kept:
            _copy(stream, kept, limit)
        yield path


def _copy(stream: BinaryIO, kept: BinaryIO, limit: int) -> None:
    size = 0
    while piece := stream.read(PIECE):
        size += len(piece)
        if size > limit:
            raise Invalid(f"The file is larger than {limit:,} bytes, the limit. Split it.")
        kept.write(piece)


@contextmanager
def named_file(name: str) -> Iterator[tuple[Path, str]]:
    """Give the file that a command names, and what to call it; ``-`` is standard input.

    Raises:
        Invalid: where there is no such file.
    """
    if name == "-":
        with saved_stream(sys.stdin.buffer) as path:
            yield path, "standard input"
        return
    with open_file(name):
        yield Path(name), Path(name).name


def display_name(name: str | None) -> str:
    """Return what to call a file of a client: the last part of its name, printable, short."""
    last = (name or "").replace("\\", "/").rpartition("/")[2]
    shown = "".join(mark for mark in last if mark.isprintable()).strip()
    return "unnamed file" if shown in ("", ".", "..") else shown[-MAX_NAME:]
