"""Routes of the corpus: the documents, one of them, and taking files in."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Request, Response, UploadFile
from fastapi.responses import HTMLResponse

from app.corpus import service
from app.corpus.pieces import split_text
from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.projects.imports import ImportReport
from app.projects.uploads import display_name, saved_upload
from app.web.dependencies import ReadSessionDep, SessionDep
from app.web.htmx import go_to, wants_fragment
from app.web.templating import fragment, page

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
    return page(request, "corpus/import.html", active="corpus", report=None)


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
        checked = service.check_corpus(
            path, file_name=name, format=form or None, skip_bad=skip_bad
        )
        if step == "check":
            project = projects.project_by_slug(reading, access.slug)
            report = service.preview_corpus(
                reading, project, path, file_name=name, checked=checked
            )
            return _show_preview(request, report)
        project = projects.project_by_slug(session, access.slug)
        report = service.import_corpus(
            session, project, path, file_name=name, checked=checked, by=access.person.id
        )
    again = "?again=true" if report.already else ""
    return go_to(request, f"{access.path}/corpus/imports/{report.sha256}{again}")


def _show_preview(request: Request, report: ImportReport) -> HTMLResponse:
    if wants_fragment(request):
        return fragment(request, "corpus/import.html", "preview", report=report)
    return page(request, "corpus/import.html", active="corpus", report=report)


@router.get("/imports/{sha256}")
def show_taken(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    sha256: str,
    again: bool = False,
) -> HTMLResponse:
    taken = projects.import_by_hash(session, access.project_id, kind="corpus", sha256=sha256)
    return page(request, "corpus/taken.html", active="corpus", taken=taken, again=again)


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
