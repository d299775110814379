"""Routes of releases: the list, cutting one, its manifest, its downloads."""

from typing import Annotated

from fastapi import APIRouter, Form, Path, Request, Response
from fastapi.responses import HTMLResponse

from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.releases import export, service
from app.releases.service import Override
from app.web.dependencies import DatabaseDep, FormNumber, ReadSessionDep, SessionDep
from app.web.htmx import go_to
from app.web.streaming import Attachment
from app.web.templating import page

router = APIRouter(prefix="/projects/{slug}/releases")
Text = Annotated[str, Form(max_length=2000)]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("")
def show_releases(request: Request, access: ReaderDep, session: ReadSessionDep) -> HTMLResponse:
    found = service.releases_of(session, access.project_id)
    return page(request, "releases/list.html", active="releases", releases=found)


@router.get("/new")
def show_new(request: Request, access: AdminDep, session: ReadSessionDep) -> HTMLResponse:
    project = projects.project_by_slug(session, access.slug)
    found = service.preview(session, project)
    return page(request, "releases/new.html", active="releases", preview=found, cut=project.cut)


@router.post("")
def cut_release(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    number: FormNumber,
    note: Text = "",
    override: Annotated[list[str] | None, Form()] = None,
    reason: Text = "",
) -> Response:
    """Cut the release of that number; a second press finds it made and shows it."""
    project = projects.project_by_slug(session, access.slug)
    if all(one.number < number for one in service.releases_of(session, project.id)):
        made = service.cut_release(
            session,
            project,
            note=note,
            overrides=[Override(judge, reason) for judge in override or []],
            by=access.person.id,
        )
        number = made.number
    return go_to(request, f"{access.path}/releases/{number}")


@router.get("/{number}")
def show_release(
    request: Request, access: ReaderDep, session: ReadSessionDep, number: Number
) -> HTMLResponse:
    found = service.find_release(session, access.project_id, number)
    return page(
        request,
        "releases/release.html",
        active="releases",
        release=found,
        manifest=found.manifest,
    )


@router.get("/{number}/download")
def download(
    access: ReaderDep,
    database: DatabaseDep,
    session: ReadSessionDep,
    number: Number,
    form: export.Form,
    unit: export.Unit | None = None,
    source: export.Source = "all",
    *,
    escape: bool = False,
    packed: bool = False,
) -> Response:
    project = projects.project_by_slug(session, access.slug)
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
    return Attachment(
        database,
        lambda own: service.stream_export(own, plan),
        name=plan.file_name,
        kind=plan.kind,
    )
