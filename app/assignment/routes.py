"""Routes of assignment: the plan before it starts, how far it is, grades from files."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response, UploadFile
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from app.assignment import service
from app.assignment.plans import DEFAULT_SAMPLE, SEATS, SEED, PlanPreview, Rest
from app.domain.scale import parse_mapping
from app.errors import Invalid
from app.formats.judgments import Duplicates
from app.pooling import service as pooling
from app.projects import service as projects
from app.projects.dependencies import Access, AdminDep
from app.projects.uploads import display_name, saved_upload
from app.web.dependencies import FormNumber, ReadSessionDep, SessionDep
from app.web.htmx import go_to, wants_fragment
from app.web.templating import fragment, page

router = APIRouter(prefix="/projects/{slug}/assign")
Text = Annotated[str, Form(max_length=400)]
PLAN = "assignment/plan.html"
IMPORT = "assignment/import.html"


@router.get("")
def show_plan(request: Request, access: AdminDep, session: ReadSessionDep) -> HTMLResponse:
    return _show(request, access, session)


@router.post("")
def plan(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    step: Annotated[Literal["count", "start"], Form()],
    sample: Annotated[str, Form(max_length=10)] = "",
    seats: FormNumber = SEATS,
    seed: FormNumber = SEED,
    rest: Annotated[Rest, Form()] = "smes",
) -> Response:
    size = _read_size(sample)
    if step == "count":
        project = projects.project_by_slug(reading, access.slug)
        preview = service.preview_plan(
            reading, project, sample_size=size, seats=seats, seed=seed, rest=rest
        )
        if wants_fragment(request):
            return fragment(request, PLAN, "preview", preview=preview)
        return _show(request, access, reading, preview=preview, rest=rest)
    service.make_plan(
        session,
        projects.project_by_slug(session, access.slug),
        sample_size=size,
        seats=seats,
        seed=seed,
        rest=rest,
        by=access.person.id,
    )
    return go_to(request, f"{access.path}/assign")


def _read_size(text: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Invalid(f"The sample is a whole number of passages, not {text!r}.")
    return int(text)


@router.post("/reopen")
def reopen(request: Request, access: AdminDep, session: SessionDep) -> Response:
    service.reopen_skipped(session, access.project_id)
    return go_to(request, f"{access.path}/assign")


@router.get("/import")
def show_import(request: Request, _access: AdminDep) -> HTMLResponse:
    return page(request, IMPORT, active="assign", report=None)


@router.post("/import")
def take_file(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    file: UploadFile,
    step: Annotated[Literal["check", "import"], Form()],
    kind: Annotated[Literal["sme", "judge"], Form()],
    name: Text,
    mapping: Text = "",
    duplicates: Annotated[Duplicates, Form()] = "refuse",
    ids: Annotated[Literal["", "document", "span"], Form()] = "",
    form: Annotated[str, Form(alias="format", max_length=20)] = "",
    allow_unknown: Annotated[bool, Form()] = False,
) -> Response:
    file_name = display_name(file.filename)
    with saved_upload(file) as path:
        checked = service.check_grades(
            path,
            file_name=file_name,
            mapping=parse_mapping(mapping) if mapping.strip() else None,
            duplicates=duplicates,
            ids=ids or None,
            allow_unknown=allow_unknown,
            format=form or None,
        )
        taking = reading if step == "check" else session
        report = service.import_grades(
            taking,
            projects.project_by_slug(taking, access.slug),
            path,
            file_name=file_name,
            grader_kind=kind,
            grader_name=name,
            ids=ids or None,
            allow_unknown=allow_unknown,
            by=access.person.id,
            dry_run=step == "check",
            checked=checked,
        )
    context: dict[str, Any] = {"report": report, "stored": step == "import", "active": "assign"}
    if wants_fragment(request):
        return fragment(request, IMPORT, "preview", **context)
    return page(request, IMPORT, **context)


def _show(
    request: Request,
    access: Access,
    session: Session,
    *,
    preview: PlanPreview | None = None,
    rest: Rest = "smes",
) -> HTMLResponse:
    members = projects.members_of(session, access.project_id)
    return page(
        request,
        PLAN,
        active="assign",
        pool=pooling.counts(session, access.project_id),
        progress=service.progress(session, access.project_id),
        plans=service.list_plans(session, access.project_id),
        people=[user.name for user, roles in members if "sme" in roles],
        judge=service.has_judge(session, access.project_id),
        imports=projects.imports_of(session, access.project_id, "grades"),
        preview=preview,
        defaults={"sample": DEFAULT_SAMPLE, "seats": SEATS, "seed": SEED, "rest": rest},
    )
