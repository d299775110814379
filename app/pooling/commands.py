"""Commands: ``goldspan pool build`` and ``goldspan pool extend``."""

from typing import Annotated

import typer

from app import terminal
from app.db import transaction
from app.domain.words import say_count
from app.pooling import service
from app.pooling.service import PoolReport
from app.projects import service as projects
from app.projects.loading import AsJson, DryRun, Slug

app = typer.Typer(help="The pool: what is to be graded.", no_args_is_help=True)
Runs = Annotated[
    list[str] | None,
    typer.Option("--run", metavar="NAME", help="A run to pool; all complete ones without."),
]


@app.command("build")
def build(
    slug: Slug,
    run: Runs = None,
    depth: Annotated[int, typer.Option(help="Hits of each run.")] = service.DEPTH,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Pool the first hits of the runs, once."""
    with (
        terminal.opened() as (database, _),
        transaction(database, write=not dry_run) as session,
    ):
        project = projects.project_by_slug(session, slug)
        report = service.build(session, project, run_names=run, depth=depth, dry_run=dry_run)
    _tell(report, dry_run=dry_run, as_json=as_json)


@app.command("extend")
def extend(
    slug: Slug,
    run: Runs = None,
    depth: Annotated[
        int | None, typer.Option(help="Hits of each run; as deep as the pool without.")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Add new runs to the pool; what is in it keeps its grades."""
    with (
        terminal.opened() as (database, _),
        transaction(database, write=not dry_run) as session,
    ):
        project = projects.project_by_slug(session, slug)
        report = service.extend(session, project, run_names=run, depth=depth, dry_run=dry_run)
    _tell(report, dry_run=dry_run, as_json=as_json)


def _tell(report: PoolReport, *, dry_run: bool, as_json: bool) -> None:
    terminal.answer(
        f"{say_count(report.items, 'passage')} of {say_count(report.queries, 'query')}, "
        f"{report.added:,} new; "
        f"{report.gradable:,} can be graded, {report.unknown:,} are of documents without a "
        "text.",
        *(
            f"{name}: {say_count(part.hits, 'hit')}, {part.unique:,} found by no other run"
            for name, part in report.runs.items()
        ),
        *_tell_short(report),
        as_json=as_json,
    )
    if dry_run:
        terminal.say("Nothing was stored: this was a dry run.")
    if as_json:
        terminal.emit(report.as_json())


def _tell_short(report: PoolReport) -> list[str]:
    if not report.short_total:
        return []
    first = report.short[0]
    return [
        f"{report.short_total:,} lists are shorter than {report.depth}, such as "
        f"{first.run} with {first.taken} for {first.query_id}."
    ]
