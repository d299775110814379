"""Commands of agreement: ``goldspan agreement``, on a project or on two files."""

from typing import Annotated, Any

import typer

from app import terminal
from app.agreement import service
from app.agreement.files import agree_files
from app.db import transaction
from app.domain.gates import list_untold
from app.domain.scale import parse_mapping
from app.formats.judgments import check_duplicates
from app.projects import service as projects

FIGURES = {
    "tpr": "TPR",
    "tnr": "TNR",
    "kappa_binary": "kappa, relevant or not",
    "kappa": "kappa, four grades",
    "kappa_quadratic": "kappa, quadratic",
    "alpha_ordinal": "alpha, ordinal",
}


def measure(
    slug: Annotated[str | None, typer.Argument(metavar="PROJECT")] = None,
    judge: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="The judge, or the file of its labels."),
    ] = None,
    human: Annotated[
        str | None, typer.Option(metavar="FILE", help="People's labels; then no project.")
    ] = None,
    split: Annotated[
        str, typer.Option(help="dev or test; every look at test is logged.")
    ] = "test",
    cut: Annotated[int | None, typer.Option(min=1, max=3, help="With --human only.")] = None,
    human_map: Annotated[str | None, typer.Option(help="Such as 4=3,3=2.")] = None,
    judge_map: Annotated[str | None, typer.Option(help="Such as yes=3,no=0.")] = None,
    duplicates: Annotated[
        str, typer.Option(help="refuse, first, last or majority.")
    ] = "refuse",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Measure a judge against people's grades, and say what the gate answers.

    Either PROJECT with --judge NAME, or --human FILE with --judge FILE and no project.
    Every pair counts once (unweighted).
    """
    if judge is None or (slug is None) == (human is None):
        raise typer.BadParameter("give PROJECT --judge NAME, or --human FILE --judge FILE")
    if human is None:
        if cut is not None or human_map or judge_map:
            raise typer.BadParameter("--cut and mappings are for files; a project has its own")
        found = _measure_project(str(slug), judge, split)
    else:
        found = agree_files(
            human,
            judge,
            cut=cut or 1,
            human_mapping=parse_mapping(human_map) if human_map else None,
            judge_mapping=parse_mapping(judge_map) if judge_map else None,
            duplicates=check_duplicates(duplicates),
        )
    if as_json:
        terminal.emit(found)
    else:
        terminal.show(*_describe(found))


def _measure_project(slug: str, judge: str, split: str) -> dict[str, Any]:
    with terminal.opened() as (database, _), transaction(database) as session:
        project = projects.project_by_slug(session, slug)
        report = service.measure_judge(session, project, judge, service.check_split(split))
        return report.as_json()


def _describe(found: dict[str, Any]) -> list[str]:
    """Return the answer as lines: the verdict, its reasons, then the figures."""
    gate = found["gate"]
    labels = {"all": "all labels", "dev": "dev labels", "test": "test labels"}
    where = f" on {labels[found['split']]} (cut {found['cut']})" if "split" in found else ""
    lines = [f"{gate['answer'].capitalize()}{where}"]
    lines += [f"  {reason}" for reason in gate["reasons"]]
    untold = list_untold(gate["reasons"], gate["missing"])
    lines += [f"  needed: {missing}" for missing in untold]
    lines += [f"{'pairs':24}{found['n']:>10,}"]
    for key, name in FIGURES.items():
        ends = found["intervals"].get(key)
        interval = f"  {ends[0]:.4f} to {ends[1]:.4f}" if ends else ""
        value = "undefined" if found[key] is None else f"{found[key]:.4f}"
        lines.append(f"{name:24}{value:>10}{interval}")
    return lines
