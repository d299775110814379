"""Answers: the one strict rule that makes a verdict, or a reasoned failure, of a reply."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from app.domain.scale import GRADES


class Kind(StrEnum):
    """Why a call ended without a verdict; the value is the reason that is stored."""

    TRUNCATED = "truncated"
    EMPTY = "empty"
    MALFORMED = "malformed"
    OFF_SCALE = "off scale"
    REFUSED = "refused"
    WRONG_ENCODING = "wrong encoding"
    OVERSIZED = "oversized"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    RATE_LIMIT = "rate limit"
    SERVER_ERROR = "server error"
    NO_CREDIT = "no credit"
    UNAUTHORISED = "unauthorised"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not found"
    MOVED = "moved"
    ADDRESS = "address refused"
    BAD_REQUEST = "bad request"
    TOO_LONG = "too long"
    FORMAT = "format refused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge decided: a grade 0 to 3, and why in its own words (may be empty)."""

    grade: int
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no verdict; ``detail`` never holds text of a passage."""

    kind: Kind
    detail: str


BARE_GRADE = re.compile(r"[+-]?[0-9]{1,9}(\.0{1,9})?")
LAST_LINE = re.compile(r"grade:[ \t]*(\S+)", re.IGNORECASE)
CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
OPENING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL | re.IGNORECASE)


def read_answer(
    content: str | None,
    finish_reason: str | None,
    *,
    reasoning: str | None = None,
    refusal: str | None = None,
) -> Verdict | Failure:
    """Read the text of an answer.

    The rule, in this order; nothing is repaired, clamped, rounded or searched for:

    1. ended by the token limit: truncated; by a filter, or with a refusal: refused
    2. no text: empty, even where the reasoning field is full
    3. the whole text is JSON: it decides (see below)
    4. else all up to the last closing think tag is dropped; one left open is malformed
    5. one code fence around everything is taken off; if the rest is JSON it decides
    6. else the last line decides, if it is ``grade: N`` and nothing else, or is one JSON
       object and no brace stands before it
    7. else malformed

    JSON decides by its one key ``grade``, or by being a bare number. A grade is a whole
    number: 2, 2.0, "2", " 2 " and "2.0" are 2; 2.5, true, null, "two", [2] and NaN are
    malformed; whole numbers other than 0 to 3 are off scale.
    """
    if finish_reason == "length":
        return Failure(
            Kind.TRUNCATED, "the answer reached the token limit; raise the judge's max_tokens"
        )
    if refusal or finish_reason == "content_filter":
        return Failure(Kind.REFUSED, "the model or its filter declined to answer")
    text = clean_text(content or "").strip()
    if not text:
        return Failure(Kind.EMPTY, _describe_empty(reasoning))
    found = _read_json(text)
    return _read_loose(text) if found is None else found


def _describe_empty(reasoning: str | None) -> str:
    if reasoning:
        return "no answer, only reasoning; let the endpoint return both or turn reasoning off"
    return "the answer has no text"


def _read_loose(text: str) -> Verdict | Failure:
    rest = CLOSING.split(text)[-1].strip()
    if OPENING.search(rest):
        return Failure(Kind.MALFORMED, "the answer never leaves its think block")
    fenced = FENCE.fullmatch(rest)
    if fenced:
        rest = fenced.group(1).strip()
    found = _read_json(rest)
    return _read_last_line(rest) if found is None else found


def _read_last_line(text: str) -> Verdict | Failure:
    before, _, last = text.rpartition("\n")
    named = LAST_LINE.fullmatch(last.strip())
    if named:
        return _judge_value(named.group(1), before.strip())
    if last.strip().startswith("{") and "{" not in before:
        found = _read_json(last.strip())
        if found is not None:
            return found
    return Failure(Kind.MALFORMED, "the answer is neither JSON nor ends with a grade")


def _read_json(text: str) -> Verdict | Failure | None:
    """Read a text that is JSON throughout; None if it is not JSON."""
    try:
        value = parse_strictly(text)
    except RepeatedKey:
        return Failure(Kind.MALFORMED, "the answer gives one key twice")
    except ValueError:
        return None
    if not isinstance(value, dict):
        return _judge_value(value, "")
    if "grade" not in value:
        return Failure(Kind.MALFORMED, "the answer has no grade")
    reason = value.get("reason")
    return _judge_value(value["grade"], reason if isinstance(reason, str) else "")


def _judge_value(value: Any, reason: str) -> Verdict | Failure:
    grade = _read_whole_number(value)
    if grade is None:
        return Failure(Kind.MALFORMED, "the grade is not a whole number")
    if grade not in GRADES:
        return Failure(Kind.OFF_SCALE, f"the grade {str(grade)[:12]} is not 0, 1, 2 or 3")
    return Verdict(grade, clean_text(reason))


def _read_whole_number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and BARE_GRADE.fullmatch(value.strip()):
        return int(value.strip().split(".")[0])
    return None


class RepeatedKey(ValueError):
    """An object names one key twice, so it contradicts itself."""


def parse_strictly(text: str) -> Any:
    """Parse JSON without NaN, Infinity or repeated keys.

    Raises:
        RepeatedKey: an object names a key twice.
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_build)
    except RecursionError as deep:
        raise ValueError("nested too deeply") from deep


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        raise RepeatedKey("a key comes twice")
    return built


def clean_text(text: str) -> str:
    """Join surrogate pairs; replace lone halves and NUL, which databases refuse, by U+FFFD."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\ufffd")
