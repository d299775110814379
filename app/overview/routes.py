"""Routes of the overview: a project's home page."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from app.overview import service
from app.overview.stations import list_stations
from app.overview.steps import next_step
from app.projects import service as projects
from app.projects.dependencies import AccessDep
from app.web.dependencies import ReadSessionDep
from app.web.templating import page

router = APIRouter()
READERS = {"admin", "adjudicator", "viewer"}


@router.get("/projects/{slug}", response_class=HTMLResponse)
def show_overview(request: Request, access: AccessDep, session: ReadSessionDep) -> Response:
    if not access.roles & READERS:  # whoever only grades is at home at the desk
        return RedirectResponse(f"{access.path}/grade", status_code=303)
    project = projects.project_by_slug(session, access.slug)
    state = service.state_of(session, project)
    return page(
        request,
        "overview/home.html",
        active="overview",
        stations=list_stations(state, access.path),
        step=next_step(state),
        events=service.newest_events(session, project),
    )
