"""Viewer: who looks at a page and what the frame of the page says of them."""

from dataclasses import dataclass
from typing import cast

from fastapi import Request


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in person, as pages name them."""

    id: int
    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Place:
    """The project a page is about."""

    id: int
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Viewer:
    """Person, project and roles, gathered by the dependencies of one request."""

    person: Person | None = None
    place: Place | None = None
    roles: frozenset[str] = frozenset()
    csrf: str = ""


def viewer_of(request: Request) -> Viewer:
    """Return who is looking; nobody until a dependency says otherwise."""
    return cast(Viewer, getattr(request.state, "viewer", Viewer()))


def remember(request: Request, viewer: Viewer) -> None:
    """Keep what a dependency found out about the viewer for the rest of the request."""
    request.state.viewer = viewer
