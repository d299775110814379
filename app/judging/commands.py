"""Commands: ``goldspan judge add | run | pause | resume | cancel | retry | status``."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy.orm import Session

from app import jobs, terminal
from app.db import Database, transaction
from app.domain.words import say_count
from app.errors import AppError, Invalid
from app.judging import service
from app.judging.prompts import Prompt
from app.judging.service import Standing, Wish
from app.models import Batch
from app.projects import service as projects
from app.projects.loading import AsJson, Slug

EVERY = 2.0  # seconds between two words on progress

app = typer.Typer(help="Judges: language models that grade.", no_args_is_help=True)
Number = Annotated[
    int | None, typer.Argument(metavar="BATCH", help="Its number; the newest without.")
]


@app.command("add")
def add(
    slug: Slug,
    name: Annotated[str, typer.Option(help="What the judge is called here.")],
    endpoint: Annotated[
        str, typer.Option(help="An OpenAI-compatible address, up to and with /v1.")
    ],
    model: Annotated[str, typer.Option(help="The model, as the endpoint names it.")],
    key_name: Annotated[
        str | None,
        typer.Option(help="The variable with the key: OPENAI_API_KEY or GOLDSPAN_SECRET_..."),
    ] = None,
    temperature: Annotated[float, typer.Option(help="0 gives the steadiest grades.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(help="Tokens of the longest answer.")] = 500,
    prompt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with system and user.")
    ] = None,
    access: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="Restricted documents the endpoint may receive."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a judge; it never changes afterwards. The same one again is no change."""
    wish = Wish(
        name,
        endpoint,
        model,
        key_name,
        temperature,
        max_tokens,
        _read_prompt(prompt),
        tuple(access or ()),
    )
    with terminal.opened() as (database, settings), transaction(database) as session:
        project = projects.project_by_slug(session, slug)
        judge = service.add_judge(session, project, wish, allowed=settings.endpoints)
    terminal.say(f"{judge.name} is a judge: {judge.model}, {judge.identity_hash[:12]}.")
    if as_json:
        terminal.emit({"name": judge.name, "identity": judge.identity_hash})


def _read_prompt(path: Path | None) -> Prompt | None:
    if path is None:
        return None
    try:
        return service.read_prompt(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as unread:
        raise Invalid(f"The prompt {path.name} cannot be read: {unread}.") from unread


@app.command("run")
def run(
    slug: Slug,
    judge: Annotated[str, typer.Option(help="The judge's name.")],
    scope: Annotated[
        str,
        typer.Option(
            help="unjudged, validation, pool, or TAG=VALUE for the queries with that tag."
        ),
    ] = "unjudged",
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before calls are made.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a judge about pairs it has not graded, and wait."""
    wanted = service.read_scope(scope)
    with terminal.opened() as (database, settings):
        with transaction(database, write=False) as session:
            project = projects.project_by_slug(session, slug)
            asked = service.judge_by_name(session, project.id, judge)
            preview = service.preview_batch(session, project, asked, wanted)
        _tell_preview(judge, preview)
        _ask_leave(yes=yes)
        with transaction(database) as session:
            batch = service.launch(session, project, asked, wanted)
        watch = _Watch(database, batch.id)
        jobs.work_until(database, settings, watch.is_over)
        standing = watch.look()
    _tell(standing, as_json=as_json)
    if standing.state != "finished":
        raise AppError(f"The batch is {standing.state}. {standing.why or ''}".strip())


def _tell_preview(judge: str, preview: service.Preview) -> None:
    terminal.say(
        f"{judge} would be asked about {preview.pairs:,} pairs, "
        f"about {preview.tokens:,} tokens sent."
    )
    if preview.refused:
        terminal.say(
            f"{preview.refused:,} more are on restricted documents that its endpoint may not "
            "receive."
        )


def _ask_leave(*, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise Invalid("Nothing was asked. Add --yes to make these calls.")
    if not typer.confirm("Ask?", err=True):
        raise Invalid("Nothing was asked.")


class _Watch:
    """Says now and then how far a batch is."""

    def __init__(self, database: Database, batch_id: int) -> None:
        self._database = database
        self._batch_id = batch_id
        self._next = 0.0

    def look(self) -> Standing:
        """Return how the batch stands now."""
        with transaction(self._database, write=False) as session:
            return service.standing_of(session, session.get_one(Batch, self._batch_id))

    def is_over(self) -> bool:
        """Tell whether nothing more happens by itself, and say the steps since last asked."""
        with transaction(self._database, write=False) as session:
            batch = session.get_one(Batch, self._batch_id)
        if batch.state not in ("planned", "running"):
            return batch.paused_until is None
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            _say_standing(self.look())
        return False


def _say_standing(standing: Standing) -> None:
    failed = f", {standing.failed:,} failed" if standing.failed else ""
    terminal.say(
        f"batch {standing.number}: {standing.done:,} of {standing.pairs:,}{failed}, "
        f"{standing.state}"
    )


def _tell(standing: Standing, *, as_json: bool) -> None:
    terminal.answer(*_describe(standing), as_json=as_json)
    if as_json:
        terminal.emit(standing.as_json())


def _describe(standing: Standing) -> list[str]:
    lines = [
        f"Batch {standing.number} of {standing.judge}, {standing.scope}: {standing.words}; "
        f"{standing.done:,} of {say_count(standing.pairs, 'pair')} graded."
    ]
    lines += [f"  {count:,} {reason}" for reason, count in standing.reasons]
    if standing.why:
        lines.append(f"  {standing.why}")
    if standing.unknown_calls:
        calls = say_count(standing.unknown_calls, "call")
        lines.append(f"  {calls} with unknown outcome, perhaps charged")
    return lines


def _change(slug: str, number: int | None, act: Callable[[Session, Batch], Any]) -> None:
    with terminal.opened() as (database, _):
        with transaction(database) as session:
            project = projects.project_by_slug(session, slug)
            batch = service.batch_by_number(session, project.id, number)
            act(session, batch)
        standing = _Watch(database, batch.id).look()
    _tell(standing, as_json=False)


@app.command("pause")
def pause(slug: Slug, batch: Number = None) -> None:
    """Begin no more calls until resumed."""
    _change(slug, batch, service.pause)


@app.command("resume")
def resume(slug: Slug, batch: Number = None) -> None:
    """Let workers go on with a batch that is paused or was stopped."""
    _change(slug, batch, service.resume)


@app.command("cancel")
def cancel(slug: Slug, batch: Number = None) -> None:
    """End a batch; its verdicts stay."""
    _change(slug, batch, service.cancel)


@app.command("retry")
def retry(slug: Slug, batch: Number = None) -> None:
    """Let workers ask once more about the pairs that failed."""
    _change(slug, batch, service.retry_failed)


@app.command("status")
def status(slug: Slug, batch: Number = None, as_json: AsJson = False) -> None:
    """Show the batches of a project, or one of them."""
    with (
        terminal.opened() as (database, _),
        transaction(database, write=False) as session,
    ):
        project = projects.project_by_slug(session, slug)
        if batch is not None:
            chosen = [(batch, service.batch_by_number(session, project.id, batch))]
        else:
            chosen = service.batches_of(session, project.id)
        standings = [service.standing_of(session, each, number) for number, each in chosen]
    lines = [line for standing in standings for line in _describe(standing)]
    terminal.answer(*(lines or ["No batch was launched yet."]), as_json=as_json)
    if as_json:
        terminal.emit({"batches": [each.as_json() for each in standings]})
