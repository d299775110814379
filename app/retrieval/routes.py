"""Routes of retrieval: the runs, one of them, retrieving, importing, the embedder."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request, Response, UploadFile
from fastapi.responses import HTMLResponse

from app.corpus import service as corpus
from app.models import Run
from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.projects.uploads import display_name, saved_upload
from app.queries import service as queries
from app.retrieval import service
from app.retrieval.runfiles import read_run_file
from app.settings import secret_names
from app.web.dependencies import FormNumber, ReadSessionDep, SessionDep, SettingsDep
from app.web.htmx import go_to, wants_fragment
from app.web.templating import fragment, page

router = APIRouter(prefix="/projects/{slug}/runs")
Text = Annotated[str, Form(max_length=400)]
LIST = "retrieval/list.html"
IMPORT = "retrieval/import.html"
PAGE = 50


@router.get("")
def show_runs(request: Request, access: ReaderDep, session: ReadSessionDep) -> HTMLResponse:
    return page(
        request,
        LIST,
        active="runs",
        runs=service.list_runs(session, access.project_id),
        pace=service.mean_milliseconds(session, access.project_id),
        has_documents=corpus.counts(session, access.project_id).known > 0,
        has_queries=queries.counts(session, access.project_id).queries > 0,
    )


@router.get("/progress")
def show_progress(request: Request, access: ReaderDep, session: ReadSessionDep) -> HTMLResponse:
    runs = service.list_runs(session, access.project_id)
    pace = service.mean_milliseconds(session, access.project_id)
    return fragment(request, LIST, "runs", runs=runs, pace=pace)


@router.get("/retrieve")
def show_retrieve(request: Request, access: AdminDep, session: ReadSessionDep) -> HTMLResponse:
    project = projects.project_by_slug(session, access.slug)
    return page(
        request,
        "retrieval/retrieve.html",
        active="runs",
        chunking=str(service.default_chunking(session, access.project_id)),
        embedder=service.name_embedder(project),
        depth=service.DEFAULT_DEPTH,
    )


@router.post("/retrieve")
def retrieve(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    depth: FormNumber,
    kind: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
    chunking: Annotated[list[str], Form()] = [],  # noqa: B006
    other: Text = "",
) -> Response:
    project = projects.project_by_slug(session, access.slug)
    cuts = [*chunking, *other.split()]
    names = [f"{each}@{cut}" for cut in cuts for each in kind]
    service.plan_runs(session, project, service.need_names(names), depth, by=access.person.id)
    return go_to(request, f"{access.path}/runs")


@router.post("/cancel")
def cancel(request: Request, access: AdminDep, session: SessionDep, name: Text) -> Response:
    project = projects.project_by_slug(session, access.slug)
    service.cancel_run(session, project, name, by=access.person.id)
    return go_to(request, f"{access.path}/runs")


@router.get("/import")
def show_import(request: Request, _access: AdminDep) -> HTMLResponse:
    return page(request, IMPORT, active="runs", report=None, says="")


@router.post("/import")
def take_file(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    reading: ReadSessionDep,
    file: UploadFile,
    step: Annotated[Literal["check", "import"], Form()],
    name: Text = "",
    order: Annotated[Literal["score", "rank"], Form()] = "score",
    ids: Annotated[Literal["", "document", "span"], Form()] = "",
    form: Annotated[str, Form(alias="format", max_length=20)] = "",
    allow_unknown: Annotated[bool, Form()] = False,
) -> Response:
    file_name = display_name(file.filename)
    with saved_upload(file) as path:
        checked = read_run_file(path, file_name, form or None)
        taking = reading if step == "check" else session
        report = service.import_run(
            taking,
            projects.project_by_slug(taking, access.slug),
            path,
            file_name=file_name,
            name=name.strip() or None,
            order=order,
            ids=ids or None,
            allow_unknown=allow_unknown,
            by=access.person.id,
            dry_run=step == "check",
            checked=checked,
        )
    if step == "import":
        return go_to(request, f"{access.path}/runs/{service.quote_name(report.name)}")
    context: dict[str, Any] = {
        "active": "runs",
        "report": report,
        "says": service.explain(report),
    }
    if wants_fragment(request):
        return fragment(request, IMPORT, "preview", **context)
    return page(request, IMPORT, **context)


@router.get("/embeddings")
def show_embedder(request: Request, access: AdminDep, session: ReadSessionDep) -> HTMLResponse:
    return page(
        request,
        "retrieval/embeddings.html",
        active="runs",
        settled=projects.project_by_slug(session, access.slug),
        keys=secret_names(),
    )


@router.post("/embeddings")
def set_embedder(
    request: Request,
    access: AdminDep,
    session: SessionDep,
    settings: SettingsDep,
    url: Text = "",
    model: Text = "",
    key_name: Text = "",
) -> Response:
    service.set_embedder(
        session,
        projects.project_by_slug(session, access.slug),
        url=url.strip(),
        model=model.strip(),
        key_name=key_name.strip(),
        allowed=settings.endpoints,
        by=access.person.id,
    )
    return go_to(request, f"{access.path}/runs/retrieve")


@router.get("/{name:path}")
def show_run(
    request: Request,
    access: ReaderDep,
    session: ReadSessionDep,
    name: str,
    query: Annotated[str, Query(max_length=4_000)] = "",
    part: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> HTMLResponse:
    run: Run = service.run_by_name(session, access.project_id, name)
    answers = service.answers_of(session, run)
    chosen = service.pick_answer(answers, query)
    return page(
        request,
        "retrieval/show.html",
        active="runs",
        run=run,
        answers=answers[(part - 1) * PAGE : part * PAGE],
        part=part,
        parts=max(1, -(-len(answers) // PAGE)),
        unanswered=sum(each.hits is None for each in answers),
        chosen=chosen,
        hits=service.shown_hits(session, run.id, chosen.query_ref) if chosen else [],
        pace=service.mean_milliseconds(session, access.project_id).get(run.id),
    )
