"""Faults: what an error of the endpoint means for a judge, in words."""

import re

from app.judging.answers import Failure, Kind, clean_text
from app.outside.transport import AddressRefused, BodyBroken, BodyTooLong

SHOWN = 300
BY_STATUS = {
    401: Kind.UNAUTHORISED,
    402: Kind.NO_CREDIT,
    403: Kind.FORBIDDEN,
    404: Kind.NOT_FOUND,
    408: Kind.TIMEOUT,
    409: Kind.SERVER_ERROR,
    413: Kind.TOO_LONG,
    429: Kind.RATE_LIMIT,
}
TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum context|too many (input )?tokens"
    r"|(prompt|input) is too long|reduce the length",
    re.IGNORECASE,
)
FORMAT = re.compile(
    r"response_format|json_schema|json_object|structured.?output", re.IGNORECASE
)
NO_CREDIT = re.compile(r"insufficient_quota|billing", re.IGNORECASE)


def explain_status(status: int, body: object, *, plain: bool) -> Failure:
    """Name the failure behind an error status (3xx, 4xx, 5xx) and its body.

    ``plain`` says that no response format was asked for, so none can have been refused.
    """
    said = _read_message(body)
    detail = f"status {status}: {said}" if said else f"status {status}"
    return Failure(_find_kind(status, f"{said} {body}", plain), detail)


def _find_kind(status: int, text: str, plain: bool) -> Kind:
    if status < 400:
        return Kind.MOVED
    if status in (400, 413, 422):
        return _find_refusal(text, plain)
    if status == 429 and NO_CREDIT.search(text):
        return Kind.NO_CREDIT
    return BY_STATUS.get(status, Kind.SERVER_ERROR if status >= 500 else Kind.BAD_REQUEST)


def _find_refusal(text: str, plain: bool) -> Kind:
    if TOO_LONG.search(text):
        return Kind.TOO_LONG
    if not plain and FORMAT.search(text):
        return Kind.FORMAT
    return Kind.BAD_REQUEST


def _read_message(body: object) -> str:
    # openai hands over the inner "error" object where there is one.
    message = body.get("message") if isinstance(body, dict) else None
    return clean_text(message)[:SHOWN] if isinstance(message, str) else ""


def explain_connection(cause: BaseException | None) -> Failure:
    """Name the failure behind a call that got no complete answer."""
    if isinstance(cause, AddressRefused):
        return Failure(Kind.ADDRESS, str(cause))
    if isinstance(cause, BodyTooLong):
        return Failure(Kind.OVERSIZED, f"the reply has {cause}")
    if isinstance(cause, BodyBroken):
        return Failure(Kind.CONNECTION, "the reply broke off or is not encoded as it says")
    if isinstance(cause, TimeoutError) or "Timeout" in type(cause).__name__:
        return Failure(Kind.TIMEOUT, "no complete answer in time")
    return Failure(Kind.CONNECTION, f"the endpoint cannot be reached ({cause})")
