"""Policy: what follows a failed call: try again, give the pair up, or stop the batch."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.judging.answers import Failure, Kind
from app.outside.waiting import back_off

FATAL = {
    Kind.UNAUTHORISED,
    Kind.FORBIDDEN,
    Kind.NOT_FOUND,
    Kind.MOVED,
    Kind.ADDRESS,
    Kind.NO_CREDIT,
}
PASSING = {Kind.TIMEOUT, Kind.CONNECTION, Kind.SERVER_ERROR}
ASKED_AGAIN = {Kind.EMPTY, Kind.MALFORMED, Kind.OFF_SCALE, Kind.WRONG_ENCODING}


@dataclass(frozen=True, slots=True)
class Policy:
    """How patient a batch is; the only layer that repeats calls."""

    max_tries: int = 5
    """Calls of one pair while the endpoint fails for a time."""
    max_bad_answers: int = 2
    """Calls of one pair whose answers break the rule: the first and one more."""
    max_rate_limits: int = 30
    """Times one pair may be sent away by a rate limit; these cost nothing."""
    first_wait: float = 0.5
    """Seconds before the second call where the server does not say; doubled each time."""
    longest_wait: float = 120.0
    """Seconds of Retry-After that are waited out; for more the batch pauses visibly."""
    total: float = 1800.0
    """Seconds after which a pair is not tried again."""
    max_failed_in_a_row: int = 20
    """Pairs given up one after the other, with no verdict between, after which all stops."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask again after so many seconds; ``shared`` holds every other call back too."""

    after: float
    shared: bool = False


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The pair has failed for good; the batch goes on."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing of this batch can succeed now; ``pause`` is in seconds where it may later."""

    why: str
    pause: float | None = None


Step = Retry | GiveUp | Stop


def next_step(
    failures: Sequence[Failure],
    *,
    retry_after: float | None = None,
    elapsed: float = 0.0,
    policy: Policy | None = None,
) -> Step:
    """Decide after the failures of one pair, the latest last.

    ``retry_after`` is what the server asked for and ``elapsed`` the time since the pair's
    first call, both in seconds.
    """
    rules = policy or Policy()
    latest = failures[-1]
    if latest.kind in FATAL:
        return Stop(f"{latest.kind}: {latest.detail}")
    if latest.kind is Kind.FORMAT:
        return Retry(0.0)
    if retry_after is not None and retry_after > rules.longest_wait:
        return Stop(f"{latest.kind}: the endpoint asks to wait", pause=retry_after)
    if _exhausted(failures, rules) or elapsed > rules.total:
        return GiveUp()
    return _wait(failures, retry_after, rules)


def _exhausted(failures: Sequence[Failure], rules: Policy) -> bool:
    kind = failures[-1].kind
    if kind is Kind.RATE_LIMIT:
        return _count(failures, {kind}) >= rules.max_rate_limits
    if kind in PASSING:
        return _count(failures, PASSING) >= rules.max_tries
    return kind not in ASKED_AGAIN or _count(failures, ASKED_AGAIN) >= rules.max_bad_answers


def _wait(failures: Sequence[Failure], retry_after: float | None, rules: Policy) -> Retry:
    kind = failures[-1].kind
    if kind in ASKED_AGAIN:
        return Retry(0.0)
    shared = kind is Kind.RATE_LIMIT or retry_after is not None
    if retry_after is not None:
        return Retry(retry_after, shared)
    return Retry(back_off(_count(failures, {kind}), first=rules.first_wait), shared)


def _count(failures: Sequence[Failure], kinds: set[Kind]) -> int:
    return sum(failure.kind in kinds for failure in failures)
