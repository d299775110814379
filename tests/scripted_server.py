"""A real HTTP server that speaks the OpenAI wire format and behaves as a script says.

    with ScriptedServer(by_marker({"pear": [status(503), grade(2)]}, sensible)) as server:
        ...  # server.url is what an endpoint is set to, server.calls what was received

A script is a function from :class:`Call` to :class:`Act`. Run as a module it serves the
sensible judge in a process of its own: ``python -m tests.scripted_server --latency 0.2``.
"""

import argparse
import asyncio
import hashlib
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

FORMATS = ("json_schema", "json_object")
DIMENSIONS = 64
FLOOD_BYTES = 50_000_000
PART = re.compile(r"\[(QUERY|PASSAGE) (\w+)\]\n(.*?)\n\[/\1 \2\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came in."""

    number: int
    path: str
    authorization: str | None
    headers: Mapping[str, str]
    body: dict[str, Any]
    at: float
    """Monotonic seconds."""

    @property
    def text(self) -> str:
        """All messages, or all inputs, as one text."""
        messages = [str(message["content"]) for message in self.body.get("messages", [])]
        return "\n".join(messages)


@dataclass(frozen=True, slots=True)
class Act:
    """What the server does with one call."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    latency: float = 0.0
    manner: str = "whole"
    """whole, hang (nothing ever), stall (headers only), trickle (a byte a while), half,
    flood (50 MB)."""


Script = Callable[[Call], Act]


def says(
    content: str | None,
    *,
    finish_reason: str = "stop",
    latency: float = 0.0,
    usage: Mapping[str, Any] | None = None,
    **message: Any,
) -> Act:
    """Answer with a chat completion; further names become fields of the message."""
    counted = usage or {
        "prompt_tokens": 200,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 150},
    }
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content} | message,
    }
    reply = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted-1",
        "choices": [choice],
        "usage": counted,
    }
    return Act(body=json.dumps(reply).encode(), latency=latency)


def grade(value: Any, reason: str = "it says so", *, latency: float = 0.0) -> Act:
    """Answer with a verdict in the form that was asked for."""
    return says(json.dumps({"reason": reason, "grade": value}), latency=latency)


def status(code: int, message: str = "no", *, error_code: str = "", **headers: str) -> Act:
    """Answer with an error; ``retry_after="2"`` becomes a header."""
    error = {"message": message, "type": "scripted", "code": error_code or None, "param": None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act(code, json.dumps({"error": error}).encode(), headers=named)


def raw(body: bytes, content_type: str = "application/json", **headers: str) -> Act:
    """Answer with exactly these bytes and status 200."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act(body=body, content_type=content_type, headers=named)


HANG = Act(manner="hang")
STALL = Act(manner="stall")
TRICKLE = Act(manner="trickle")
FLOOD = Act(manner="flood")
HALF = Act(body=says('{"grade": 3}').body, manner="half")


def always(act: Act) -> Script:
    """Do the same with every call."""
    return lambda _: act


def in_turn(acts: Iterable[Act], then: Act) -> Script:
    """Do one act a call, in order, and ``then`` for ever."""
    waiting = iter(acts)
    return lambda _: next(waiting, then)


def by_marker(acts: Mapping[str, Act | Sequence[Act]], otherwise: Script) -> Script:
    """Choose by a text in the call; of a list each call takes the next, the last stays."""
    seen = dict.fromkeys(acts, 0)

    def choose(call: Call) -> Act:
        for marker, act in acts.items():
            if marker in call.text:
                seen[marker] += 1
                listed = [act] if isinstance(act, Act) else act
                return listed[min(seen[marker], len(listed)) - 1]
        return otherwise(call)

    return choose


def sensible(call: Call, *, latency: float = 0.0) -> Act:
    """Grade by the share of the query's longer words that the passage holds."""
    parts = {label: text for label, _, text in PART.findall(call.text)}
    wanted = _words(parts.get("QUERY", ""))
    held = wanted & _words(parts.get("PASSAGE", ""))
    share = len(held) / len(wanted) if wanted else 0.0
    value = 0 if share == 0 else 1 if share < 0.34 else 2 if share < 0.67 else 3
    reason = f"{len(held)} of {len(wanted)} words of the query are in the passage"
    return grade(value, reason, latency=latency)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}


