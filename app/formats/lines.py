"""Lines: the bytes of a file as numbered lines of text, in constant memory."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from app.errors import Invalid
from app.formats.checks import Problems

MAX_LINE = 64 * 2**20
"""The longest line taken, in bytes."""

HEAD = 2**16
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
ENCODINGS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@contextmanager
def open_file(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; ``-`` is standard input, which stays open.

    Raises:
        Invalid: where there is no such file, or it cannot be opened.
    """
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 - errors while reading are not ours
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise Invalid(f"Cannot open {path}: {reason}.") from error
    with stream:
        yield stream


def read_lines(
    stream: BinaryIO, problems: Problems, *, keep_ends: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text) of UTF-8 bytes, plain or gzip.

    Lines end at 0x0A only, with or without 0x0D before it; other Unicode separators are
    content. One byte-order mark at the start of the file is no content. A line that is not
    UTF-8 or is longer than 64 MiB is a problem of that line and is left out. With
    ``keep_ends`` lines keep their ends, and such a line refuses the file, since a row may
    continue over it. The stream stays open.

    Raises:
        BadFile: for UTF-16, UTF-32 and damaged gzip.
    """
    source = _wrap(stream)
    try:
        yield from _read_numbered(_unzip(source), problems, keep_ends=keep_ends)
    finally:
        if source is not stream:
            # Collected with its wrapper attached, the caller's stream would be closed.
            source.detach()


def peek_line(stream: BinaryIO) -> str:
    """Return the first line that is not empty, and leave the stream where it was.

    At most 64 KiB are looked at. The stream must be seekable or buffered. This is for
    guessing the format only: bytes that are not UTF-8 are replaced, and UTF-16 is seen
    through, so that it is the reader who refuses it by name.
    """
    if stream.seekable():
        place = stream.tell()
        head = stream.read(HEAD)
        stream.seek(place)
    else:
        head = cast(io.BufferedReader, stream).peek(HEAD)[:HEAD]
    if head.startswith(GZIP):
        head = _unzip_head(head)
    for mark in (BOM, *(mark for mark, _ in ENCODINGS)):
        head = head.removeprefix(mark)
    first, _, _ = head.replace(b"\0", b"").lstrip(b"\r\n").partition(b"\n")
    return first.decode("utf-8", errors="replace").removesuffix("\r")


def _wrap(stream: BinaryIO) -> io.BufferedReader:
    if isinstance(stream, io.BufferedReader):
        return stream
    return io.BufferedReader(cast(io.RawIOBase, stream), HEAD)


def _unzip(source: io.BufferedReader) -> io.BufferedReader:
    if source.peek(2)[:2] != GZIP:
        return source
    return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=source)), HEAD)


def _unzip_head(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD)
    except zlib.error:
        return b""


def _read_numbered(
    source: io.BufferedReader, problems: Problems, *, keep_ends: bool
) -> Iterator[tuple[int, str]]:
    line, offset = 0, 0
    while True:
        try:
            raw, length = _read_line(source)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            problems.fail(line + 1, "the gzip file is cut off or damaged; compress it again")
        if not length:
            return
        line += 1
        if line == 1:
            _refuse_other_encodings(raw, problems)
        text = _decode(raw, line, offset, problems, whole_file=keep_ends)
        offset += length
        if text is not None:
            yield line, text if keep_ends else text.removesuffix("\n").removesuffix("\r")


def _read_line(source: io.BufferedReader) -> tuple[bytes, int]:
    """Return a line and its full length; a line beyond the limit is read past, not kept."""
    raw = source.readline(MAX_LINE + 1)
    length, piece = len(raw), raw
    while len(piece) > MAX_LINE and not piece.endswith(b"\n"):
        piece = source.readline(MAX_LINE + 1)
        length += len(piece)
    return raw, length


def _decode(
    raw: bytes, line: int, offset: int, problems: Problems, *, whole_file: bool
) -> str | None:
    refuse = problems.fail if whole_file else problems.add
    if len(raw) > MAX_LINE:
        refuse(line, f"the line is longer than {MAX_LINE:,} bytes, the limit; split the text")
        return None
    if line == 1:
        offset += len(raw)
        raw = raw.removeprefix(BOM)
        offset -= len(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(
            line,
            f"byte {offset + error.start} of the file (0x{raw[error.start]:02x}) is not UTF-8;"
            " save the file as UTF-8 (it may be in a regional code page such as Windows-1252)",
        )
        return None


def _refuse_other_encodings(raw: bytes, problems: Problems) -> None:
    for mark, encoding in ENCODINGS:
        if raw.startswith(mark):
            problems.fail(1, f"the file is {encoding}; save it as UTF-8")
    head = raw[:HEAD]
    if head.count(0) * 3 > len(head):
        problems.fail(
            1, "the file looks like UTF-16 without a byte-order mark; save it as UTF-8"
        )
