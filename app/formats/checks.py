"""Checks: the collector of bad lines, and the rules every value of a file passes."""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn, TypeVar

from app.errors import MAX_SHOWN, BadFile, Problem
from app.formats.rows import Tags

MAX_POSITION = 2**31 - 1
"""The largest character offset and rank taken; a database integer holds no more."""

MAX_ID = 1_000
"""The longest id, in bytes of UTF-8; two of them must fit into one index entry."""

BAD_CHARACTER = re.compile("[\x00\ud800-\udfff]")
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,10}")

Value = TypeVar("Value")
Row = TypeVar("Row")


class BadRow(Exception):
    """One line that cannot be taken; the message is the reason and the remedy."""


class Problems:
    """The bad lines of one file: the first 50 in words, and the number of all of them.

    With ``skip_bad`` bad lines are left out and counted, and `raise_if_any` lets the rest
    pass; what makes the whole file unreadable is refused all the same.
    """

    def __init__(self, file: str, *, skip_bad: bool = False) -> None:
        self.file = file
        self.skip_bad = skip_bad
        self.shown: list[Problem] = []
        self.total = 0
        self.notes: list[Problem] = []  # the first 50 repetitions; refuse nothing
        self.dropped = 0

    @property
    def skipped(self) -> int:
        """The number of bad lines left out because the user asked for it."""
        return self.total if self.skip_bad else 0

    def add(self, line: int | None, reason: str) -> None:
        """Record one bad line."""
        self.total += 1
        if len(self.shown) < MAX_SHOWN:
            self.shown.append(Problem(self.file, line, reason))

    def note_duplicate(self, line: int, first: int, reason: str = "the same as") -> None:
        """Record a line that is dropped since line ``first`` spoke of the same thing."""
        self.dropped += 1
        if len(self.notes) < MAX_SHOWN:
            self.notes.append(Problem(self.file, line, f"{reason} line {first}; counted once"))

    def fail(self, line: int | None, reason: str) -> NoReturn:
        """Refuse the whole file now, whatever the user said about bad lines."""
        self.add(line, reason)
        last = Problem(self.file, line, reason)
        shown = self.shown if last in self.shown else [*self.shown[: MAX_SHOWN - 1], last]
        raise BadFile(shown, self.total)

    def raise_if_any(self) -> None:
        """Refuse the file with all its bad lines, unless they are to be skipped.

        Raises:
            BadFile: where there is a bad line and ``skip_bad`` is off.
        """
        if self.total and not self.skip_bad:
            raise BadFile(self.shown, self.total)


class Seen:
    """The keys read so far, as hashes only: about 150 bytes a key whatever its length."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._lines: dict[int, tuple[int, int]] = {}

    def is_new(self, line: int, key: tuple[str, ...], content: tuple[object, ...]) -> bool:
        """Say whether the key is new; an identical repetition is noted and is not.

        Raises:
            BadRow: where the key came before with another content.
        """
        known = self._lines.setdefault(hash(key), (line, hash(content)))
        if known[0] == line:
            return True
        if known[1] != hash(content):
            name = " ".join(key)
            raise BadRow(
                f"{name!r} is in line {known[0]} already, with other content; keep one of both"
            )
        self._problems.note_duplicate(line, known[0])
        return False


def build_rows(
    parsed: Iterable[tuple[int, Value]],
    build: Callable[[int, Value], Row | None],
    problems: Problems,
) -> Iterator[Row]:
    """Yield what ``build`` makes of each line; a `BadRow` becomes a problem of that line.

    A file without a single row is refused: it is most often a broken download.
    """
    empty = True
    for line, value in parsed:
        try:
            row = build(line, value)
        except BadRow as bad:
            problems.add(line, str(bad))
            continue
        if row is not None:
            empty = False
            yield row
    if empty and problems.total == 0:
        problems.fail(None, "the file holds no rows; nothing to import")
    if empty and problems.skip_bad:
        problems.fail(None, "every line is bad; nothing is left to import")


def check_text(value: object, name: str) -> str:
    """Return a text free of NUL and of lone surrogates, unchanged.

    Raises:
        BadRow: where it is no text, or no database can hold it.
    """
    if not isinstance(value, str):
        raise BadRow(f"{name} is {describe(value)}; it must be a text")
    bad = BAD_CHARACTER.search(value)
    if bad is None:
        return value
    kind = "the NUL character U+0000" if bad[0] == "\x00" else "half a character pair"
    raise BadRow(
        f"{name} holds {kind} at character {bad.start()}; remove it or put U+FFFD there"
    )


def check_id(value: object, name: str) -> str:
    """Return an id as opaque text; a JSON integer becomes its exact decimal text.

    Raises:
        BadRow: for a decimal number, a truth value, null, a list, an object, an empty text and
            one of more than 1,000 bytes.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise BadRow(f"{name} is {describe(value)}; an id must be a text or a whole number")
    if not value:
        raise BadRow(f"{name} is empty; every row needs an id")
    if len(value.encode("utf-8", "surrogatepass")) > MAX_ID:
        raise BadRow(f"{name} is longer than {MAX_ID:,} bytes, the limit; shorten it")
    return check_text(value, name)


def read_score(text: str) -> float:
    """Read a finite decimal number as ASCII digits: ``10``, ``-2``, ``1e-3``.

    Raises:
        BadRow: for nan, inf, decimal commas, blanks and anything else.
    """
    score = float(text) if DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(score):
        raise BadRow(f"score {text!r} is not a finite number; write it like 9.5 or 1e-3")
    return score


def read_rank(text: str) -> int:
    """Read a rank: a whole number, of any sign, starting anywhere.

    Raises:
        BadRow: where it is no whole number or beyond 2,147,483,647.
    """
    if not WHOLE_NUMBER.fullmatch(text) or abs(int(text)) > MAX_POSITION:
        raise BadRow(f"rank {text!r} is not a whole number up to {MAX_POSITION}")
    return int(text)


def check_position(value: object, name: str) -> int:
    """Return a character offset, 0 to 2,147,483,647.

    Raises:
        BadRow: where it is no such whole number.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_POSITION:
        raise BadRow(
            f"{name} is {describe(value)}; it must be a whole number from 0 to {MAX_POSITION}"
        )
    return value


def check_span(start: object, end: object) -> tuple[int, int] | tuple[None, None]:
    """Return the two ends of a span, or two Nones for a whole document.

    Raises:
        BadRow: where one end is missing, or the span is empty or backward.
    """
    if start is None and end is None:
        return None, None
    if start is None or end is None:
        raise BadRow("start and end come together; leave both out for a whole document")
    first, last = check_position(start, "start"), check_position(end, "end")
    if first >= last:
        raise BadRow(f"the span {first}-{last} is empty or backward; end is exclusive")
    return first, last


def check_tags(value: object) -> Tags:
    """Return tags as name to list of texts; one text is a list of one, null is no tags.

    Raises:
        BadRow: where a name is empty or a value is neither text nor list of texts.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRow(f'tags is {describe(value)}; write it like {{"type": "policy"}}')
    return {check_id(name, "the name of a tag"): _read_tag(name, value[name]) for name in value}


def _read_tag(name: str, value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [check_text(one, f"tag {name!r}") for one in values]


def describe(value: object) -> str:
    """Say in words what a JSON value is, with the value where it is short."""
    match value:
        case None:
            return "missing or null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"
