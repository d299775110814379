"""API: what the pages do, for programs with a bearer token."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi import Path as PathParam
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from app.accounts.dependencies import PersonDep
from app.assignment import service as assignment
from app.db import transaction
from app.domain.scale import parse_mapping
from app.errors import Invalid
from app.evaluation import reports
from app.evaluation import service as evaluation
from app.overview import service
from app.pooling import service as pooling
from app.projects import service as projects
from app.projects.dependencies import AdminDep, ReaderDep
from app.projects.uploads import MAX_BYTES, display_name
from app.releases import service as releases
from app.releases.export import Form, Source, Unit
from app.retrieval import service as retrieval
from app.web.dependencies import DatabaseDep, ReadSessionDep, SessionDep
from app.web.streaming import Attachment

Answer = dict[str, Any]
Refusal = {"description": "Refused: what is wrong, in words"}
router = APIRouter(
    prefix="/api/v1",
    tags=["Goldspan"],
    responses={401: Refusal, 403: Refusal, 404: Refusal, 422: Refusal},
)
PIECE = 2**20


async def save_body(request: Request) -> AsyncIterator[Path]:
    """Keep the body of a request in a file of ours while it is worked on."""
    with tempfile.TemporaryDirectory(prefix="goldspan-") as folder:
        path = Path(folder) / "body"
        size = 0
        with path.open("wb") as kept:
            async for piece in request.stream():
                size += len(piece)
                if size > MAX_BYTES:
                    raise Invalid(f"The body is larger than {MAX_BYTES:,} bytes, the limit.")
                await run_in_threadpool(kept.write, piece)
        yield path


BodyDep = Annotated[Path, Depends(save_body)]
Text = Annotated[str | None, Query(max_length=400)]


@router.get("/projects")
def list_projects(person: PersonDep, session: ReadSessionDep) -> Answer:
    """List your projects, with your roles in each."""
    mine = projects.projects_of(session, person.id)
    return {
        "projects": [
            {
                "slug": project.slug,
                "name": project.name,
                "cut": project.cut,
                "roles": sorted(roles),
            }
            for project, roles in mine
        ]
    }


@router.get("/projects/{slug}")
def show_project(access: ReaderDep, session: ReadSessionDep) -> Answer:
    """Say where a project stands, and what to do next."""
    project = projects.project_by_slug(session, access.slug)
    return service.as_json(project, service.state_of(session, project))


@router.get("/projects/{slug}/runs")
def list_runs(access: ReaderDep, session: ReadSessionDep) -> Answer:
    """List the runs, in the order they were made."""
    runs = retrieval.list_runs(session, access.project_id)
    return {
        "runs": [
            {
                "name": run.name,
                "state": run.state,
                "retriever": run.retriever,
                "chunking": run.chunking,
                "depth": run.depth,
                "queries": run.queries_done,
                "hits": run.hits_total,
                "error": run.error,
            }
            for run in runs
        ]
    }


@router.post("/projects/{slug}/runs", status_code=201)
def add_run(
    access: AdminDep,
    session: SessionDep,
    body: BodyDep,
    name: Annotated[str, Query(max_length=400)],
    order: Literal["score", "rank"] = "score",
    ids: Literal["document", "span"] | None = None,
    form: Annotated[str | None, Query(alias="format")] = None,
    *,
    allow_unknown: bool = False,
    dry_run: bool = False,
) -> Answer:
    """Take in a run: TREC columns or JSON lines of spans as the body; all or nothing."""
    report = retrieval.import_run(
        session,
        projects.project_by_slug(session, access.slug),
        body,
        file_name=display_name(name),
        name=name,
        order=order,
        ids=ids,
        format=form,
        allow_unknown=allow_unknown,
        dry_run=dry_run,
        by=access.person.id,
    )
    return report.as_json


@router.post("/projects/{slug}/pool/extend")
def extend_pool(
    access: AdminDep,
    session: SessionDep,
    run: Annotated[list[str] | None, Query()] = None,
    depth: Annotated[int, Query(ge=1, le=1000)] = 20,
    *,
    dry_run: bool = False,
) -> Answer:
    """Add what runs found to the pool (all finished ones unless named), and count it."""
    project = projects.project_by_slug(session, access.slug)
    report = pooling.extend(
        session, project, run_names=run, depth=depth, dry_run=dry_run, by=access.person.id
    )
    return report.as_json()


@router.post("/projects/{slug}/grades", status_code=201)
def add_grades(
    access: AdminDep,
    session: SessionDep,
    body: BodyDep,
    sme: Text = None,
    judge: Text = None,
    mapping: Annotated[str | None, Query(alias="map")] = None,
    duplicates: Literal["refuse", "first", "last", "majority"] = "refuse",
    ids: Literal["document", "span"] | None = None,
    form: Annotated[str | None, Query(alias="format")] = None,
    *,
    allow_unknown: bool = False,
) -> Answer:
    """Take in grades of one SME or one judge: TREC, BEIR or JSON lines as the body."""
    if (sme is None) == (judge is None):
        raise Invalid("Say whose grades these are: sme=NAME or judge=NAME, one of both.")
    name = sme if sme is not None else str(judge)
    report = assignment.import_grades(
        session,
        projects.project_by_slug(session, access.slug),
        body,
        file_name=display_name(name),
        grader_kind="sme" if sme is not None else "judge",
        grader_name=name,
        mapping=parse_mapping(mapping) if mapping else None,
        duplicates=duplicates,
        ids=ids,
        allow_unknown=allow_unknown,
        format=form,
        by=access.person.id,
    )
    return report.as_json()


@router.get("/projects/{slug}/releases")
def list_releases(access: ReaderDep, session: ReadSessionDep) -> Answer:
    """List the releases with their manifests, the newest first."""
    found = releases.releases_of(session, access.project_id)
    return {
        "releases": [
            {
                "number": release.number,
                "note": release.note,
                "sha256": release.sha256,
                "created_at": release.created_at.isoformat(),
                "manifest": release.manifest,
            }
            for release in found
        ]
    }


@router.get("/projects/{slug}/releases/{number}/export", response_class=StreamingResponse)
def export_release(
    access: ReaderDep,
    session: ReadSessionDep,
    database: DatabaseDep,
    number: Annotated[int, PathParam(ge=1, le=2**31 - 1)],
    form: Annotated[Form, Query(alias="format")] = "trec",
    unit: Unit | None = None,
    source: Source = "all",
    *,
    escape: bool = False,
) -> StreamingResponse:
    """Send a release's labels as a stream, in their fixed order."""
    project = projects.project_by_slug(session, access.slug)
    plan = releases.plan_export(
        session, project, number, form=form, unit=unit, source=source, escape=escape
    )
    return Attachment(
        database,
        lambda own: releases.stream_export(own, plan),
        name=plan.file_name,
        kind=plan.kind,
    )


@router.get("/projects/{slug}/evaluation")
def show_evaluation(
    access: ReaderDep,
    database: DatabaseDep,
    release: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    cut: Annotated[int | None, Query(ge=1, le=3)] = None,
    unit: Literal["span", "document"] = "span",
    no_relevant: Literal["skip", "zero"] = "skip",
    *,
    per_query: bool = False,
) -> Answer:
    """Score the finished runs with a release (the newest), and say how they did."""
    with transaction(database, write=False) as session:
        project = projects.project_by_slug(session, access.slug)
        chosen = releases.find_release(session, project.id, release)
        fresh = evaluation.compute_missing(session, project, chosen, cut=cut, unit=unit)
    if fresh.runs:
        with transaction(database) as session:
            evaluation.keep(session, fresh)
    with transaction(database, write=False) as session:
        scored = evaluation.list_evaluations(session, project, chosen, cut=cut, unit=unit)
        values = evaluation.all_values(session, scored) if per_query else None
    return reports.as_json(
        project.slug, chosen.number, scored, no_relevant=no_relevant, values=values
    )
