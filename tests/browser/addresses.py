"""Addresses: every page of the application, so that a new one cannot be forgotten."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from app.main import ROOMS

NOT_A_PAGE = {
    "/projects/{slug}/runs/progress": "a piece of the runs",
    "/projects/{slug}/judges/batch/progress": "a piece of the batch",
    "/projects/{slug}/grade/next": "sends on to a card",
    "/projects/{slug}/grade/cards/{token}/piece": "a piece of the desk",
    "/projects/{slug}/scores/download": "a file",
    "/projects/{slug}/scores/run/download": "a file",
    "/projects/{slug}/releases/{number}/download": "a file",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The address of one page, and whether it needs more than a project to be shown."""

    template: str
    is_plain: bool

    @property
    def is_of_project(self) -> bool:
        return self.template.startswith("/projects/{slug}")


def list_places() -> list[Place]:
    """Return every page that can be read, in the order of the rooms."""
    routes = [route for room in ROOMS for route in room.router.routes]
    return [
        Place(route.path, _is_plain(route))
        for route in routes
        if isinstance(route, APIRoute)
        and "GET" in (route.methods or ())
        and route.path not in NOT_A_PAGE
    ]


def _is_plain(route: APIRoute) -> bool:
    return set(route.param_convertors) <= {"slug"} and not any(_needed(route.dependant))


def _needed(dependant: Dependant) -> Iterator[str]:
    """Yield the names after the question mark that an address cannot do without."""
    for field in dependant.query_params:
        if field.field_info.is_required():
            yield field.alias
    for inner in dependant.dependencies:
        yield from _needed(inner)


def fill_places(slug: str, filled: Mapping[str, list[str]]) -> list[str]:
    """Return the addresses of all pages of a project, and of none.

    ``filled`` has addresses for those that need more, by template; LookupError names the
    ones that are missing.
    """
    places = list_places()
    unknown = [p.template for p in places if not p.is_plain and p.template not in filled]
    if unknown:
        raise LookupError(f"No example for {', '.join(unknown)}")
    found = [
        address
        for place in places
        for address in [
            *([place.template.replace("{slug}", slug)] if place.is_plain else []),
            *filled.get(place.template, []),
        ]
    ]
    return list(dict.fromkeys(found))


def empty_places(slug: str) -> list[str]:
    """Return the addresses of a project in which nothing has happened yet."""
    return [
        place.template.replace("{slug}", slug)
        for place in list_places()
        if place.is_plain and place.is_of_project
    ]
