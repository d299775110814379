"""Transport: HTTP over aiohttp that goes to one address only, with limits on time and size."""

import asyncio
import socket
from dataclasses import dataclass, field

import aiohttp
import httpx2
from aiohttp.abc import AbstractResolver, ResolveResult

from app.errors import Invalid
from app.outside.addresses import check_address, check_resolved, is_allowed, read_place

SENT = ("accept", "content-type")
DROPPED = {"content-encoding", "content-length", "transfer-encoding"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible address up to /v1, and the key that goes there and nowhere else."""

    url: str
    key: str | None = field(default=None, repr=False)
    allowed: tuple[str, ...] = ()
    """URL prefixes that may be called besides public https addresses."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one call: seconds to connect, seconds in all, bytes of the answer."""

    connect: float = 5.0
    total: float = 60.0
    body: int = 4_000_000
    connections: int = 256


class BodyTooLong(httpx2.TransportError):
    """The answer is longer than the limit; the rest was not read."""


class BodyBroken(httpx2.TransportError):
    """The answer ended early, or its encoding is not what it says."""


class AddressRefused(httpx2.TransportError):
    """The address, or what its name leads to, must not be called."""


class GuardedResolver(AbstractResolver):
    """Looks names up, and refuses answers that must not be called."""

    def __init__(self, permitted: bool) -> None:
        self._names = aiohttp.ThreadedResolver()
        self._permitted = permitted

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a name; connecting uses exactly these."""
        found = await self._names.resolve(host, port, family)
        for one in found:
            check_resolved(host, one["host"], self._permitted)
        return found

    async def close(self) -> None:
        await self._names.close()


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests to one endpoint: no redirects, no proxies, no headers but our own.

    The key is added here, after the address was compared, so that no other address can
    receive it. Reading the whole answer here puts one deadline around everything.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        check_address(endpoint.url, endpoint.allowed)
        self._endpoint = endpoint
        self._place = read_place(endpoint.url)
        self._limits = limits
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request and read its whole answer.

        Raises:
            AddressRefused, BodyTooLong, BodyBroken, httpx2.TimeoutException,
            httpx2.ConnectError: each is a reason a call fails for.
        """
        self._check(request)
        try:
            async with asyncio.timeout(self._limits.total):
                return await self._exchange(request)
        except TimeoutError as late:
            raise httpx2.ReadTimeout("no complete answer in time", request=request) from late
        except Invalid as refused:
            raise AddressRefused(str(refused), request=request) from refused
        except aiohttp.ClientPayloadError as broken:
            raise BodyBroken("the answer broke off", request=request) from broken
        except (aiohttp.ClientError, OSError) as down:
            raise httpx2.ConnectError(type(down).__name__, request=request) from down

    def _check(self, request: httpx2.Request) -> None:
        try:
            inside = self._place.covers(read_place(str(request.url)))
        except Invalid:
            inside = False
        if not inside:
            raise AddressRefused("the request left its endpoint", request=request)

    async def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        async with self._open().request(
            request.method,
            str(request.url),
            headers=self._headers(request),
            data=await request.aread(),
            allow_redirects=False,
        ) as answer:
            body = await self._read(answer, request)
            headers = [
                (name, value)
                for name, value in answer.headers.items()
                if name.lower() not in DROPPED
            ]
            return httpx2.Response(
                answer.status, headers=headers, content=body, request=request
            )

    async def _read(self, answer: aiohttp.ClientResponse, request: httpx2.Request) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in answer.content.iter_any():
            size += len(piece)
            if size > self._limits.body:
                answer.close()
                raise BodyTooLong(f"more than {self._limits.body} bytes", request=request)
            pieces.append(piece)
        return b"".join(pieces)

    def _headers(self, request: httpx2.Request) -> dict[str, str]:
        kept = {name: request.headers[name] for name in SENT if name in request.headers}
        if self._endpoint.key:
            kept["authorization"] = f"Bearer {self._endpoint.key}"
        return kept | {"user-agent": "goldspan"}

    def _open(self) -> aiohttp.ClientSession:
        # Made late, because aiohttp wants the loop that will use it.
        if self._session is None:
            permitted = is_allowed(self._place, self._endpoint.allowed)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=GuardedResolver(permitted), limit=self._limits.connections
                ),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            )
        return self._session

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
