"""Imports: what every import shares: checking a file before anything is written, the report."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from app.domain.words import say_count, say_thing
from app.formats.checks import Problems
from app.formats.detect import Kind, check_format, sniff
from app.formats.lines import open_file, peek_line

Row = TypeVar("Row")
Reader = Callable[[BinaryIO, Problems], Iterator[Row]]
Told = Callable[[int], None]
"""Hears how many rows have been worked on so far."""

FIRST = 20
BATCH_ROWS = 1_000
BATCH_CHARACTERS = 4_000_000


def hear_nothing(_: int) -> None:
    """Listen to no progress."""


@dataclass(frozen=True, slots=True)
class Checked(Generic[Row]):
    """A file that was read once to its end and can be taken.

    ``sha256`` is of its bytes and its format; ``rows`` are the good ones.
    """

    path: Path
    file_name: str
    form: str
    sha256: str
    reader: Reader[Row]
    rows: int = 0
    skip_bad: bool = False

    @contextmanager
    def read(self, problems: Problems) -> Iterator[Iterator[Row]]:
        """Give the rows as a stream; bad lines go to ``problems``."""
        with open_file(str(self.path)) as stream:
            yield self.reader(stream, problems)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or would do: counts of rows, and the lines that were left out."""

    kind: str
    file_name: str
    form: str
    sha256: str
    rows: int
    added: int = 0
    unchanged: int = 0
    filled: int = 0
    """Documents that a run had named before and whose text is known now."""
    changed: int = 0
    """New versions: another text or title, another wording or need."""
    updated: int = 0
    """Other tags, access or answerability; the text stayed."""
    duplicates: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()
    """The first 50 of the lines left out, in words."""
    already: bool = False
    """The same file was imported before; nothing was changed."""
    first_rows: tuple[dict[str, Any], ...] = ()
    """In a preview, the first 20 rows as they would be stored."""

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON keys; the format is ``format``."""
        values = asdict(self)
        values["format"] = values.pop("form")
        values["problems"] = list(self.problems)
        values["first_rows"] = list(self.first_rows)
        return values


def check_file(
    kind: Kind,
    readers: Mapping[str, Reader[Row]],
    path: Path,
    *,
    file_name: str,
    form: str | None = None,
    skip_bad: bool = False,
    told: Told = hear_nothing,
) -> Checked[Row]:
    """Read a whole file and refuse it with all its bad lines; writes nothing (V-018).

    Raises:
        BadFile: where lines are bad and not to be skipped, or nothing is left.
        Invalid: where the file or its format cannot be found.
    """
    problems = Problems(file_name, skip_bad=skip_bad)
    with open_file(str(path)) as stream:
        first = peek_line(stream)
    known = check_format(kind, form) if form else sniff(kind, file_name, first)
    checked = Checked(
        path, file_name, known, _hash_file(path, known), readers[known], skip_bad=skip_bad
    )
    rows = 0
    with checked.read(problems) as stream_of_rows:
        for rows, _ in enumerate(stream_of_rows, 1):
            if rows % BATCH_ROWS == 0:
                told(rows)
    problems.raise_if_any()
    return replace(checked, rows=rows)


def _hash_file(path: Path, form: str) -> str:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    digest.update(b"\n" + form.encode())
    return digest.hexdigest()


def take_batches(rows: Iterator[Row], weigh: Callable[[Row], int]) -> Iterator[list[Row]]:
    """Yield lists of at most 1,000 rows, or fewer once they weigh 4,000,000 characters."""
    batch: list[Row] = []
    weight = 0
    for row in rows:
        batch.append(row)
        weight += weigh(row)
        if len(batch) >= BATCH_ROWS or weight >= BATCH_CHARACTERS:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def make_report(
    kind: str,
    checked: Checked[Any],
    problems: Problems,
    tally: Mapping[str, int],
    first_rows: list[dict[str, Any]],
) -> ImportReport:
    """Put the counts of an import together."""
    return ImportReport(
        kind=kind,
        file_name=checked.file_name,
        form=checked.form,
        sha256=checked.sha256,
        rows=checked.rows,
        duplicates=problems.dropped,
        skipped=problems.skipped,
        problems=tuple(map(str, problems.shown)) if problems.skip_bad else (),
        first_rows=tuple(first_rows),
        added=tally.get("added", 0),
        unchanged=tally.get("unchanged", 0),
        filled=tally.get("filled", 0),
        changed=tally.get("changed", 0),
        updated=tally.get("updated", 0),
    )


def report_again(checked: Checked[Any], kind: str) -> ImportReport:
    """Say that the same file was imported before, and that nothing was changed."""
    return ImportReport(
        kind=kind,
        file_name=checked.file_name,
        form=checked.form,
        sha256=checked.sha256,
        rows=checked.rows,
        unchanged=checked.rows,
        already=True,
    )


def explain(report: ImportReport, thing: str, *, dry_run: bool = False) -> list[str]:
    """Say in words what an import did; ``thing`` is the singular, such as document."""
    if report.already:
        told = "importing it again would change nothing" if dry_run else "nothing was changed"
        return [f"{report.file_name} was imported before; {told}."]
    counts = [
        (report.added, "new"),
        (report.unchanged, "unchanged"),
        (report.filled, "known by name before, now with their text"),
        (report.changed, "in a new version"),
        (report.updated, "with other tags"),
        (report.duplicates, f"{say_thing(report.duplicates, 'repeated line')} counted once"),
        (report.skipped, f"{say_thing(report.skipped, 'bad line')} left out"),
    ]
    parts = [f"{count:,} {word}" for count, word in counts if count]
    return [
        f"{report.file_name}: {say_count(report.rows, thing)}; {', '.join(parts) or 'none'}."
    ]
