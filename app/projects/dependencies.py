"""Dependencies of projects: which project a page is about, and what the person may do there."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request

from app.accounts.dependencies import PersonDep
from app.db import transaction
from app.domain.words import join_words
from app.errors import Forbidden, NotFound
from app.projects import service
from app.web.dependencies import database_of
from app.web.viewer import Person, Place, remember, viewer_of

PEOPLE = {
    "admin": "admins",
    "adjudicator": "adjudicators",
    "sme": "graders",
    "viewer": "viewers",
}


@dataclass(frozen=True, slots=True)
class Access:
    """A person in a project they belong to."""

    project_id: int
    slug: str
    name: str
    cut: int
    person: Person
    roles: frozenset[str]

    @property
    def path(self) -> str:
        """The address of the project's home page."""
        return f"/projects/{self.slug}"


def find_access(request: Request, slug: str, person: PersonDep) -> Access:
    """Return the person's access; a project one does not belong to does not exist (404)."""
    with transaction(database_of(request), write=False) as session:
        project = service.project_by_slug(session, slug)
        roles = service.roles_in(session, project.id, person.id)
    if not roles:
        raise NotFound(f"There is no project {slug}.")
    place = Place(project.id, project.slug, project.name)
    remember(request, replace(viewer_of(request), place=place, roles=roles))
    return Access(project.id, project.slug, project.name, project.cut, person, roles)


AccessDep = Annotated[Access, Depends(find_access)]


def _need(*allowed: str) -> Callable[[Access], Access]:
    def check(access: AccessDep) -> Access:
        if not access.roles & set(allowed):
            wanted = join_words([PEOPLE[role] for role in allowed])
            raise Forbidden(f"This is for {wanted} of the project.")
        return access

    return check


AdminDep = Annotated[Access, Depends(_need("admin"))]
ReaderDep = Annotated[Access, Depends(_need("admin", "adjudicator", "viewer"))]
GraderDep = Annotated[Access, Depends(_need("sme", "adjudicator", "admin"))]
