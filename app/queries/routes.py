"""Routes of queries: the list, one of them, and taking files in."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse

from app.projects import importing
from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.projects.importing import Upload
from app.queries import service
from app.web.dependencies import ReadSessionDep, SessionDep
from app.web.templating import page

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
    return importing.show_form(request, "queries")


@router.post("/import")
def take_file(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    upload: Annotated[Upload, Depends()],
) -> Response:
    sessions = reading, session
    return importing.take_upload(request, access, sessions, "queries", service.LOADING, upload)


@router.get("/imports/{sha256}")
def show_taken(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    sha256: str,
    again: bool = False,
) -> HTMLResponse:
    return importing.show_import(request, access, session, "queries", sha256, again=again)


@router.get("/{query_id:path}")
def show_query(
    request: Request, access: ReaderDep, session: ReadSessionDep, query_id: str
) -> HTMLResponse:
    query, wordings = service.query_by_id(session, access.project_id, query_id)
    return page(request, "queries/query.html", active="queries", query=query, wordings=wordings)
