"""Commands of evaluation: ``goldspan evaluate``, of a project or of files."""

from dataclasses import dataclass
from typing import Annotated, Any, cast

import typer

from app import terminal
from app.db import transaction
from app.domain.metric_names import Metric, describe, parse_metric
from app.domain.metrics import NoRelevant
from app.domain.ordering import Rule
from app.domain.words import say_count
from app.errors import Invalid, NotFound
from app.evaluation import reports, service
from app.evaluation.files import evaluate_files
from app.projects import service as projects
from app.releases import service as releases

SWITCH = ("skip", "zero")
ORDERS = ("score", "rank")
Shown = dict[str, Any]


def evaluate(
    project: Annotated[
        str | None, typer.Argument(metavar="[PROJECT]", help="The project's short name.")
    ] = None,
    release: Annotated[
        int | None, typer.Option(help="Number of the release; the newest.")
    ] = None,
    qrels: Annotated[
        str | None, typer.Option(help="Labels in a file: no project, no database.")
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option(help="A run file; may be given several times.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Such as ndcg@10; may be given several times.")
    ] = None,
    cut: Annotated[int | None, typer.Option(help="Relevant is grade >= CUT.")] = None,
    per_query: Annotated[
        bool, typer.Option("--per-query", help="Add the values behind each mean.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_relevant: Annotated[
        str, typer.Option(help="Queries with nothing relevant: skip them, or count them 0.")
    ] = "skip",
    order: Annotated[
        str, typer.Option(help="What orders a run file: score, or rank.")
    ] = "score",
) -> None:
    """Score runs with a release of a project, or files of runs with a file of labels."""
    if (project is None) == (qrels is None):
        raise typer.BadParameter("give a PROJECT, or --qrels FILE with --run FILE, not both")
    if no_relevant not in SWITCH or order not in ORDERS:
        raise typer.BadParameter("--no-relevant is skip or zero, --order is score or rank")
    metrics = [_read_metric(name) for name in metric or ()] or None
    switch = cast(NoRelevant, no_relevant)
    if project is not None:
        if run or order != "score":
            raise typer.BadParameter("--run and --order are for files; a project has its own")
        asked = Asked(release, cut, switch, per_query, [str(one) for one in metrics or ()])
        found = _score_project(project, asked)
    elif not run or release is not None:
        raise typer.BadParameter("--qrels FILE goes with --run FILE and without --release")
    else:
        found = evaluate_files(
            str(qrels),
            run,
            metrics,
            cut=1 if cut is None else cut,
            per_query=per_query,
            no_relevant=switch,
            order=cast(Rule, order),
        )
    terminal.say(*_warn(found["runs"]))
    if as_json:
        terminal.emit(found)
    else:
        terminal.show(
            *(line for name, told in found["runs"].items() for line in _tell(name, told))
        )


def _warn(runs: Shown) -> list[str]:
    """Say which runs found nothing that has a label: the ids may be written otherwise."""
    return [
        f"{name}: {say_count(run['answers'], 'hit')}, and none has a label. "
        "Are the ids of both files written alike?"
        for name, run in runs.items()
        if run.get("answers") and run["answers"] == run["unmatched"]
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a project is to be scored by."""

    release: int | None
    cut: int | None
    no_relevant: NoRelevant
    per_query: bool
    metrics: list[str]


def _score_project(slug: str, asked: Asked) -> Shown:
    """Score what was not scored yet; computed on a reading session, then stored."""
    with terminal.opened() as (database, _):
        with transaction(database, write=False) as session:
            project = projects.project_by_slug(session, slug)
            release = releases.find_release(session, project.id, asked.release)
            fresh = service.compute_missing(session, project, release, cut=asked.cut)
        with transaction(database) as session:
            service.keep(session, fresh)
        with transaction(database, write=False) as session:
            scored = service.list_evaluations(session, project, release, cut=asked.cut)
            values = service.all_values(session, scored) if asked.per_query else None
    if not scored:
        raise NotFound(f"{slug} has no finished run to score. Retrieve or import one first.")
    found = reports.as_json(
        slug, release.number, scored, no_relevant=asked.no_relevant, values=values
    )
    return reports.keep_metrics(found, asked.metrics)


def _read_metric(name: str) -> Metric:
    try:
        return parse_metric(name)
    except Invalid as wrong:
        raise typer.BadParameter(str(wrong)) from wrong


def _tell(name: str, run: Shown) -> list[str]:
    """Spell a run's means out, a line each, with what they rest on."""
    lines = [f"{name}: unit {run['unit']}, cut {run['cut']}, no relevant: {run['no_relevant']}"]
    lines += [
        f"  {_spell(metric, run['cut']):<58} {_number(mean)}  n {run['n'][metric]}"
        for metric, mean in run["mean"].items()
    ]
    for words, key in (("not answered, counted 0", "unanswered"), ("no labels", "unjudged")):
        if run[key]:
            named = ", ".join(run[key][:10])
            lines.append(f"  {say_count(len(run[key]), 'query')} {words}: {named}")
    return lines + _list_queries(run)


def _list_queries(run: Shown) -> list[str]:
    """Write the values behind the means, where asked for, as a table parted by tabs."""
    metrics = list(run["mean"])
    rows = run.get("queries", {}).items()
    lines = [
        "\t".join([query, *(_number(row.get(metric)) for metric in metrics)])
        for query, row in rows
    ]
    return ["\t".join(["  query", *metrics]), *(f"  {line}" for line in lines)] if lines else []


def _spell(metric: str, cut: int) -> str:
    return metric if metric.endswith("c") else describe(parse_metric(metric), cut)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
