"""Routes of pooling: what the pool holds, counting first, building and extending it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from app.models import Run
from app.pooling import service
from app.pooling.service import PoolReport
from app.projects import service as projects
from app.projects.dependencies import Access, AdminDep, ReaderDep
from app.retrieval import service as retrieval
from app.web.dependencies import FormNumber, ReadSessionDep, SessionDep
from app.web.htmx import go_to, wants_fragment
from app.web.templating import fragment, page

router = APIRouter(prefix="/projects/{slug}/pool")
TEMPLATE = "pooling/pool.html"


@router.get("")
def show_pool(request: Request, access: ReaderDep, session: ReadSessionDep) -> HTMLResponse:
    return _show(request, access, session)


@router.post("")
def change_pool(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    step: Annotated[Literal["count", "build", "extend"], Form()],
    depth: FormNumber = service.DEPTH,
    run: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    if step == "count":
        counted = _change(reading, access, run, depth, dry_run=True)
        if wants_fragment(request):
            return fragment(request, TEMPLATE, "counted", counted=counted)
        return _show(request, access, reading, counted=counted, chosen=run, depth=depth)
    _change(session, access, run, depth, dry_run=False)
    return go_to(request, f"{access.path}/pool")


def _change(
    session: Session, access: Access, names: list[str], depth: int, *, dry_run: bool
) -> PoolReport:
    """Build the pool, or extend the one there is; without names all that are complete."""
    project = projects.project_by_slug(session, access.slug)
    act = service.build
    if service.find_pool(session, access.project_id) is not None:
        act = service.extend
    return act(
        session,
        project,
        run_names=names or None,
        depth=depth,
        dry_run=dry_run,
        by=access.person.id,
    )


def _show(
    request: Request,
    access: Access,
    session: Session,
    *,
    counted: PoolReport | None = None,
    chosen: list[str] | None = None,
    depth: int | None = None,
) -> HTMLResponse:
    pool = service.find_pool(session, access.project_id)
    report = service.read_report(pool) if pool else None
    runs = [
        run
        for run in retrieval.runs_done(session, access.project_id)
        if report is None or run.name not in report.runs
    ]
    return page(
        request,
        TEMPLATE,
        active="pool",
        report=report,
        runs=runs,
        options=[(run.name, run.name, _describe(run)) for run in runs],
        chosen=[run.name for run in runs] if chosen is None else chosen,
        depth=depth or (pool.depth if pool else service.DEPTH),
        counted=counted,
    )


def _describe(run: Run) -> str:
    origin = "built in" if run.retriever else "imported"
    return f"{origin}, {run.queries_done:,} queries, {run.hits_total:,} hits"
