"""Streaming: long files sent from a reading session of their own."""

from collections.abc import Callable, Generator, Iterator
from urllib.parse import quote

from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send

from app.db import Database, transaction

Blocks = Iterator[bytes]


class Attachment(StreamingResponse):
    """A download that is made while it is sent; its session ends with it, sent or not."""

    def __init__(
        self, database: Database, make: Callable[[Session], Blocks], *, name: str, kind: str
    ) -> None:
        self._blocks = _read(database, make)
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        super().__init__(
            self._blocks, media_type=kind, headers={"Content-Disposition": disposition}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Where the client went away nobody reads on, and the connection would stay taken.
            self._blocks.close()


def _read(database: Database, make: Callable[[Session], Blocks]) -> Generator[bytes]:
    with transaction(database, write=False) as session:
        yield from make(session)
