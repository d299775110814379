"""Label files: what a file of grades says, and which passage each line means."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.corpus.service import VersionInfo
from app.domain.hit_ids import Ambiguous, Reading, read_hit_id
from app.domain.spans import Span
from app.formats.checks import Problems
from app.formats.detect import QRELS, check_format, sniff
from app.formats.judgments import Duplicates, Judgment, map_grades, settle_judgments
from app.formats.lines import open_file, peek_line

SHOWN = 5
PART = 1 << 20


@dataclass(frozen=True, slots=True)
class LabelFile:
    """The labels of a file on our scale, one a pair of query and id, in the file's order."""

    file_name: str
    judgments: list[Judgment]
    problems: Problems
    sha256: str
    """Of the bytes and of the options that change what is stored."""


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label and the span it means."""

    judgment: Judgment
    span: Span


def read_label_file(
    path: Path,
    file_name: str,
    *,
    form: str | None,
    mapping: Mapping[str, int] | None,
    duplicates: Duplicates,
    options: Mapping[str, object],
) -> LabelFile:
    """Read labels of any format; bad lines are kept as problems.

    Raises:
        BadFile: the file cannot be read at all.
        Invalid: its format cannot be told, or there is no such file.
    """
    problems = Problems(file_name)
    with open_file(str(path)) as stream:
        first = peek_line(stream)
        name = check_format("qrels", form) if form else sniff("qrels", file_name, first)
        rows = QRELS[name](stream, problems)
        judgments = settle_judgments(
            rows, problems, read=map_grades(mapping), duplicates=duplicates
        )
    return LabelFile(file_name, judgments, problems, _digest(path, options))


def _digest(path: Path, options: Mapping[str, object]) -> str:
    digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode())
    with path.open("rb") as stream:
        while part := stream.read(PART):
            digest.update(part)
    return digest.hexdigest()


def named_documents(judgments: Iterable[Judgment], reading: Reading | None) -> set[str]:
    """Return every document id that a line may mean, in one reading or the other."""
    ids: set[str] = set()
    for judgment in judgments:
        row = judgment.row
        if row.doc_id is not None:
            ids.add(row.doc_id)
            continue
        span = read_hit_id(row.hit, reading=reading)
        if isinstance(span, Span):
            ids |= {row.hit, span.doc_id} if reading is None else {span.doc_id}
    return ids


def place_labels(
    file: LabelFile, known: Mapping[str, VersionInfo], reading: Reading | None
) -> list[PlacedLabel]:
    """Say which span each line means; lines that mean none become problems.

    A literal document id wins over the reading as a span; where both exist the user must
    say. ``known`` holds every document of the project that `named_documents` names. Two
    spellings of one passage are one label, or a problem where their grades differ.
    """
    placed: dict[tuple[str, Span], PlacedLabel] = {}
    for judgment in file.judgments:
        span = _read_place(judgment, known, reading, file.problems)
        if span is None:
            continue
        key = (judgment.row.query_id, span)
        first = placed.setdefault(key, PlacedLabel(judgment, span))
        if first.judgment.grade != judgment.grade:
            file.problems.add(
                judgment.row.line,
                f"it names the passage of line {first.judgment.row.line} again,"
                " with another grade; keep one of both",
            )
    return list(placed.values())


def _read_place(
    judgment: Judgment,
    known: Mapping[str, VersionInfo],
    reading: Reading | None,
    problems: Problems,
) -> Span | None:
    row = judgment.row
    if row.doc_id is None:
        span = read_hit_id(row.hit, known.__contains__, reading)
    elif row.start is None:
        span = Span(row.doc_id, 0, None, whole=True)
    else:
        span = Span(row.doc_id, row.start, row.end)
    if isinstance(span, Ambiguous):
        problems.add(
            row.line,
            f"{row.hit!r} is a document and also a part of document {span.span.doc_id!r};"
            " say which is meant with --ids document or --ids span",
        )
        return None
    return _check_end(span, known.get(span.doc_id), row.line, problems)


def _check_end(
    span: Span, info: VersionInfo | None, line: int, problems: Problems
) -> Span | None:
    length = info.length if info else None
    if span.whole:
        return Span(span.doc_id, 0, length, whole=True)
    if length is not None and span.reach > length:
        problems.add(
            line,
            f"characters {span.start}-{span.end} lie beyond the {length} characters of"
            f" document {span.doc_id!r}",
        )
        return None
    return span


def check_quote(label: PlacedLabel, text: str, problems: Problems) -> None:
    """Make a problem of a line whose ``text`` is not what stands at its span."""
    row, span = label.judgment.row, label.span
    there = text if span.whole else text[span.start : span.end]
    if row.text is not None and row.text != there:
        problems.add(
            row.line,
            f"its text {_shorten(row.text)} is not what document {span.doc_id!r} has there,"
            f" {_shorten(there)}; offsets count code points, the end is exclusive",
        )


def _shorten(text: str, characters: int = 40) -> str:
    return repr(text if len(text) <= characters else text[: characters - 1] + "…")


def refuse_unknown(
    file: LabelFile, labels: Sequence[Judgment], ids: Sequence[str], thing: str, many: str
) -> None:
    """Make one problem of everything the project does not have (V-014)."""
    if not ids:
        return
    more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
    lines = "1 line" if len(labels) == 1 else f"{len(labels):,} lines"
    file.problems.add(
        labels[0].row.line,
        f"{len(ids):,} {thing if len(ids) == 1 else many} not in the project, in {lines}:"
        f" {', '.join(ids[:SHOWN])}{more}; import them first, or take the file as it is with"
        " --allow-unknown (documents are kept by name, lines of other queries left out)",
    )
