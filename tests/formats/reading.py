"""Reading: run one reader on bytes and keep rows and problems."""

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, TypeVar

from app.formats.checks import Problems

Row = TypeVar("Row")
Reader = Callable[[BinaryIO, Problems], Iterator[Row]]


def read(
    reader: Reader[Row], content: bytes | str, *, skip_bad: bool = False
) -> tuple[list[Row], Problems]:
    problems = Problems("given", skip_bad=skip_bad)
    raw = content.encode() if isinstance(content, str) else content
    return list(reader(BytesIO(raw), problems)), problems


def read_good(reader: Reader[Row], content: bytes | str) -> list[Row]:
    rows, problems = read(reader, content)
    assert not problems.shown
    return rows


def bad_lines(reader: Reader[Row], content: bytes | str) -> list[int | None]:
    _, problems = read(reader, content)
    return [problem.line for problem in problems.shown]


def joined(pieces: Iterable[str]) -> bytes:
    return "".join(pieces).encode()
