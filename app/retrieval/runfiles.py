"""Run files: what a file of hits says, checked against the project before it is stored."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.corpus.service import VersionInfo
from app.domain.hit_ids import Ambiguous, Reading, read_hit_id
from app.domain.ordering import OrderReport, Rule, order_hits, order_report
from app.domain.spans import Span
from app.domain.words import say_count
from app.formats.checks import Problems
from app.formats.detect import RUN, check_format, sniff
from app.formats.lines import open_file, peek_line
from app.formats.loading import name_run
from app.formats.rows import HitRow

SHOWN = 5
STANDARD_INPUT = "standard input"


@dataclass(frozen=True, slots=True)
class RunFile:
    """The rows of a run by query, in the order of the file."""

    file_name: str
    sha256: str  # of the bytes and the format
    hits: dict[str, list[HitRow]]
    problems: Problems

    @property
    def name(self) -> str:
        """The file's name without folder and ending; of standard input, the rows' tag.

        Tools write one tag into all their runs (eight Lucene runs are called STANDARD), so
        the file's name is the better one.
        """
        if self.file_name != STANDARD_INPUT:
            return name_run(self.file_name)
        return next((row.tag for rows in self.hits.values() for row in rows), "")


@dataclass(frozen=True, slots=True)
class PlacedHit:
    """A row and the span it means."""

    row: HitRow
    span: Span

    @property
    def hit_id(self) -> str:
        return self.row.hit

    @property
    def score(self) -> float:
        return self.row.score

    @property
    def rank(self) -> int | None:
        return self.row.rank


def read_run_file(path: Path, file_name: str, form: str | None = None) -> RunFile:
    """Read a run of TREC columns or JSON lines of spans; bad lines are kept as problems.

    Raises:
        BadFile: the file cannot be read at all.
        Invalid: its format cannot be told, or there is no such file.
    """
    problems = Problems(file_name)
    hits: dict[str, list[HitRow]] = {}
    with open_file(str(path)) as stream:
        name = check_format("run", form) if form else sniff("run", file_name, peek_line(stream))
        for row in RUN[name](stream, problems):
            hits.setdefault(row.query_id, []).append(row)
    return RunFile(file_name, _hash_file(path, name), hits, problems)


def _hash_file(path: Path, form: str) -> str:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    digest.update(b"\n" + form.encode())
    return digest.hexdigest()


def digest_with(file: RunFile, **options: object) -> str:
    """Return SHA-256 of a file and of the options that change what is stored."""
    told = json.dumps(options, sort_keys=True)
    return hashlib.sha256(f"{file.sha256}\n{told}".encode()).hexdigest()


def named_documents(file: RunFile, reading: Reading | None) -> set[str]:
    """Return every document id that a row may mean, in one reading or the other."""
    ids: set[str] = set()
    for hit in {(row.hit, row.doc_id) for rows in file.hits.values() for row in rows}:
        text, doc_id = hit
        if doc_id is not None:
            ids.add(doc_id)
            continue
        span = read_hit_id(text, reading=reading)
        if isinstance(span, Span):
            ids |= {text, span.doc_id} if reading is None else {span.doc_id}
    return ids


def place_hits(
    file: RunFile,
    known: Mapping[str, VersionInfo],
    *,
    reading: Reading | None = None,
    rule: Rule = "score",
) -> dict[str, list[PlacedHit]]:
    """Say which span each row means; rows that mean none become problems of the file.

    A literal document id wins over the reading as a span; where both exist the user must
    say. ``known`` holds every document of the project that `named_documents` names.
    """
    placed: dict[str, list[PlacedHit]] = {}
    for query_id, rows in file.hits.items():
        seen: dict[Span, int] = {}
        for row in rows:
            span = _place(row, known, reading, file.problems)
            if span is None or not _is_ranked(row, rule, file.problems):
                continue
            first = seen.setdefault(span, row.line)
            if first != row.line:
                file.problems.add(row.line, f"it names the passage of line {first} again")
                continue
            placed.setdefault(query_id, []).append(PlacedHit(row, span))
    return placed


def _place(
    row: HitRow,
    known: Mapping[str, VersionInfo],
    reading: Reading | None,
    problems: Problems,
) -> Span | None:
    span = _read_place(row, known.__contains__, reading)
    if isinstance(span, Ambiguous):
        problems.add(
            row.line,
            f"{row.hit!r} is a document and also a part of document {span.span.doc_id!r};"
            " say which is meant with --ids document or --ids span",
        )
        return None
    info = known.get(span.doc_id)
    if span.whole:
        return Span(span.doc_id, 0, info.length if info else None, whole=True)
    if info and info.length is not None and span.reach > info.length:
        problems.add(
            row.line,
            f"characters {span.start}-{span.end} lie beyond the {info.length} characters"
            f" of document {span.doc_id!r}",
        )
        return None
    return span


def _read_place(
    row: HitRow, is_known: Callable[[str], bool], reading: Reading | None
) -> Span | Ambiguous:
    if row.doc_id is None:
        return read_hit_id(row.hit, is_known, reading)
    if row.start is None:
        return Span(row.doc_id, 0, None, whole=True)
    return Span(row.doc_id, row.start, row.end)


def _is_ranked(row: HitRow, rule: Rule, problems: Problems) -> bool:
    if rule == "rank" and row.rank is None:
        problems.add(row.line, "it has no rank; import the run in the order of its scores")
        return False
    return True


def refuse_unknown_queries(file: RunFile, known: Iterable[str]) -> None:
    """Make one problem of all the queries that the project does not have."""
    unknown = file.hits.keys() - set(known)
    if unknown:
        first = [query_id for query_id in file.hits if query_id in unknown]
        file.problems.add(
            file.hits[first[0]][0].line,
            f"{say_count(len(first), 'query')} not in the project: {list_some(first)};"
            " import the queries first, or remove these lines",
        )


def refuse_unknown_documents(
    file: RunFile, unknown: Sequence[str], hits: Sequence[PlacedHit]
) -> None:
    """Make one problem of all the documents that the corpus does not have."""
    if unknown:
        file.problems.add(
            hits[0].row.line,
            f"{say_count(len(unknown), 'document')} not in the corpus, in"
            f" {say_count(len(hits), 'line')}: {list_some(unknown)}; import them first, or keep"
            " the lines with --allow-unknown (counted and pooled, never graded)",
        )


def order_placed(
    placed: Mapping[str, list[PlacedHit]], rule: Rule
) -> tuple[dict[str, list[PlacedHit]], OrderReport]:
    """Put every query's hits in the run's declared order, and say where rules disagree."""
    ordered = {query_id: order_hits(hits, rule) for query_id, hits in placed.items()}
    return ordered, order_report(placed)


def list_some(ids: Sequence[str]) -> str:
    """Write the first ids, and how many more there are."""
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(ids[:SHOWN]) + more
