"""Routes of accounts: sign in, sign out, personal links, one's own account."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from app.accounts import service
from app.accounts.dependencies import PersonDep, VisitorDep, session_token
from app.accounts.limits import Guesses
from app.accounts.tokens import new_token
from app.db import transaction
from app.errors import AppError
from app.settings import Settings
from app.web.dependencies import DatabaseDep, ReadSessionDep, SessionDep, SettingsDep
from app.web.htmx import go_to
from app.web.security import ANYBODY, SESSION, cookie_name, form_token
from app.web.templating import page
from app.web.viewer import viewer_of

router = APIRouter()
Text = Annotated[str, Form(max_length=400)]


def _set_cookie(response: Response, settings: Settings, name: str, token: str) -> None:
    response.set_cookie(
        cookie_name(name, public_url=settings.public_url),
        token,
        max_age=int(service.SESSION_LIFE.total_seconds()) if name == SESSION else None,
        secure=settings.public_url.startswith("https://"),
        httponly=True,
        samesite="lax",
        path="/",
    )


def _form_page(
    request: Request, settings: Settings, template: str, **context: Any
) -> HTMLResponse:
    """Show a form to somebody not signed in, with a cookie that its token is made from."""
    if viewer_of(request).csrf:
        return page(request, template, **context)
    fresh = new_token()
    response = page(request, template, csrf=form_token(fresh), **context)
    _set_cookie(response, settings, ANYBODY, fresh)
    return response


def _own_path(path: str) -> str:
    """Return a path of this site to go to next; anything else becomes the start page."""
    parts = urlsplit(path)
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and not parts.netloc
    return path if own else "/"


@router.get("/login")
def show_login(
    request: Request, settings: SettingsDep, person: VisitorDep, onward: str = "/"
) -> Response:
    if person is not None:
        return RedirectResponse(_own_path(onward), status_code=303)
    return _form_page(
        request, settings, "accounts/login.html", onward=_own_path(onward), error=""
    )


@router.post("/login")
def sign_in(
    request: Request,
    settings: SettingsDep,
    database: DatabaseDep,
    email: Text,
    password: Text,
    onward: Annotated[str, Form()] = "/",
) -> Response:
    address = request.client.host if request.client else "unknown"
    account = email.strip().lower()
    guesses: Guesses = request.app.state.guesses
    guesses.check(address=address, account=account)
    try:
        # Hashing takes a tenth of a second: not while the one writer of SQLite is held.
        with transaction(database, write=False) as session:
            user = service.check_password(session, email, password)
    except AppError as refusal:
        guesses.count(address=address, account=account)
        response = _form_page(
            request,
            settings,
            "accounts/login.html",
            onward=_own_path(onward),
            error=str(refusal),
        )
        response.status_code = 403
        return response
    with transaction(database) as session:
        token = service.open_session(session, user)
    answer = go_to(request, _own_path(onward))
    _set_cookie(answer, settings, SESSION, token)
    return answer


@router.post("/logout")
def sign_out(request: Request, settings: SettingsDep, session: SessionDep) -> Response:
    token = session_token(request)
    if token is not None:
        service.sign_out(session, token)
    response = go_to(request, "/login")
    response.delete_cookie(
        cookie_name(SESSION, public_url=settings.public_url),
        path="/",
        secure=settings.public_url.startswith("https://"),
        httponly=True,
        samesite="lax",
    )
    # Not "storage": grades that were not sent yet wait there for their owner.
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@router.get("/link/{token}")
def show_link(
    request: Request, settings: SettingsDep, session: ReadSessionDep, token: str
) -> HTMLResponse:
    """Show whom a link belongs to; looking at it uses nothing up."""
    owner = service.owner_of_link(session, token)
    return _form_page(request, settings, "accounts/link.html", owner=owner.name, token=token)


@router.post("/link/{token}")
def redeem_link(
    request: Request, settings: SettingsDep, session: SessionDep, token: str
) -> Response:
    opened = service.redeem_link(session, token)
    answer = go_to(request, "/")
    _set_cookie(answer, settings, SESSION, opened)
    return answer


@router.get("/account")
def show_account(request: Request, person: PersonDep) -> HTMLResponse:
    return page(request, "accounts/account.html", email=person.email)


@router.post("/account/password")
def change_password(
    request: Request, person: PersonDep, session: SessionDep, password: Text
) -> Response:
    user = service.user_by_id(session, person.id)
    service.set_password(session, user, password, keep=session_token(request))
    return go_to(request, "/")
