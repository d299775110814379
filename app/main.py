"""Main: the web application, put together from its rooms."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from sqlalchemy import text

from app import __version__, logs
from app.accounts import routes as accounts
from app.accounts.dependencies import find_person
from app.accounts.limits import Guesses
from app.agreement import routes as agreement
from app.assignment import routes as assignment
from app.corpus import routes as corpus
from app.db import Database, open_database
from app.evaluation import routes as evaluation
from app.grading import routes as grading
from app.judging import jobs as _judging_jobs  # noqa: F401 - makes its work known
from app.judging import routes as judging
from app.overview import api
from app.overview import routes as overview
from app.pooling import routes as pooling
from app.projects import routes as projects
from app.queries import routes as queries
from app.releases import routes as releases
from app.retrieval import jobs as _retrieval_jobs  # noqa: F401 - makes its work known
from app.retrieval import routes as retrieval
from app.settings import Settings, load_settings
from app.web import errors
from app.web.bodies import BodyLimit, refuse_unstorable
from app.web.dependencies import ReadSessionDep
from app.web.security import SecurityHeaders, guard_forms
from app.web.templating import STATIC, page

THREADS = 256
"""More than the requests that are let in at once (`serving.AT_ONCE`): a thread that waits for a
connection must never be the one that its holder needs to go on and give it back."""
ROOMS = (
    accounts,
    projects,
    corpus,
    queries,
    retrieval,
    pooling,
    assignment,
    grading,
    judging,
    agreement,
    releases,
    evaluation,
    overview,
)


def create_app(settings: Settings | None = None, database: Database | None = None) -> FastAPI:
    """Put the rooms together; settings and database may be handed in by tests."""
    logs.configure()
    known = settings or load_settings()
    opened = database or open_database(known.database)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        yield
        opened.close()

    app = FastAPI(
        title="Goldspan",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
        dependencies=[Depends(guard_forms), Depends(refuse_unstorable)],
    )
    app.state.settings = known
    app.state.database = opened
    app.state.guesses = Guesses()
    app.add_middleware(BodyLimit, is_known=find_person)
    app.add_middleware(SecurityHeaders)
    errors.install(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_api_route("/healthz", is_healthy, include_in_schema=False)
    app.add_api_route("/patterns", show_patterns, include_in_schema=False)
    for room in ROOMS:
        app.include_router(room.router, include_in_schema=False)
    app.include_router(api.router)
    return app


def show_patterns(request: Request) -> HTMLResponse:
    """Show every pattern of the interface on one page, for those who build pages."""
    return page(request, "patterns.html", active="patterns")


def is_healthy(session: ReadSessionDep) -> PlainTextResponse:
    """Answer a health check once the database answers."""
    session.execute(text("SELECT 1"))
    return PlainTextResponse("ok")
