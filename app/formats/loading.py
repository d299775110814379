"""Loading: a whole file of labels or hits, checked, for commands without a database."""

from collections.abc import Callable
from pathlib import PurePath

from app.domain.scale import read_grade
from app.formats.checks import Problems
from app.formats.detect import QRELS, RUN, Kind, check_format, sniff
from app.formats.judgments import Duplicates, Judgment, settle_judgments
from app.formats.lines import open_file, peek_line
from app.formats.rows import HitRow


def load_judgments(
    path: str,
    *,
    form: str | None = None,
    read: Callable[[str], int | None] = read_grade,
    duplicates: Duplicates = "refuse",
    skip_bad: bool = False,
) -> list[Judgment]:
    """Read a file of labels, of the format ``form`` or the one it looks like.

    Raises:
        BadFile: with all bad lines; see `judgments.settle_judgments`.
        Invalid: where the file or its format cannot be found.
    """
    problems = Problems(path, skip_bad=skip_bad)
    with open_file(path) as stream:
        reader = QRELS[_choose_form("qrels", path, form, peek_line(stream))]
        rows = reader(stream, problems)
        judgments = settle_judgments(rows, problems, read=read, duplicates=duplicates)
    problems.raise_if_any()
    return judgments


def load_hits(
    path: str, *, form: str | None = None, skip_bad: bool = False
) -> dict[str, list[HitRow]]:
    """Read a run as query id to its hits, in the order of the file.

    Raises:
        BadFile: with all bad lines.
        Invalid: where the file or its format cannot be found.
    """
    problems = Problems(path, skip_bad=skip_bad)
    hits: dict[str, list[HitRow]] = {}
    with open_file(path) as stream:
        reader = RUN[_choose_form("run", path, form, peek_line(stream))]
        for row in reader(stream, problems):
            hits.setdefault(row.query_id, []).append(row)
    problems.raise_if_any()
    return hits


def name_run(path: str) -> str:
    """Return the name of a run's file without folder, ``.gz`` and its last ending."""
    return PurePath(path.removesuffix(".gz")).stem


def _choose_form(kind: Kind, path: str, form: str | None, first_line: str) -> str:
    return sniff(kind, path, first_line) if form is None else check_format(kind, form)
