"""Loading: files named on the command line, checked first, then taken in together."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from app import terminal
from app.db import Database, transaction
from app.domain.words import say_count
from app.projects import service
from app.projects.imports import Checked, ImportReport, Told, explain
from app.projects.taking import Loading
from app.projects.uploads import named_file

EVERY = 10_000

Slug = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's short name.")]
Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="Files, plain or gzip; - is standard input."),
]
Form = Annotated[
    str | None, typer.Option("--format", help="The format, where the file does not tell.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check and count; store nothing.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave bad lines out, and count them.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON to stdout.")]


def load_files(
    loading: Loading,
    slug: str,
    files: Sequence[str],
    *,
    form: str | None = None,
    dry_run: bool = False,
    skip_bad: bool = False,
    as_json: bool = False,
) -> None:
    """Check all files, then take them all in within one transaction, or none.

    Raises:
        AppError: with the reasons, where one of them cannot be taken.
    """
    with terminal.opened() as (database, _), ExitStack() as kept:
        _find_project(database, slug)
        checked = []
        for name in files:
            path, shown = kept.enter_context(named_file(name))
            told = _tell(f"{shown}: checked", loading.thing)
            checked.append(
                loading.check(path, file_name=shown, format=form, skip_bad=skip_bad, told=told)
            )
        reports = _take_all(database, loading, slug, checked, dry_run=dry_run)
    _report(loading.thing, reports, dry_run=dry_run, as_json=as_json)


def _find_project(database: Database, slug: str) -> None:
    with transaction(database, write=False) as session:
        service.project_by_slug(session, slug)


def _take_all(
    database: Database,
    loading: Loading,
    slug: str,
    checked: list[Checked[Any]],
    *,
    dry_run: bool,
) -> list[ImportReport]:
    take = loading.preview if dry_run else loading.take
    with transaction(database, write=not dry_run) as session:
        project = service.project_by_slug(session, slug)
        return [
            take(
                session,
                project,
                each.path,
                file_name=each.file_name,
                checked=each,
                told=_tell(f"{each.file_name}: worked on", loading.thing),
            )
            for each in checked
        ]


def _tell(what: str, thing: str) -> Told:
    """Say how far the work is, every 10,000 rows."""
    said = 0

    def tell(rows: int) -> None:
        nonlocal said
        if rows >= said + EVERY:
            said = rows
            terminal.say(f"{what} {say_count(rows, thing)}")

    return tell


def _report(thing: str, reports: list[ImportReport], *, dry_run: bool, as_json: bool) -> None:
    for report in reports:
        terminal.say(*report.problems)
        terminal.answer(*explain(report, thing, dry_run=dry_run), as_json=as_json)
    if dry_run and not all(report.already for report in reports):
        terminal.answer("Nothing was stored: this was a dry run.", as_json=as_json)
    if as_json:
        terminal.emit({"dry_run": dry_run, "files": [each.to_json() for each in reports]})
