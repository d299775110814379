"""Routes of the corpus: the documents, one of them, and taking files in."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse

from app.corpus import service
from app.corpus.pieces import split_text
from app.projects import importing
from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.projects.importing import Upload
from app.web.dependencies import ReadSessionDep, SessionDep
from app.web.templating import page

router = APIRouter(prefix="/projects/{slug}/corpus")
Search = Annotated[str, Query(max_length=200)]
After = Annotated[str, Query(max_length=4_000)]


@router.get("")
def show_documents(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    search: Search = "",
    after: After = "",
) -> HTMLResponse:
    documents, onward = service.list_documents(
        session, access.project_id, after=after, search=search
    )
    return page(
        request,
        "corpus/list.html",
        active="corpus",
        documents=documents,
        onward=onward,
        search=search,
        after=after,
        counts=service.counts(session, access.project_id),
        labels=service.access_labels(session, access.project_id),
        imports=projects.imports_of(session, access.project_id, "corpus"),
    )


@router.get("/import")
def show_import(request: Request, _access: AdminDep) -> HTMLResponse:
    return importing.show_form(request, "corpus")


@router.post("/import")
def take_file(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    upload: Annotated[Upload, Depends()],
) -> Response:
    sessions = reading, session
    return importing.take_upload(request, access, sessions, "corpus", service.LOADING, upload)


@router.get("/imports/{sha256}")
def show_taken(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    sha256: str,
    again: bool = False,
) -> HTMLResponse:
    return importing.show_import(request, access, session, "corpus", sha256, again=again)


@router.get("/documents/{doc_id:path}")
def show_document(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    doc_id: str,
    part: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> HTMLResponse:
    document, versions = service.document_by_id(session, access.project_id, doc_id)
    return page(
        request,
        "corpus/document.html",
        active="corpus",
        document=document,
        versions=versions,
        piece=split_text(versions[0].text or "", part),
    )
