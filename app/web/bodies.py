"""Bodies: how much somebody may send, asked before any of it is kept."""

from collections.abc import Callable, Sequence

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Invalid

SMALL = 4 * 2**20
"""Bytes of the largest form without a file: two prompts of a judge, escaped."""

FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


class BodyLimit:
    """Refuses a body over 4 MB, unless somebody who is signed in sends it to where files go.

    The framework keeps a whole form before it asks who sent it, so a stranger could fill the
    disk, and many long fields the memory (V-085).
    """

    def __init__(self, app: ASGIApp, is_known: Callable[[Request], object]) -> None:
        self.app = app
        self.is_known = is_known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        size, allowed = 0, False

        async def receive_some() -> Message:
            nonlocal size, allowed
            if not allowed and _read_length(request) > SMALL:
                await self._refuse_stranger(request)
                allowed = True
            message = await receive()
            size += len(message.get("body", b""))
            if not allowed and size > SMALL:
                await self._refuse_stranger(request)
                allowed = True
            return message

        await self.app(scope, receive_some, send)

    async def _refuse_stranger(self, request: Request) -> None:
        path = request.url.path
        takes_files = path.endswith("/import") or path.startswith("/api/v1/")
        if not takes_files or not await run_in_threadpool(self.is_known, request):
            raise HTTPException(413, f"At most {SMALL:,} bytes can be sent here.")


def _read_length(request: Request) -> int:
    given = request.headers.get("content-length", "")
    return int(given) if given.isdecimal() and len(given) < 20 else 0


async def refuse_unstorable(request: Request) -> None:
    """Refuse what no database keeps: NUL, and halves of characters (V-015, V-016, V-093).

    A body that is no form is checked by whoever reads it.
    """
    texts = [*request.path_params.values(), *_flatten(request.query_params.multi_items())]
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in FORMS and not request.url.path.startswith("/api/"):
        texts += _flatten((await request.form()).multi_items())
    if not all(_is_storable(text) for text in texts if isinstance(text, str)):
        raise Invalid("A text holds a character that cannot be stored. Type it again.")


def _flatten(pairs: Sequence[tuple[str, object]]) -> list[object]:
    return [part for pair in pairs for part in pair]


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= mark <= "\udfff" for mark in text)
