"""Commands: ``goldspan assign`` and ``goldspan import qrels|grades``."""

from contextlib import ExitStack
from functools import partial
from typing import Annotated

import typer

from app import terminal
from app.assignment import service
from app.assignment.graders import Kind
from app.assignment.plans import SEATS, SEED, PlanPreview, Rest
from app.db import transaction
from app.domain.hit_ids import Reading
from app.domain.scale import parse_mapping
from app.domain.words import say_count
from app.formats.judgments import Duplicates
from app.projects import service as projects
from app.projects.loading import AsJson, DryRun, Files, Form, Slug
from app.projects.uploads import named_file


def assign(
    slug: Slug,
    sample: Annotated[
        int | None, typer.Option(help="Passages of the validation sample; 200 without.")
    ] = None,
    seats: Annotated[int, typer.Option(help="Grades of each of them.")] = SEATS,
    seed: Annotated[int, typer.Option(help="The same seed draws the same sample.")] = SEED,
    rest: Annotated[
        Rest, typer.Option(help="Who grades the rest: smes, or judge (nothing is queued).")
    ] = "smes",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Queue the pool for SMEs: a validation sample, then the rest."""
    with (
        terminal.opened() as (database, _),
        transaction(database, write=not dry_run) as session,
    ):
        project = projects.project_by_slug(session, slug)
        preview = service.preview_plan(
            session, project, sample_size=sample, seats=seats, seed=seed, rest=rest
        )
        if not dry_run:
            service.make_plan(
                session, project, sample_size=sample, seats=seats, seed=seed, rest=rest
            )
    terminal.answer(_describe(preview, sample), as_json=as_json)
    if dry_run:
        terminal.say("Nothing was stored: this was a dry run.")
    if as_json:
        terminal.emit(preview.as_json())


def _describe(preview: PlanPreview, wanted: int | None) -> str:
    rest = f"{preview.rest:,} once"
    if preview.judged:
        rest = f"{preview.judged:,} left to the judge"
    all_of_them = "" if wanted is None or wanted <= preview.sample else " (all there are)"
    return (
        f"{say_count(preview.sample, 'passage')}{all_of_them} in the validation sample, "
        f"{say_count(preview.seats, 'grade')} each; {rest}: "
        f"{say_count(preview.grades, 'grade')} on {say_count(preview.queries, 'query')}, about "
        f"{say_count(preview.minutes, 'minute')} for {say_count(preview.smes, 'SME')} together."
    )


def import_grades(
    slug: Slug,
    files: Files,
    sme: Annotated[str | None, typer.Option(help="The person these grades are of.")] = None,
    judge: Annotated[str | None, typer.Option(help="The judge these grades are of.")] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Other scales, such as 4=3,3=2,-1=0.")
    ] = None,
    duplicates: Annotated[
        Duplicates, typer.Option(help="Which of several grades of one pair counts.")
    ] = "refuse",
    ids: Annotated[
        Reading | None, typer.Option(help="How ids that end like a span are meant.")
    ] = None,
    allow_unknown: Annotated[
        bool,
        typer.Option("--allow-unknown", help="Keep documents by name, leave out queries."),
    ] = False,
    form: Form = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Take in grades under the name of an SME or a judge: all files, or none."""
    kind, name = _choose_grader(sme, judge)
    scale = parse_mapping(mapping) if mapping else None
    check = partial(
        service.check_grades,
        mapping=scale,
        duplicates=duplicates,
        ids=ids,
        allow_unknown=allow_unknown,
        format=form,
    )
    with terminal.opened() as (database, _), ExitStack() as kept:
        named = [kept.enter_context(named_file(each)) for each in files]
        checked = [(path, check(path, file_name=shown)) for path, shown in named]
        with transaction(database, write=not dry_run) as session:
            project = projects.project_by_slug(session, slug)
            reports = [
                service.import_grades(
                    session,
                    project,
                    path,
                    file_name=file.file_name,
                    grader_kind=kind,
                    grader_name=name,
                    ids=ids,
                    allow_unknown=allow_unknown,
                    dry_run=dry_run,
                    checked=file,
                )
                for path, file in checked
            ]
    terminal.answer(*(line for each in reports for line in each.explain()), as_json=as_json)
    if dry_run:
        terminal.say("Nothing was stored: this was a dry run.")
    if as_json:
        terminal.emit({"dry_run": dry_run, "files": [each.as_json() for each in reports]})


def _choose_grader(sme: str | None, judge: str | None) -> tuple[Kind, str]:
    if sme is not None and judge is None:
        return "sme", sme
    if judge is not None and sme is None:
        return "judge", judge
    raise typer.BadParameter("Say whose grades these are: either --sme NAME or --judge NAME.")
