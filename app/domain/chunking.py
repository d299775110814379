"""Chunking: the ways to cut a document, each the same every time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, assert_never

from app.domain.sentences import split_sentences, trim
from app.errors import Invalid

Kind = Literal["whole", "chars", "paragraphs", "sentences"]
Cuts = list[tuple[int, int]]

_SPEC = re.compile(
    r"(?P<plain>whole|paragraphs)|chars:(?P<chars>[0-9]{1,7}):(?P<overlap>[0-9]{1,7})"
    r"|sentences:(?P<size>[0-9]{1,7})"
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Chunking:
    """One way to cut; sizes in code points. ``str()`` gives its canonical text."""

    kind: Kind
    size: int = 0
    overlap: int = 0

    def __str__(self) -> str:
        match self.kind:
            case "chars":
                return f"chars:{self.size}:{self.overlap}"
            case "sentences":
                return f"sentences:{self.size}"
            case _:
                return self.kind

    @property
    def whole(self) -> bool:
        """Whether its chunks are whole documents and to be marked so."""
        return self.kind == "whole"


def parse_chunking(text: str) -> Chunking:
    """Read ``whole``, ``chars:400:100``, ``paragraphs`` or ``sentences:600``.

    Raises:
        Invalid: another word, a size of 0, or an overlap that leaves no step forward.
    """
    match = _SPEC.fullmatch(text)
    if match is None:
        raise Invalid(
            f"“{text}” is no chunking. Write whole, paragraphs, chars:SIZE:OVERLAP "
            "or sentences:SIZE, for example chars:400:100."
        )
    if match["plain"]:
        return Chunking("whole" if match["plain"] == "whole" else "paragraphs")
    chunking = (
        Chunking("chars", int(match["chars"]), int(match["overlap"]))
        if match["chars"]
        else Chunking("sentences", int(match["size"]))
    )
    if chunking.size <= chunking.overlap:
        raise Invalid(f"“{text}” never moves on: the size must be more than 0 and the overlap.")
    return chunking


def cut(chunking: Chunking, text: str) -> Cuts:
    """Return the chunks' (start, end) in order: inside the text, never only white space.

    A text of white space alone has no chunk, not even a whole one.
    """
    match chunking.kind:
        case "whole":
            return [(0, len(text))] if text.strip() else []
        case "chars":
            return list(_cut_chars(text, chunking.size, chunking.size - chunking.overlap))
        case "paragraphs":
            return list(_attach_headings(text, _find_paragraphs(text)))
        case "sentences":
            return list(_pack(split_sentences(text), chunking.size))
        case _:
            assert_never(chunking.kind)


def _cut_chars(text: str, size: int, step: int) -> Iterator[tuple[int, int]]:
    for start in range(0, len(text), step):
        end = min(start + size, len(text))
        if text[start:end].strip():
            yield start, end
        if end == len(text):  # the next one would only repeat the tail
            return


def _find_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in _LINE.finditer(text):
        if not line[0].strip():
            yield from trim(text, start, line.start())
            start = line.end()
    yield from trim(text, start, len(text))


def _attach_headings(
    text: str, paragraphs: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Join a paragraph of Markdown headings to the paragraph that follows it."""
    held: int | None = None
    last = 0
    for start, last in paragraphs:
        first = start if held is None else held
        if all(_HEADING.match(line) for line in text[start:last].splitlines()):
            held = first
        else:
            held = None
            yield first, last
    if held is not None:
        yield held, last


def _pack(sentences: Iterable[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Join sentences while they fit; one longer than the size stays alone and uncut."""
    chunk: tuple[int, int] | None = None
    for start, end in sentences:
        if chunk is not None and end - chunk[0] <= size:
            chunk = (chunk[0], end)
            continue
        if chunk is not None:
            yield chunk
        chunk = (start, end)
    if chunk is not None:
        yield chunk