def embedding(text: str) -> list[float]:
    """Return a unit vector made from the words of a text, the same everywhere."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % DIMENSIONS] += 1.0 if digest[1] % 2 else -1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def embed(call: Call) -> Act:
    """Answer a request for embeddings."""
    asked = call.body["input"]
    texts = [asked] if isinstance(asked, str) else asked
    data = [
        {"object": "embedding", "index": number, "embedding": embedding(text)}
        for number, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    reply = {"object": "list", "data": data, "model": call.body["model"], "usage": usage}
    return Act(body=json.dumps(reply).encode())


class ScriptedServer:
    """The server, in a thread of its own; ``calls`` may be read at any time."""

    def __init__(
        self,
        script: Script = sensible,
        *,
        embeddings: Script | None = None,
        formats: Sequence[str] = FORMATS,
        port: int = 0,
    ) -> None:
        self.script = script
        """May be exchanged while the server runs, as when an endpoint heals."""
        self.embeddings = embeddings or embed
        self.calls: list[Call] = []
        self.url = ""
        self._formats = formats
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "ScriptedServer":
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def texts(self, marker: str) -> list[str]:
        """Return the texts of the calls that hold a marker."""
        return [call.text for call in self.calls if marker in call.text]

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _start(self) -> web.AppRunner:
        app = web.Application(client_max_size=50_000_000)
        app.router.add_post("/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port)
        await site.start()
        port = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/v1"
        return runner

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        call = Call(
            len(self.calls) + 1,
            request.path,
            request.headers.get("authorization"),
            dict(request.headers),
            await request.json(),
            time.monotonic(),
        )
        self.calls.append(call)
        if request.path.endswith("/embeddings"):
            return await _perform(self.embeddings(call), request)
        act = self._refuse_format(call) or self.script(call)
        return await _perform(act, request)

    def _refuse_format(self, call: Call) -> Act | None:
        wanted = call.body.get("response_format", {}).get("type")
        if wanted is None or wanted in self._formats:
            return None
        return status(400, f"response_format of type {wanted} is not supported")


async def _perform(act: Act, request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(3600 if act.manner == "hang" else act.latency)
    if act.manner == "whole":
        return web.Response(
            status=act.status,
            body=act.body,
            headers={"content-type": act.content_type} | dict(act.headers),
        )
    return await _dawdle(act, request)


async def _dawdle(act: Act, request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"content-type": act.content_type})
    answer.content_length = FLOOD_BYTES if act.manner == "flood" else max(len(act.body), 1000)
    await answer.prepare(request)
    if act.manner == "half":
        await answer.write(act.body[: len(act.body) // 2])
        if request.transport is not None:
            request.transport.close()
        return answer
    if act.manner == "flood":
        return await _flood(answer)
    while True:
        if act.manner == "trickle":
            await answer.write(b" ")
        await asyncio.sleep(0.2)


async def _flood(answer: web.StreamResponse) -> web.StreamResponse:
    piece = b" " * 50_000
    for _ in range(FLOOD_BYTES // len(piece)):
        await answer.write(piece)
    return answer


def main() -> None:
    """Serve the sensible judge until the process is ended."""
    options = argparse.ArgumentParser(description=main.__doc__)
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--latency", type=float, default=0.0)
    chosen = options.parse_args()
    script = lambda call: sensible(call, latency=chosen.latency)  # noqa: E731
    with ScriptedServer(script, port=chosen.port) as server:
        print(server.url, flush=True)  # noqa: T201
        threading.Event().wait()


if __name__ == "__main__":
    main()
