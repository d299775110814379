"""LLM: one judge behind an OpenAI-compatible endpoint, asked about one card at a time."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI

from app.domain.cards import Card
from app.judging.answers import Failure, Kind, Verdict, read_answer
from app.judging.faults import explain_connection, explain_status
from app.judging.line import Line
from app.judging.parameters import check_parameters
from app.judging.prompts import Prompt, looks_like_answer, render
from app.judging.replies import Reply, Usage, read_reply
from app.outside.client import open_client
from app.outside.transport import Endpoint, Limits
from app.outside.waiting import read_retry_after

SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "grade": {"type": "integer", "enum": [0, 1, 2, 3]},
            },
            "required": ["reason", "grade"],
            "additionalProperties": False,
        },
    },
}
LADDER: tuple[dict[str, Any] | None, ...] = (SCHEMA, {"type": "json_object"}, None)


@dataclass(frozen=True, slots=True)
class Answer:
    """One call: what came of it, and what it took."""

    result: Verdict | Failure
    milliseconds: float
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    """As the server named it."""
    content: str | None = None
    """The text of the answer as received, with the key blotted out."""
    retry_after: float | None = None
    """Seconds the server asked to stay away."""
    suspicious: bool = False
    """The card holds text that seems to dictate a grade (V-057)."""


class JudgeClient:
    """Asks one judge; made and used in one event loop, closed by ``async with``.

    The response format starts as a strict JSON schema. The first 400 that names it steps
    down to JSON mode, then to plain text, for all later calls over the same ``line``
    (what the calls of a process to this judge share: see :func:`app.judging.line.shared_line`).
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        model: str,
        prompt: Prompt,
        parameters: Mapping[str, Any] | None = None,
        guidelines: str = "",
        limits: Limits | None = None,
        line: Line | None = None,
    ) -> None:
        self._parameters = dict(parameters or {})
        check_parameters(self._parameters)
        self._client: AsyncOpenAI = open_client(endpoint, limits)
        self._key = endpoint.key
        self._model = model
        self._prompt = prompt
        self._guidelines = guidelines
        self.line = line or Line()

    async def __aenter__(self) -> "JudgeClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def ask(self, card: Card) -> Answer:
        """Make one call about a card. A failure is an answer too; nothing is raised."""
        started = time.monotonic()
        rung = self.line.rung
        try:
            body = await self._call(card, rung)
        except openai.APIStatusError as refused:
            return self._explain(refused, rung, started)
        except openai.APIConnectionError as lost:
            return Answer(explain_connection(lost.__cause__), _since(started))
        return self._read(body, card, started)

    async def _call(self, card: Card, rung: int) -> bytes:
        messages = render(self._prompt, card, guidelines=self._guidelines)
        asked = {"model": self._model, "messages": messages} | self._parameters
        if LADDER[rung] is not None:
            asked["response_format"] = LADDER[rung]
        # The typed chat.completions.create walks the schema of every request, which takes
        # twice the time of all the rest.
        reply = await self._client.post(
            "/chat/completions", body=asked, cast_to=httpx2.Response
        )
        return reply.content

    def _explain(self, refused: openai.APIStatusError, rung: int, started: float) -> Answer:
        last_rung = LADDER[rung] is None
        failure = explain_status(refused.status_code, refused.body, plain=last_rung)
        if failure.kind is Kind.FORMAT:
            self.line.rung = max(self.line.rung, rung + 1)
        asked = refused.response.headers.get("retry-after")
        return Answer(
            Failure(failure.kind, self._blot(failure.detail)),
            _since(started),
            retry_after=read_retry_after(asked, datetime.now(UTC)),
        )

    def _read(self, body: bytes, card: Card, started: float) -> Answer:
        reply = read_reply(body)
        if isinstance(reply, Failure):
            return Answer(reply, _since(started))
        return Answer(
            self._decide(reply),
            _since(started),
            usage=reply.usage,
            model=reply.model,
            content=None if reply.content is None else self._blot(reply.content),
            suspicious=looks_like_answer(card),
        )

    def _decide(self, reply: Reply) -> Verdict | Failure:
        result = read_answer(
            reply.content,
            reply.finish_reason,
            reasoning=reply.reasoning,
            refusal=reply.refusal,
        )
        if isinstance(result, Verdict):
            return Verdict(result.grade, self._blot(result.reason))
        return result

    def _blot(self, text: str) -> str:
        # A server may echo what it was sent; a key must not reach a page or a table.
        return text.replace(self._key, "[key]") if self._key else text


def _since(started: float) -> float:
    return (time.monotonic() - started) * 1000
