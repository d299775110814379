"""Routes of queries: the list, one of them, and taking files in."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Request, Response, UploadFile
from fastapi.responses import HTMLResponse

from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.projects.imports import ImportReport
from app.projects.uploads import display_name, saved_upload
from app.queries import service
from app.web.dependencies import ReadSessionDep, SessionDep
from app.web.htmx import go_to, wants_fragment
from app.web.templating import fragment, page

router = APIRouter(prefix="/projects/{slug}/queries")
Search = Annotated[str, Query(max_length=200)]
After = Annotated[int, Query(ge=0, le=2**31 - 1)]


@router.get("")
def show_queries(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    search: Search = "",
    after: After = 0,
) -> HTMLResponse:
    queries, onward = service.list_queries(
        session, access.project_id, after=after, search=search
    )
    return page(
        request,
        "queries/list.html",
        active="queries",
        queries=queries,
        onward=onward,
        search=search,
        after=after,
        counts=service.counts(session, access.project_id),
        imports=projects.imports_of(session, access.project_id, "queries"),
    )


@router.get("/import")
def show_import(request: Request, _access: AdminDep) -> HTMLResponse:
    return page(request, "queries/import.html", active="queries", report=None)


@router.post("/import")
def take_file(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    file: UploadFile,
    step: Annotated[Literal["check", "import"], Form()],
    form: Annotated[str, Form(alias="format", max_length=20)] = "",
    skip_bad: Annotated[bool, Form()] = False,
) -> Response:
    name = display_name(file.filename)
    with saved_upload(file) as path:
        checked = service.check_queries(
            path, file_name=name, format=form or None, skip_bad=skip_bad
        )
        if step == "check":
            project = projects.project_by_slug(reading, access.slug)
            report = service.preview_queries(
                reading, project, path, file_name=name, checked=checked
            )
            return _show_preview(request, report)
        project = projects.project_by_slug(session, access.slug)
        report = service.import_queries(
            session, project, path, file_name=name, checked=checked, by=access.person.id
        )
    again = "?again=true" if report.already else ""
    return go_to(request, f"{access.path}/queries/imports/{report.sha256}{again}")


def _show_preview(request: Request, report: ImportReport) -> HTMLResponse:
    if wants_fragment(request):
        return fragment(request, "queries/import.html", "preview", report=report)
    return page(request, "queries/import.html", active="queries", report=report)


@router.get("/imports/{sha256}")
def show_taken(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    sha256: str,
    again: bool = False,
) -> HTMLResponse:
    taken = projects.import_by_hash(session, access.project_id, kind="queries", sha256=sha256)
    return page(request, "queries/taken.html", active="queries", taken=taken, again=again)


@router.get("/{query_id:path}")
def show_query(
    request: Request, access: ReaderDep, session: ReadSessionDep, query_id: str
) -> HTMLResponse:
    query, wordings = service.query_by_id(session, access.project_id, query_id)
    return page(request, "queries/query.html", active="queries", query=query, wordings=wordings)
