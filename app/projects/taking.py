"""Taking: how a checked file is taken into a project or previewed, whatever it holds."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy.orm import Session

from app.formats.checks import Problems
from app.models import Project
from app.projects import imports, service
from app.projects.imports import FIRST, Checked, ImportReport, Told, hear_nothing


class Countable(Protocol):
    """What a batch changes, counted under the names of `ImportReport`."""

    def count(self) -> Counter[str]: ...


Row = TypeVar("Row")
Changes = TypeVar("Changes", bound=Countable)


@dataclass(frozen=True, slots=True)
class Intake(Generic[Row, Changes]):
    """What a room knows of its rows.

    ``compare`` only reads; rows that contradict what is in use become problems. ``apply``
    stores what it found. ``weigh`` gives characters, ``show`` a row of the preview.
    """

    kind: str
    compare: Callable[[Session, int, list[Row], Problems], Changes]
    apply: Callable[[Session, int, Changes], None]
    weigh: Callable[[Row], int]
    show: Callable[[Row], dict[str, Any]]


def import_checked(
    session: Session,
    project_id: int,
    checked: Checked[Row],
    intake: Intake[Row, Changes],
    *,
    by: int | None = None,
    told: Told = hear_nothing,
) -> ImportReport:
    """Take in a file, all or nothing; the same file again changes nothing (V-017).

    Raises:
        BadFile: with the lines that contradict what is in use.
    """
    service.lock(session, project_id)
    earlier = _find_earlier(session, project_id, checked, intake.kind)
    if earlier is not None:
        return earlier
    with session.begin_nested():
        report = _take(session, project_id, checked, intake, told, store=True)
        service.record_report(session, project_id, report, by=by)
    return report


def preview_checked(
    session: Session,
    project_id: int,
    checked: Checked[Row],
    intake: Intake[Row, Changes],
    *,
    told: Told = hear_nothing,
) -> ImportReport:
    """Say what `import_checked` would do, with the first 20 rows; stores nothing.

    Raises:
        BadFile: with the lines that contradict what is in use.
    """
    earlier = _find_earlier(session, project_id, checked, intake.kind)
    if earlier is not None:
        return earlier
    return _take(session, project_id, checked, intake, told, store=False)


def _find_earlier(
    session: Session, project_id: int, checked: Checked[Any], kind: str
) -> ImportReport | None:
    earlier = service.earlier_import(
        session, project_id, kind=kind, name="", sha256=checked.sha256
    )
    return None if earlier is None else imports.report_again(checked, kind)


def _take(
    session: Session,
    project_id: int,
    checked: Checked[Row],
    intake: Intake[Row, Changes],
    told: Told,
    *,
    store: bool,
) -> ImportReport:
    problems = Problems(checked.file_name, skip_bad=checked.skip_bad)
    tally: Counter[str] = Counter()
    shown: list[dict[str, Any]] = []
    with checked.read(problems) as rows:
        for batch in imports.take_batches(rows, intake.weigh):
            changes = intake.compare(session, project_id, batch, problems)
            if store:
                intake.apply(session, project_id, changes)
            else:
                shown += [intake.show(row) for row in batch[: FIRST - len(shown)]]
            tally.update(changes.count())
            told(tally.total())
    problems.raise_if_any()
    return imports.make_report(intake.kind, checked, problems, tally, shown)


class Check(Protocol):
    """Reads a whole file without a database."""

    def __call__(
        self,
        path: Path,
        /,
        *,
        file_name: str,
        format: str | None = None,
        skip_bad: bool = False,
        told: Told = hear_nothing,
    ) -> Checked[Any]: ...


class Preview(Protocol):
    """Says what taking a checked file into a project would do."""

    def __call__(
        self,
        session: Session,
        project: Project,
        path: Path,
        /,
        *,
        file_name: str,
        checked: Checked[Any],
        told: Told = hear_nothing,
    ) -> ImportReport: ...


class Take(Protocol):
    """Takes a checked file into a project."""

    def __call__(
        self,
        session: Session,
        project: Project,
        path: Path,
        /,
        *,
        file_name: str,
        checked: Checked[Any],
        by: int | None = None,
        told: Told = hear_nothing,
    ) -> ImportReport: ...


@dataclass(frozen=True, slots=True)
class Loading:
    """How a room loads files, for its page and its command; ``thing`` is one row of them."""

    thing: str
    check: Check
    take: Take
    preview: Preview
