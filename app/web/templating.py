"""Templating: pages, and the blocks of pages that htmx swaps."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2_fragments import render_block

from app import __version__
from app.web.viewer import viewer_of

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "static"
PRIVATE = {"Cache-Control": "no-store", "Vary": "HX-Request, Cookie"}


@cache
def asset(path: str) -> str:
    """Return the address of a file in static/, which changes with its content (V-100)."""
    digest = hashlib.sha256((STATIC / path).read_bytes()).hexdigest()[:12]
    return f"/static/{path}?v={digest}"


def _make_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(asset=asset, version=__version__)
    environment.filters["number"] = format_number
    return environment


def format_number(value: int) -> str:
    """Write a count with commas between thousands, as people read it."""
    return f"{value:,}"


environment = _make_environment()


def _frame(request: Request, context: dict[str, Any]) -> dict[str, Any]:
    viewer = viewer_of(request)
    frame: dict[str, Any] = {
        "request": request,
        "user": viewer.person,
        "project": viewer.place,
        "roles": viewer.roles,
        "csrf": viewer.csrf,
        "active": "",
        "flash": [],
    }
    return frame | context


def page(
    request: Request, template: str, /, *, status: int = 200, **context: Any
) -> HTMLResponse:
    """Render a whole page; ``active`` in the context names its room in the navigation."""
    body = environment.get_template(template).render(_frame(request, context))
    return HTMLResponse(body, status_code=status, headers=PRIVATE)


def fragment(
    request: Request, template: str, block: str, /, *, status: int = 200, **context: Any
) -> HTMLResponse:
    """Render one named block of a page: the piece that changed."""
    body = render_block(environment, template, block, _frame(request, context))
    return HTMLResponse(body, status_code=status, headers=PRIVATE)
