"""Walking: every route of the application, so that a new one cannot be forgotten."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy import func, select

from app.db import Database, transaction
from app.main import ROOMS
from app.models import Base
from app.overview import api

SLUGS = "/projects/{slug}"


def list_routes(method: str) -> list[APIRoute]:
    """Return the routes of all rooms and of the API that answer a method."""
    return [
        route
        for source in (*ROOMS, api)
        for route in source.router.routes
        if isinstance(route, APIRoute) and method in (route.methods or ())
    ]


def list_addresses(slug: str, examples: Mapping[str, list[str]]) -> list[str]:
    """Return an address or more of every GET route; LookupError names those without."""
    found: list[str] = []
    for route in list_routes("GET"):
        if route.path in examples:
            found += examples[route.path]
        elif set(route.param_convertors) <= {"slug"} and not _list_needed(route.dependant):
            found.append(route.path.replace("{slug}", slug))
        else:
            raise LookupError(f"tests/web/hostile.py has no example for {route.path}")
    return found


def list_parameters(dependant: Dependant) -> dict[str, bool]:
    """Return the names after the question mark, and whether an address needs them."""
    own = {field.alias: field.field_info.is_required() for field in dependant.query_params}
    for inner in dependant.dependencies:
        own |= list_parameters(inner)
    return own


def _list_needed(dependant: Dependant) -> list[str]:
    return [name for name, needed in list_parameters(dependant).items() if needed]


def spoil(route: APIRoute, slug: str, value: str) -> Iterator[str]:
    """Yield the addresses of a route with ``value`` in each place of its own."""
    value = quote(value, safe="")
    known = route.path.replace("{slug}", slug)
    path = known
    for name, convertor in route.param_convertors.items():
        kind = ":path" if type(convertor).__name__ == "PathConvertor" else ""
        path = path.replace(f"{{{name}{kind}}}", value)
    names = list_parameters(route.dependant)
    yield path + "?" + "&".join(f"{name}={value}" for name in names)
    for name in names:
        others = [f"{each}=1" for each in names if each != name and names[each]]
        yield path + "?" + "&".join([f"{name}={value}", *others])


def count_rows(database: Database) -> dict[str, int]:
    """Return the number of rows of every table of ours."""
    with transaction(database, write=False) as session:
        return {
            name: session.scalars(select(func.count()).select_from(table)).one()
            for name, table in Base.metadata.tables.items()
        }
