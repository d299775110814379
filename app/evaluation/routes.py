"""Routes of evaluation: the score board, one run, two runs, what to grade next."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from app.db import transaction
from app.domain.metric_names import DEFAULT_DEPTHS
from app.evaluation import holes, reports, service
from app.evaluation.service import RunEvaluation
from app.models import Project, Release
from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.releases import service as releases
from app.web.dependencies import DatabaseDep, FormNumber, ReadSessionDep, SessionDep
from app.web.htmx import go_to
from app.web.templating import page

router = APIRouter(prefix="/projects/{slug}/scores")
Number = Annotated[int | None, Query(ge=1, le=2**31 - 1)]
Cut = Annotated[int | None, Query(ge=1, le=3)]
PAGE = 50


@dataclass(frozen=True, slots=True)
class View:
    """How scores are looked at: which release, how deep, at which cut, by which switch."""

    release: Number = None
    k: int = 10
    cut: Cut = None
    unit: Literal["span", "document"] = "span"
    no_relevant: Literal["skip", "zero"] = "skip"


ViewDep = Annotated[View, Depends()]


@dataclass(frozen=True, slots=True)
class Desk:
    """A project, the release looked at (None: there is none yet), and its scores."""

    project: Project
    release: Release | None
    evaluations: list[RunEvaluation]
    cut: int


def _open(session: Session, slug: str, view: View) -> Desk:
    service.check_depth(view.k)
    project = projects.project_by_slug(session, slug)
    cut = view.cut or project.cut
    if view.release is None and not releases.releases_of(session, project.id):
        return Desk(project, None, [], cut)
    release = releases.find_release(session, project.id, view.release)
    scored = service.list_evaluations(session, project, release, cut=cut, unit=view.unit)
    return Desk(project, release, scored, cut)


def _frame(session: Session, desk: Desk, view: View) -> dict[str, Any]:
    """Return what every page of scores shows around its figures."""
    return {
        "active": "scores",
        "view": view,
        "desk": desk,
        "depths": [(k, f"top {k}") for k in DEFAULT_DEPTHS],
        "columns": reports.list_columns(
            view.k, desk.cut, reports.shared_depth(desk.evaluations)
        ),
        "short_title": reports.short_title,
        "read_mean": reports.read_mean,
        "numbers": [
            (each.number, str(each.number))
            for each in releases.releases_of(session, desk.project.id)
        ],
    }


@router.get("")
def show_board(
    request: Request, access: ReaderDep, session: ReadSessionDep, view: ViewDep
) -> HTMLResponse:
    desk = _open(session, access.slug, view)
    waiting = (
        service.count_waiting(session, desk.project, desk.release, cut=desk.cut, unit=view.unit)
        if desk.release
        else 0
    )
    return page(
        request,
        "evaluation/board.html",
        groups=reports.group_runs(desk.evaluations),
        budgets=reports.list_budgets(desk.evaluations),
        enough=reports.ENOUGH_JUDGED,
        waiting=waiting,
        **_frame(session, desk, view),
    )


@router.post("")
def score_runs(
    request: Request,
    access: ReaderDep,
    database: DatabaseDep,
    release: FormNumber,
    k: FormNumber = 10,
    cut: FormNumber | None = None,
    unit: Annotated[str, Form()] = "span",
) -> Response:
    """Score what was not scored yet; computed on a reading session, so that nobody waits."""
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, access.slug)
        chosen = releases.find_release(session, project.id, release)
        fresh = service.compute_missing(session, project, chosen, cut=cut, unit=unit)
    with transaction(database) as session:
        service.keep(session, fresh)
    address = f"{access.path}/scores?release={release}&k={k}&unit={unit}"
    return go_to(request, address + (f"&cut={cut}" if cut else ""))


@router.get("/download")
def download_board(access: ReaderDep, session: ReadSessionDep, view: ViewDep) -> Response:
    desk = _open(session, access.slug, view)
    lines = reports.board_csv(desk.evaluations, view.no_relevant)
    number = desk.release.number if desk.release else 0
    return _attach("".join(lines), f"{access.slug}-release-{number}-scores.csv")


def _attach(text: str, name: str) -> Response:
    return Response(
        text,
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.get("/run")
def show_run(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    view: ViewDep,
    name: str,
    after: Annotated[int, Query(ge=-1, le=2**31 - 1)] = -1,
) -> HTMLResponse:
    """Show the values behind one run's means, fifty queries a page."""
    desk = _open(session, access.slug, view)
    evaluation = service.evaluation_of(desk.evaluations, name)
    frame = _frame(session, desk, view)
    metrics = [column.key for column in frame["columns"]]
    rows = service.list_queries(session, evaluation, metrics, after=after, limit=PAGE + 1)
    return page(
        request,
        "evaluation/run.html",
        evaluation=evaluation,
        rows=rows[:PAGE],
        onward=rows[PAGE - 1].position if len(rows) > PAGE else None,
        others=[each.name for each in desk.evaluations if each.name != name],
        **frame,
    )


@router.get("/run/download")
def download_run(
    access: ReaderDep, session: ReadSessionDep, view: ViewDep, name: str
) -> Response:
    desk = _open(session, access.slug, view)
    evaluation = service.evaluation_of(desk.evaluations, name)
    values = service.values_of(session, evaluation, evaluation.summary["metrics"])
    number = desk.release.number if desk.release else 0
    lines = reports.queries_csv(values)
    return _attach("".join(lines), f"{access.slug}-release-{number}-queries.csv")


@router.get("/compare")
def show_comparison(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    view: ViewDep,
    first: str,
    second: str,
) -> HTMLResponse:
    desk = _open(session, access.slug, view)
    one, other = (service.evaluation_of(desk.evaluations, name) for name in (first, second))
    frame = _frame(session, desk, view)
    keys = [column.key for column in frame["columns"]]
    return page(
        request,
        "evaluation/compare.html",
        one=one,
        other=other,
        comparisons={key: service.compare(session, one, other, key) for key in keys},
        fair=one.chunking == other.chunking,
        shares=[each.share("human", view.k) for each in (one, other)],
        **frame,
    )


@router.post("/grade")
def grade_holes(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    name: Annotated[str, Form()],
    k: FormNumber,
) -> Response:
    """Queue what one run found and nobody has labelled."""
    project = projects.project_by_slug(session, access.slug)
    holes.queue_holes(session, project, name, service.check_depth(k), by=access.person.id)
    return go_to(request, f"{access.path}/pool")
