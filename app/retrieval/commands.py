"""Commands: ``goldspan import run`` and ``goldspan retrieve``."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from app import jobs, terminal
from app.db import Database, transaction
from app.domain.hit_ids import Reading
from app.domain.ordering import Rule
from app.domain.words import say_count
from app.errors import AppError, Invalid
from app.models import Run
from app.projects import service as projects
from app.projects.loading import AsJson, DryRun, Files, Form, Slug
from app.projects.uploads import named_file
from app.retrieval import service
from app.retrieval.runfiles import RunFile, read_run_file
from app.retrieval.service import PlannedRun, RunReport


def import_run(
    slug: Slug,
    files: Files,
    name: Annotated[str | None, typer.Option(help="The run's name; else the file's.")] = None,
    order: Annotated[
        Rule, typer.Option(help="What decides the order: score (as trec_eval) or rank.")
    ] = "score",
    allow_unknown: Annotated[
        bool,
        typer.Option("--allow-unknown", help="Keep hits on documents not in the corpus."),
    ] = False,
    ids: Annotated[
        Reading | None, typer.Option(help="How ids that end like a span are meant.")
    ] = None,
    form: Form = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Take in runs: all files, or none where one cannot be taken."""
    if name is not None and len(files) > 1:
        raise Invalid("One name cannot be given to several files. Import them one by one.")
    with terminal.opened() as (database, _), ExitStack() as kept:
        checked: list[tuple[Path, RunFile]] = []
        for each in files:
            path, shown = kept.enter_context(named_file(each))
            checked.append((path, read_run_file(path, shown, form)))
        with transaction(database, write=not dry_run) as session:
            project = projects.project_by_slug(session, slug)
            reports = [
                service.import_run(
                    session,
                    project,
                    path,
                    file_name=file.file_name,
                    name=name,
                    order=order,
                    allow_unknown=allow_unknown,
                    ids=ids,
                    dry_run=dry_run,
                    checked=file,
                )
                for path, file in checked
            ]
    _tell_imports(reports, dry_run=dry_run, as_json=as_json)


def _tell_imports(reports: Sequence[RunReport], *, dry_run: bool, as_json: bool) -> None:
    for report in reports:
        terminal.answer(service.explain(report, dry_run=dry_run), as_json=as_json)
        terminal.say(*report.warnings)
    if dry_run and not all(report.already for report in reports):
        terminal.answer("Nothing was stored: this was a dry run.", as_json=as_json)
    if as_json:
        terminal.emit({"dry_run": dry_run, "runs": [each.as_json for each in reports]})


def retrieve(
    slug: Slug,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            metavar="NAME",
            help="bm25, dense or hybrid, each with @whole, @paragraphs, @chars:400:100 or "
            "@sentences:600; all three without. A kind alone takes short documents whole "
            "and long ones by paragraphs.",
        ),
    ] = None,
    depth: Annotated[int, typer.Option(help="Hits a query.")] = service.DEFAULT_DEPTH,
    as_json: AsJson = False,
) -> None:
    """Run the built-in retrievers and wait; what is there and unchanged stays as it is."""
    with terminal.opened() as (database, settings):
        with transaction(database) as session:
            project = projects.project_by_slug(session, slug)
            planned = service.plan_runs(session, project, retriever or (), depth)
        _tell_plans(planned)
        wanted = [each.run.id for each in planned]
        if _count_open(database, wanted):
            jobs.work_until(database, settings, _Watch(database, wanted).is_over)
        with transaction(database, write=False) as session:
            runs = service.runs_by_ids(session, wanted)
    fresh = {each.run.id for each in planned if each.fresh}
    _tell_ends(runs, as_json=as_json)
    if as_json:
        terminal.emit({"runs": [_to_json(run, fresh=run.id in fresh) for run in runs]})
    broken = [f"{run.name}: {run.error or run.state}" for run in runs if run.state != "done"]
    if broken:
        raise AppError("\n".join(broken))


def _tell_plans(planned: Sequence[PlannedRun]) -> None:
    for each in planned:
        if not each.fresh and each.run.state == "done":
            terminal.say(f"{each.run.name}: unchanged; nothing was added.")
        elif not each.fresh:
            terminal.say(f"{each.run.name}: under way already.")


class _Watch:
    """Says now and then how far the runs are."""

    def __init__(self, database: Database, run_ids: Sequence[int]) -> None:
        self._database = database
        self._run_ids = run_ids
        self._said: dict[int, int] = {}

    def is_over(self) -> bool:
        """Tell whether all runs are over, and say the steps since last asked."""
        with transaction(self._database, write=False) as session:
            runs = service.runs_by_ids(session, self._run_ids)
        for run in runs:
            if run.state == "running" and self._said.get(run.id) != run.queries_done:
                self._said[run.id] = run.queries_done
                terminal.say(f"{run.name}: {run.queries_done:,} of {run.queries_total:,}")
        return not any(run.state in ("planned", "running") for run in runs)


def _count_open(database: Database, run_ids: Sequence[int]) -> int:
    with transaction(database, write=False) as session:
        runs = service.runs_by_ids(session, run_ids)
    return sum(run.state in ("planned", "running") for run in runs)


def _tell_ends(runs: Sequence[Run], *, as_json: bool) -> None:
    for run in runs:
        if run.state == "done":
            terminal.answer(
                f"{run.name}: {say_count(run.hits_total, 'hit')} for "
                f"{say_count(run.queries_done, 'query')}.",
                as_json=as_json,
            )


def _to_json(run: Run, *, fresh: bool) -> dict[str, object]:
    return {
        "name": run.name,
        "retriever": run.retriever,
        "state": run.state,
        "error": run.error,
        "new": fresh,
        "depth": run.depth,
        "queries": run.queries_done,
        "hits": run.hits_total,
    }
