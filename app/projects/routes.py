"""Routes of projects: the list, a new one, its people."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse

from app.accounts import service as accounts
from app.accounts.dependencies import PersonDep, need_person
from app.errors import Forbidden
from app.models import Project
from app.projects import service
from app.projects.dependencies import AdminDep
from app.web.dependencies import FormNumber, ReadSessionDep, SessionDep, SettingsDep
from app.web.htmx import go_to
from app.web.templating import page

router = APIRouter()
Text = Annotated[str, Form(max_length=400)]


@router.get("/")
def show_projects(request: Request, person: PersonDep, session: ReadSessionDep) -> HTMLResponse:
    mine = service.projects_of(session, person.id)
    return page(request, "projects/list.html", mine=mine, may_create=_may_create(mine))


def _may_create(mine: list[tuple[Project, frozenset[str]]]) -> bool:
    """Let admins start another project, and somebody without any their first."""
    return not mine or any("admin" in roles for _, roles in mine)


@router.get("/projects/new", dependencies=[Depends(need_person)])
def show_new_project(request: Request) -> HTMLResponse:
    return page(request, "projects/new.html")


@router.post("/projects")
def create_project(
    request: Request,
    person: PersonDep,
    session: SessionDep,
    slug: Text,
    name: Text,
    cut: FormNumber = 1,
) -> Response:
    if not _may_create(service.projects_of(session, person.id)):
        raise Forbidden("Only admins of a project can start another.")
    project = service.create_project(session, slug.strip(), name=name, cut=cut)
    user = accounts.user_by_id(session, person.id)
    service.set_roles(session, project, user, {"admin"}, by=person.id)
    return go_to(request, f"/projects/{project.slug}")


@router.get("/projects/{slug}/people")
def show_people(request: Request, access: AdminDep, session: ReadSessionDep) -> HTMLResponse:
    members = service.members_of(session, access.project_id)
    return page(
        request, "projects/people.html", active="people", members=members, link="", known=""
    )


@router.post("/projects/{slug}/people")
def invite(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    settings: SettingsDep,
    email: Text,
    roles: Annotated[list[str], Form()],
) -> HTMLResponse:
    project = service.project_by_slug(session, access.slug)
    token = service.invite(session, project, email=email, roles=roles, by=access.person.id)
    members = service.members_of(session, access.project_id)
    return page(
        request,
        "projects/people.html",
        active="people",
        members=members,
        link=f"{settings.public_url}/link/{token}" if token else "",
        known="" if token else email.strip(),
    )


@router.get("/projects/{slug}/settings")
def show_settings(request: Request, access: AdminDep, session: ReadSessionDep) -> HTMLResponse:
    return page(
        request,
        "projects/settings.html",
        active="settings",
        settings=service.project_by_slug(session, access.slug),
        guideline=service.guideline(session, access.project_id),
    )


@router.post("/projects/{slug}/settings")
def change_settings(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    name: Text,
    guideline: Annotated[str, Form(max_length=50_000)],
    cut: FormNumber | None = None,
) -> Response:
    project = service.project_by_slug(session, access.slug)
    service.rename(session, project, name, by=access.person.id)
    service.change_guideline(session, project.id, guideline, by=access.person.id)
    if cut is not None:
        service.change_cut(session, project, cut, by=access.person.id)
    return go_to(request, f"{access.path}/settings")
