"""Importing: how the import page of a room checks a file, takes it, or says why not."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Form, Request, Response, UploadFile
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from app.errors import BadFile, Invalid
from app.projects import service
from app.projects.dependencies import Access
from app.projects.imports import ImportReport
from app.projects.taking import Loading
from app.projects.uploads import display_name, saved_upload
from app.web.htmx import go_to, wants_fragment
from app.web.templating import fragment, page


@dataclass(frozen=True, slots=True)
class Upload:
    """What the form of an import page sends; as a dependency."""

    file: UploadFile
    step: Annotated[Literal["check", "import"], Form()]
    form: Annotated[str, Form(alias="format", max_length=20)] = ""
    skip_bad: Annotated[bool, Form()] = False


def show_form(request: Request, room: str, report: ImportReport | None = None) -> HTMLResponse:
    """Show a room's import page, with what a check found."""
    template = f"{room}/import.html"
    if report is not None and wants_fragment(request):
        return fragment(request, template, "preview", report=report, problems=[])
    return page(request, template, active=room, report=report, problems=[])


def take_upload(
    request: Request,
    access: Access,
    sessions: tuple[Session, Session],
    room: str,
    loading: Loading,
    upload: Upload,
) -> Response:
    """Check or take a file; ``sessions`` are one that reads and one that writes.

    A refused file is shown on the page it came from, with its bad lines; htmx puts them
    where the page says. Nothing of it is stored: `taking.import_checked` takes back its own.
    """
    try:
        with saved_upload(upload.file) as path:
            report = _take(path, access, sessions, loading, upload)
    except (BadFile, Invalid) as refusal:
        if wants_fragment(request):
            raise
        lines = list(refusal.lines()) if isinstance(refusal, BadFile) else [str(refusal)]
        return page(
            request, f"{room}/import.html", status=422, active=room, report=None, problems=lines
        )
    if upload.step == "check":
        return show_form(request, room, report)
    again = "?again=true" if report.already else ""
    return go_to(request, f"{access.path}/{room}/imports/{report.sha256}{again}")


def _take(
    path: Path,
    access: Access,
    sessions: tuple[Session, Session],
    loading: Loading,
    upload: Upload,
) -> ImportReport:
    name = display_name(upload.file.filename)
    checked = loading.check(
        path, file_name=name, format=upload.form or None, skip_bad=upload.skip_bad
    )
    reading, writing = sessions
    if upload.step == "check":
        project = service.project_by_slug(reading, access.slug)
        return loading.preview(reading, project, path, file_name=name, checked=checked)
    project = service.project_by_slug(writing, access.slug)
    by = access.person.id
    return loading.take(writing, project, path, file_name=name, checked=checked, by=by)


def show_import(
    request: Request, access: Access, session: Session, room: str, sha256: str, *, again: bool
) -> HTMLResponse:
    """Show what one import took in; ``again``: the same file came once more."""
    taken = service.import_by_hash(session, access.project_id, kind=room, sha256=sha256)
    return page(request, f"{room}/taken.html", active=room, taken=taken, again=again)
