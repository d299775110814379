"""Errors: refusals in plain words, with no HTTP in them.

Every message is read by a person: it says what is wrong, what was kept and what to do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_SHOWN = 50


class AppError(Exception):
    """A refusal the user should read."""


class NotFound(AppError):
    """The thing asked for does not exist, or is not this person's to see."""


class Spent(NotFound):
    """A personal link that was used, or is too old."""


class Conflict(AppError):
    """What is asked contradicts what is stored."""


class Invalid(AppError):
    """The input breaks a rule."""


class Forbidden(AppError):
    """The person is known, but may not do this."""


class SignInNeeded(AppError):
    """Nobody is signed in."""


class TooMany(AppError):
    """Asked too often; ``retry_after`` is in seconds."""

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(AppError):
    """Something outside Goldspan does not answer."""


def say_reason(message: str) -> str:
    """Return the reason of a checked value without the words of the library before it."""
    return message.removeprefix("Value error, ")


@dataclass(frozen=True, slots=True)
class Problem:
    """One bad line of a file: where it is, what is wrong, what to do."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.reason}"


class BadFile(AppError):
    """A file that cannot be taken: the first 50 bad lines and the number of all of them."""

    def __init__(self, problems: Sequence[Problem], total: int | None = None) -> None:
        self.problems = tuple(problems[:MAX_SHOWN])
        self.total = len(problems) if total is None else total
        super().__init__("\n".join(self.lines()))

    def lines(self) -> Iterable[str]:
        """Yield one line a problem, then the count of those not shown."""
        yield from map(str, self.problems)
        if self.total > len(self.problems):
            yield f"and {self.total - len(self.problems)} more bad lines"
