"""Routes of judging: the judges, one of them, asking it, and its batches."""

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from app.corpus import service as corpus
from app.errors import Invalid
from app.judging import service
from app.judging.prompts import Prompt
from app.judging.service import Wish
from app.models import Judge
from app.projects import service as projects
from app.projects.dependencies import Access, AdminDep, ReaderDep
from app.settings import secret_names
from app.web.dependencies import DatabaseDep, ReadSessionDep, SessionDep, SettingsDep
from app.web.htmx import go_to
from app.web.templating import fragment, page

router = APIRouter(prefix="/projects/{slug}/judges")
Text = Annotated[str, Form(max_length=400)]
Long = Annotated[str, Form(max_length=100_000)]
Name = Annotated[str, Query(max_length=400)]
Number = Annotated[int, Query(ge=1, le=1_000_000_000)]
BATCH = "judging/batch.html"
ACTS: dict[str, Callable[..., None]] = {
    "pause": service.pause,
    "resume": service.resume,
    "cancel": service.cancel,
    "retry": service.retry_failed,
}


@router.get("")
def show_judges(request: Request, access: ReaderDep, session: ReadSessionDep) -> HTMLResponse:
    batches = service.batches_of(session, access.project_id)[:20]
    return page(
        request,
        "judging/list.html",
        active="judges",
        judges=service.judges_of(session, access.project_id),
        standings=[service.standing_of(session, batch, number) for number, batch in batches],
    )


@router.get("/new")
def show_new(
    request: Request, access: AdminDep, session: ReadSessionDep, like: Name = ""
) -> HTMLResponse:
    parent = service.judge_by_name(session, access.project_id, like) if like else None
    return page(
        request,
        "judging/new.html",
        active="judges",
        parent=parent,
        prompt=service.prompt_of(parent) if parent else service.default_prompt(),
        keys=secret_names(),
        labels=corpus.access_labels(session, access.project_id),
    )


@router.post("/new")
def add_judge(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    settings: SettingsDep,
    name: Text,
    endpoint: Text,
    model: Text,
    system: Long,
    user: Long,
    key_name: Text = "",
    temperature: Text = "",
    max_tokens: Text = "",
    label: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    wish = Wish(
        name=name,
        endpoint=endpoint,
        model=model,
        key_name=key_name.strip() or None,
        temperature=_read_number(temperature, float, "temperature"),
        max_tokens=_read_number(max_tokens, int, "number of tokens"),
        prompt=Prompt(_normalise(system), _normalise(user)),
        access=label,
    )
    project = projects.project_by_slug(session, access.slug)
    judge = service.add_judge(
        session, project, wish, allowed=settings.endpoints, by=access.person.id
    )
    return go_to(request, _address(access, "judge", name=judge.name))


def _read_number(text: str, kind: Callable[[str], Any], what: str) -> Any:
    if not text.strip():
        return None
    try:
        return kind(text)
    except ValueError as wrong:
        raise Invalid(f"{text!r} is no {what}.") from wrong


def _normalise(text: str) -> str:
    """Return what a browser sent with the line ends it was given."""
    return text.replace("\r\n", "\n").strip()


def _address(access: Access, place: str, **values: object) -> str:
    return f"{access.path}/judges/{place}?{urlencode(values)}"


@router.get("/judge")
def show_judge(
    request: Request, access: ReaderDep, session: ReadSessionDep, name: Name
) -> HTMLResponse:
    judge = service.judge_by_name(session, access.project_id, name)
    return _show_judge(request, access, session, judge)


def _show_judge(
    request: Request,
    access: Access,
    session: Session,
    judge: Judge,
    tried: service.Tried | None = None,
) -> HTMLResponse:
    current = projects.guideline(session, access.project_id)
    batches = service.batches_of(session, access.project_id, judge)[:20]
    return page(
        request,
        "judging/judge.html",
        active="judges",
        judge=judge,
        prompt=service.prompt_of(judge),
        guideline=service.guideline_of(session, judge),
        current=current,
        key_is_here=judge.key_name in secret_names(),
        labels=corpus.access_labels(session, access.project_id),
        standings=[service.standing_of(session, batch, number) for number, batch in batches],
        tried=tried,
    )


@router.post("/access")
def allow_access(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    name: Text,
    label: Annotated[list[str], Form()] = [],  # noqa: B006
) -> Response:
    judge = service.judge_by_name(session, access.project_id, name)
    service.allow_access(session, judge, label, by=access.person.id)
    return go_to(request, _address(access, "judge", name=judge.name))


@router.post("/test")
def try_judge(
    request: Request, access: AdminDep, database: DatabaseDep, settings: SettingsDep, name: Text
) -> HTMLResponse:
    # no session is held while the endpoint thinks
    with service.reading(database) as session:
        judge = service.judge_by_name(session, access.project_id, name)
    tried = service.try_judge(judge, settings.endpoints)
    with service.reading(database) as session:
        return _show_judge(request, access, session, judge, tried)


@router.get("/launch")
def show_launch(
    request: Request,
    access: AdminDep,
    session: ReadSessionDep,
    name: Name,
    scope: Annotated[str, Query(max_length=400)] = "unjudged",
    tag: Annotated[str, Query(max_length=400)] = "",
) -> HTMLResponse:
    judge = service.judge_by_name(session, access.project_id, name)
    project = projects.project_by_slug(session, access.slug)
    wanted = service.read_scope(tag.strip() if scope == "tag" else scope)
    return page(
        request,
        "judging/launch.html",
        active="judges",
        judge=judge,
        scope=wanted,
        preview=service.preview_batch(session, project, judge, wanted),
        example=service.example_prompt(session, project, judge, wanted),
    )


@router.post("/launch")
def launch(
    request: Request, access: AdminDep, session: SessionDep, name: Text, scope: Text
) -> Response:
    judge = service.judge_by_name(session, access.project_id, name)
    project = projects.project_by_slug(session, access.slug)
    wanted = service.read_scope(scope)
    batch = service.launch(session, project, judge, wanted, by=access.person.id)
    number = service.number_of(session, batch)
    return go_to(request, _address(access, "batch", number=number))


@router.get("/batch")
def show_batch(
    request: Request, access: ReaderDep, session: ReadSessionDep, number: Number
) -> HTMLResponse:
    batch = service.batch_by_number(session, access.project_id, number)
    return page(
        request,
        BATCH,
        active="judges",
        standing=service.standing_of(session, batch, number),
        paused_until=batch.paused_until,
        calls=service.calls_of(session, batch),
        newest=service.newest_calls(session, batch),
    )


@router.get("/batch/progress")
def show_progress(
    request: Request, access: ReaderDep, session: ReadSessionDep, number: Number
) -> HTMLResponse:
    batch = service.batch_by_number(session, access.project_id, number)
    standing = service.standing_of(session, batch, number)
    until = batch.paused_until
    return fragment(request, BATCH, "progress", standing=standing, paused_until=until)


@router.post("/batch/{act}")
def change_batch(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    act: str,
    number: Annotated[int, Form(ge=1, le=1_000_000_000)],
) -> Response:
    if act not in ACTS:
        raise Invalid("A batch can be paused, resumed, cancelled or tried again.")
    batch = service.batch_by_number(session, access.project_id, number)
    ACTS[act](session, batch, by=access.person.id)
    return go_to(request, _address(access, "batch", number=number))
