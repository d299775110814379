"""Streaming: long files, written aside first and sent from there."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from threading import BoundedSemaphore
from typing import BinaryIO
from urllib.parse import quote

from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from app.db import Database, transaction
from app.errors import TooMany

Blocks = Iterator[bytes]
PIECE = 2**18
AT_ONCE = BoundedSemaphore(4)
"""How many files of one process are made at the same time, so that pages go on (V-096)."""
PATIENCE = 30.0  # seconds


class Attachment(StreamingResponse):
    """A download that is written to a temporary file first.

    The database is read as fast as it answers and then left alone: a slow client would hold a
    connection for as long as it reads, and a failure half way is a refusal, not half a file.
    """

    def __init__(
        self, database: Database, make: Callable[[Session], Blocks], *, name: str, kind: str
    ) -> None:
        self._database, self._make = database, make
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        super().__init__(
            iter(()), media_type=kind, headers={"Content-Disposition": disposition}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with tempfile.TemporaryFile(prefix="goldspan-") as kept:
            size = await run_in_threadpool(_write, kept, self._database, self._make)
            self.headers["Content-Length"] = str(size)
            self.body_iterator = _read(kept)
            await super().__call__(scope, receive, send)


def _write(kept: BinaryIO, database: Database, make: Callable[[Session], Blocks]) -> int:
    if not AT_ONCE.acquire(timeout=PATIENCE):
        raise TooMany("Many files are being made. Try again in a minute.", retry_after=60)
    try:
        with transaction(database, write=False) as session:
            kept.writelines(make(session))
    finally:
        AT_ONCE.release()
    size = kept.tell()
    kept.seek(0)
    return size


async def _read(kept: BinaryIO) -> AsyncIterator[bytes]:
    while piece := await run_in_threadpool(kept.read, PIECE):
        yield piece
