"""Policy: what follows a failure, without a network."""

import pytest

from app.judging.answers import Failure, Kind
from app.judging.policy import GiveUp, Policy, Retry, Stop, next_step


def after(
    *kinds: Kind, retry_after: float | None = None, elapsed: float = 0.0
) -> Retry | GiveUp | Stop:
    failures = [Failure(kind, "detail") for kind in kinds]
    return next_step(failures, retry_after=retry_after, elapsed=elapsed)


def test_every_kind_of_failure_leads_somewhere() -> None:
    for kind in Kind:
        assert isinstance(after(kind), Retry | GiveUp | Stop)


@pytest.mark.parametrize("kind", [Kind.TIMEOUT, Kind.CONNECTION, Kind.SERVER_ERROR])
def test_passing_trouble_is_tried_five_times_in_all(kind: Kind) -> None:
    assert isinstance(after(*[kind] * 4), Retry)
    assert isinstance(after(*[kind] * 5), GiveUp)


def test_different_passing_troubles_count_together() -> None:
    mixed = (Kind.TIMEOUT, Kind.SERVER_ERROR, Kind.CONNECTION, Kind.TIMEOUT)

    assert isinstance(after(*mixed, Kind.SERVER_ERROR), GiveUp)


def test_being_sent_away_does_not_use_up_the_tries() -> None:
    assert isinstance(after(*[Kind.RATE_LIMIT] * 10), Retry)
    assert isinstance(after(*[Kind.RATE_LIMIT] * 30), GiveUp)
    assert isinstance(after(*[Kind.RATE_LIMIT] * 10, Kind.SERVER_ERROR), Retry)


def test_a_rate_limit_and_a_named_wait_hold_back_everyone() -> None:
    limited = after(Kind.RATE_LIMIT)
    named = after(Kind.SERVER_ERROR, retry_after=7.0)
    plain = after(Kind.SERVER_ERROR)

    assert isinstance(limited, Retry)
    assert isinstance(plain, Retry)
    assert named == Retry(7.0, shared=True)
    assert (limited.shared, plain.shared) == (True, False)


def test_a_wait_beyond_the_cap_stops_with_the_time_to_come_back() -> None:
    step = after(Kind.RATE_LIMIT, retry_after=121.0)

    assert isinstance(step, Stop)
    assert step.pause == 121.0


def test_a_pair_is_not_tried_for_ever() -> None:
    assert isinstance(after(Kind.RATE_LIMIT, elapsed=Policy().total + 1), GiveUp)


def test_a_stop_says_why() -> None:
    step = after(Kind.UNAUTHORISED)

    assert step == Stop("unauthorised: detail")
