"""Waiting: Retry-After in all its forms (V-049), and backing off."""

from datetime import UTC, datetime

import pytest

from app.outside.waiting import back_off, read_retry_after

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        (" 2 ", 2.0),
        ("0", 0.0),
        ("0.5", 0.5),
        ("198300", 198_300.0),
        ("9" * 400, 366 * 86_400.0),
        ("Mon, 30 Nov 2026 12:00:03 GMT", 3.0),
        ("Monday, 30-Nov-26 12:00:03 GMT", 3.0),
        ("Mon Nov 30 12:00:03 2026", 3.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 366 * 86_400.0),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("1e3", None),
        ("abc", None),
        ("Mon, 99 Nov 2026 12:00:03 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_a_date_or_nothing_v049(
    header: str | None, seconds: float | None
) -> None:
    assert read_retry_after(header, NOON) == seconds


@pytest.mark.parametrize(("tries", "most"), [(1, 0.5), (2, 1.0), (4, 4.0), (10_000, 30.0)])
def test_backing_off_doubles_up_to_a_bound_with_jitter_v050(tries: int, most: float) -> None:
    waits = {back_off(tries) for _ in range(50)}

    assert all(most / 2 <= wait <= most for wait in waits)
    assert len(waits) > 1
