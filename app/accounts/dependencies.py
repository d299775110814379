"""Dependencies of accounts: who is signed in."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from app.accounts import service
from app.db import transaction
from app.errors import SignInNeeded
from app.web.dependencies import database_of, settings_of
from app.web.security import SESSION, cookie_name
from app.web.viewer import Person, remember, viewer_of


def session_token(request: Request) -> str | None:
    """Return the token in the session's cookie."""
    return request.cookies.get(cookie_name(SESSION, public_url=settings_of(request).public_url))


def find_person(request: Request) -> Person | None:
    """Return who is signed in, by cookie or by bearer token; nobody is None."""
    kind, _, bearer = request.headers.get("authorization", "").partition(" ")
    person = _by_bearer(request, bearer) if kind == "Bearer" else _by_cookie(request)
    if person is not None:
        remember(request, replace(viewer_of(request), person=person))
    return person


def _by_bearer(request: Request, token: str) -> Person | None:
    with transaction(database_of(request), write=False) as session:
        user = service.person_of_api_token(session, token)
        return None if user is None else Person(user.id, user.name, user.email)


def _by_cookie(request: Request) -> Person | None:
    token = session_token(request)
    if token is None:
        return None
    database = database_of(request)
    with transaction(database, write=False) as session:
        found = service.person_of_session(session, token)
    if found is None:
        return None
    if found.stale:
        with transaction(database) as session:
            service.renew(session, found.session_id)
    return Person(found.user.id, found.user.name, found.user.email)


def need_person(request: Request) -> Person:
    """Return who is signed in, or ask to sign in."""
    person = find_person(request)
    if person is None:
        raise SignInNeeded("Please sign in to go on.")
    return person


VisitorDep = Annotated[Person | None, Depends(find_person)]
PersonDep = Annotated[Person, Depends(need_person)]
