"""Headings: the Markdown headings that a place in a text stands under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|$)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: where its line starts, its level (1 to 6) and its words."""

    start: int
    level: int
    words: str


def find_headings(text: str, end: int) -> Iterator[Heading]:
    """Yield the ATX headings whose line starts before ``end``.

    Only lines at the start or after a blank line, and outside fenced code, count: a
    comment of a script is no heading.
    """
    fence: str | None = None
    after_blank = True
    for line in _LINE.finditer(text):
        if line.start() >= end:
            return
        mark = _FENCE.match(line[1])
        if mark is not None:
            fence = _follow_fence(fence, mark[1], line[1])
        elif fence is None and after_blank:
            heading = _HEADING.fullmatch(line[1])
            if heading is not None and heading[2]:
                yield Heading(line.start(), len(heading[1]), heading[2])
        after_blank = not line[1].strip()


def _follow_fence(fence: str | None, mark: str, line: str) -> str | None:
    """Return the fence that is open after this line: opened, closed or unchanged."""
    if fence is None:
        return mark
    closes = mark.startswith(fence) and not line.strip().strip(mark[0])
    return None if closes else fence


def find_enclosing(text: str, start: int) -> tuple[str, ...]:
    """Return the words of the headings above a place, outermost first.

    A heading that begins at the place itself ends its sisters, but is not above it.
    """
    path: list[Heading] = []
    for heading in find_headings(text, start + 1):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
    return tuple(heading.words for heading in path if heading.start < start)
