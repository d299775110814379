"""Commands of releases: ``goldspan release`` and ``goldspan export``."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.orm import Session

from app import terminal
from app.db import transaction
from app.domain.words import say_count
from app.projects import service as projects
from app.releases import service
from app.releases.export import Form, Source, Unit
from app.releases.service import ExportPlan, Override

Slug = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's short name.")]


def release(
    slug: Slug,
    note: Annotated[str, typer.Option(help="What this release is for.")] = "",
    override: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JUDGE=REASON",
            help="Let in the labels of a judge that is not trusted; may come again.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The manifest on stdout.")] = False,
) -> None:
    """Freeze today's labels as the next release; it never changes afterwards."""
    overrides = [_read_override(text) for text in override or []]
    with terminal.opened() as (database, _), transaction(database) as session:
        project = projects.project_by_slug(session, slug)
        made = service.cut_release(session, project, note=note, overrides=overrides)
        manifest = made.manifest
    left = manifest["left_out"]
    terminal.answer(
        f"Release {manifest['release']} of {slug}: {say_count(manifest['labels'], 'label')} of"
        f" {say_count(manifest['queries'], 'query')}.",
        *(
            f"  {sum(counts):,} by {name}"
            for name, counts in manifest["counts"].items()
            if sum(counts)
        ),
        f"Left out: {left['unresolved']} unresolved, {left['judge_not_admitted']} of judges not"
        f" trusted, {left['outdated']} of older texts or wordings.",
        f"Next: goldspan export {slug} --format trec -o {slug}.trec",
        as_json=as_json,
    )
    if as_json:
        terminal.emit(manifest)


def _read_override(text: str) -> Override:
    judge, equals, reason = text.partition("=")
    if not judge or not equals or not reason.strip():
        raise typer.BadParameter(f"--override {text}: write JUDGE=REASON")
    return Override(judge, reason)


def export(
    slug: Slug,
    form: Annotated[Form, typer.Option("--format", help="The kind of file.")],
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="PATH", help="A file; - is standard output."),
    ],
    number: Annotated[
        int | None, typer.Option("--release", metavar="N", help="The newest by default.")
    ] = None,
    unit: Annotated[
        Unit | None,
        typer.Option(help="span: as labelled; document: the highest grade of its spans."),
    ] = None,
    source: Annotated[Source, typer.Option(help="Whose labels.")] = "all",
    escape: Annotated[
        bool,
        typer.Option("--escape", help="trec: write white space and a leading # as %XX."),
    ] = False,
) -> None:
    """Write a release as a file.

    jsonl: one line a query with its ids and grades; with --unit span one line a label with
    doc_id, start, end. beir: a PATH without an ending is a folder with corpus.jsonl,
    queries.jsonl and qrels/test.tsv, one ending in .zip the same as an archive, any other
    the qrels alone.
    """
    packed = form == "beir" and output != "-" and Path(output).suffix in ("", ".zip")
    with terminal.opened() as (database, _), transaction(database, write=False) as session:
        project = projects.project_by_slug(session, slug)
        plan = service.plan_export(
            session,
            project,
            number,
            form=form,
            unit=unit,
            source=source,
            escape=escape,
            packed=packed,
        )
        _write(session, plan, output)


def _write(session: Session, plan: ExportPlan, output: str) -> None:
    if output == "-":
        for block in service.stream_export(session, plan):
            sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        return
    if plan.packed and not output.endswith(".zip"):
        for name, make in service.list_beir_files(session, plan):
            save(Path(output) / name, make())
    else:
        save(Path(output), service.stream_export(session, plan))
    terminal.say(f"Wrote {output}.")


def save(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file as a whole: what stood there before stays until all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            for block in blocks:
                file.write(block)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
