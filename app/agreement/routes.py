"""Routes of agreement: a judge beside the SMEs, and the looks at the test labels."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from app.agreement import service
from app.models import Judge
from app.projects import service as projects
from app.projects.dependencies import Access, AdminDep, ReaderDep
from app.web.dependencies import ReadSessionDep, SessionDep
from app.web.htmx import go_to
from app.web.templating import page

router = APIRouter(prefix="/projects/{slug}/agreement")


@router.get("")
def show_agreement(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    judge: str | None = None,
    split: str = "test",
) -> HTMLResponse:
    """Show the newest look at one judge; without a name at the newest judge."""
    judges = service.judges_of(session, access.project_id)
    if not judges:
        return page(request, "agreement/empty.html", active="agreement")
    chosen = (
        judges[0] if judge is None else service.judge_by_name(session, access.project_id, judge)
    )
    return _show(request, access, session, judges, chosen, service.check_split(split))


def _show(
    request: Request,
    access: Access,
    session: Session,
    judges: list[Judge],
    chosen: Judge,
    split: service.Split,
) -> HTMLResponse:
    project = projects.project_by_slug(session, access.slug)
    dev = split == "dev"
    report = service.newest_report(session, access.project_id, chosen, dev=dev)
    return page(
        request,
        "agreement/judge.html",
        active="agreement",
        judges=judges,
        judge=chosen,
        dev=dev,
        sampled=service.has_sample(session, project),
        dev_empty=dev and not service.has_dev(session, project),
        cut=project.cut,
        report=report,
        outdated=report is not None and service.is_outdated(session, project, chosen, report),
        disagreements=service.list_disagreements(session, chosen, report) if report else [],
    )


@router.post("")
def look(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    judge: Annotated[str, Form()],
    split: Annotated[str, Form()] = "test",
) -> Response:
    """Measure the judge on a split; at test the look is logged and the cut fixed."""
    project = projects.project_by_slug(session, access.slug)
    wanted = service.check_split(split)
    service.measure_judge(session, project, judge, wanted, by=access.person.id)
    shown = {"judge": judge} | ({"split": "dev"} if wanted == "dev" else {})
    return go_to(request, f"{access.path}/agreement?{urlencode(shown)}")
