"""Replies: the body of a chat completion, read strictly from its bytes."""

from dataclasses import dataclass
from typing import Any

from app.judging.answers import Failure, Kind, clean_text, parse_strictly


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the server counted them; None where it did not say.

    The cached tokens are a part of those that went in, not an addition (V-058).
    """

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat completion says."""

    content: str | None
    finish_reason: str | None
    reasoning: str | None
    refusal: str | None
    model: str | None
    usage: Usage


def read_reply(body: bytes) -> Reply | Failure:
    """Read the body of an answer with status 200: UTF-8, JSON, one choice at least."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return Failure(Kind.WRONG_ENCODING, "the reply is not UTF-8")
    try:
        value = parse_strictly(text)
    except ValueError:
        return Failure(Kind.MALFORMED, "the reply is not JSON; is the address that of an API?")
    if not isinstance(value, dict):
        return Failure(Kind.MALFORMED, "the reply is not a chat completion")
    if isinstance(value.get("error"), dict):
        return Failure(Kind.SERVER_ERROR, "the reply is an error with status 200")
    return _read_choice(value)


def _read_choice(value: dict[str, Any]) -> Reply | Failure:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return Failure(Kind.MALFORMED, "the reply has no message")
    return Reply(
        content=_text(message.get("content")),
        finish_reason=_text(first.get("finish_reason")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        refusal=_text(message.get("refusal")),
        model=_text(value.get("model")),
        usage=_read_usage(value.get("usage")),
    )


def _read_usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(cached),
    )


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < 2**31 else None


def _text(value: Any) -> str | None:
    return clean_text(value) if isinstance(value, str) else None
