"""Errors: refusals translated into HTTP, once, for people and for programs."""

import errno
from urllib.parse import urlencode

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from starlette.exceptions import HTTPException

from app import errors
from app.web.htmx import wants_fragment
from app.web.templating import page

log = structlog.get_logger()

STATUS: dict[type[errors.AppError], int] = {
    errors.NotFound: 404,
    errors.Spent: 410,
    errors.Conflict: 409,
    errors.Invalid: 422,
    errors.BadFile: 422,
    errors.Forbidden: 403,
    errors.SignInNeeded: 401,
    errors.TooMany: 429,
    errors.Unavailable: 502,
}
TITLES = {
    401: "Please sign in",
    403: "Not yours to do",
    404: "Nothing here",
    405: "Nothing here",
    409: "That does not fit any more",
    410: "This link is used up",
    413: "Too large",
    422: "That cannot be taken",
    429: "A little slower",
    502: "No answer from outside",
    503: "Busy",
}
ADVICE = {
    401: "Sign in, then come back to this page.",
    403: "Ask an admin of the project if you think you should be able to.",
    404: "Go back, or start from your projects.",
    409: "Reload the page to see how things stand now.",
    410: "Or sign in with your address and your password.",
    413: "Send less at once, or split the file.",
    429: "Wait a minute, then try again.",
}
NOWHERE = "There is no such page, or it is not yours to see."
FULL = "There is no room on the disk. Nothing was stored. Tell whoever runs this Goldspan."
OUR_FAULT = "Something went wrong on our side. What you had saved is kept. Please try again."


def answer(request: Request, status: int, lines: list[str]) -> Response:
    """Say no in the form the asker reads: JSON, a piece of a page, or a page."""
    title = TITLES.get(status, "Something went wrong")
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": title, "details": lines}, status_code=status)
    shape = "errors/fragment.html" if wants_fragment(request) else "errors/page.html"
    return page(
        request,
        shape,
        status=status,
        title=title,
        lines=lines,
        advice=ADVICE.get(status, ""),
        back="/login" if status == 410 else "/",
        back_label="Sign in" if status == 410 else "To your projects",
    )


def refuse(request: Request, refusal: Exception) -> Response:
    """Translate one of our own refusals."""
    if not isinstance(refusal, errors.AppError):
        raise refusal
    if isinstance(refusal, errors.SignInNeeded) and _is_page(request):
        return RedirectResponse(
            f"/login?{urlencode({'onward': request.url.path})}", status_code=303
        )
    status = next(STATUS[kind] for kind in type(refusal).__mro__ if kind in STATUS)
    lines = list(refusal.lines()) if isinstance(refusal, errors.BadFile) else [str(refusal)]
    response = answer(request, status, lines)
    if isinstance(refusal, errors.TooMany):
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def safe_path(request: Request) -> str:
    """Return the path for the log; a personal link's token is a key and stays out."""
    path = request.url.path
    return "/link/..." if path.startswith("/link/") else path


def _is_page(request: Request) -> bool:
    api = request.url.path.startswith("/api/")
    return request.method == "GET" and not api and not wants_fragment(request)


def refuse_values(request: Request, wrong: Exception) -> Response:
    """Translate values of the wrong type, without quoting them back."""
    if not isinstance(wrong, RequestValidationError):
        raise wrong
    lines = [
        f"{'.'.join(str(part) for part in e['loc'][1:])}: {errors.say_reason(e['msg'])}"
        for e in wrong.errors()
    ]
    return answer(request, 422, lines)


def refuse_http(request: Request, wrong: Exception) -> Response:
    """Translate what the framework refuses: no such page, wrong verb."""
    if not isinstance(wrong, HTTPException):
        raise wrong
    nowhere = wrong.status_code in {404, 405}
    return answer(request, wrong.status_code, [NOWHERE if nowhere else str(wrong.detail)])


def refuse_busy(request: Request, wrong: Exception) -> Response:
    """Translate a database that cannot take the write now: locked, full, gone."""
    log.error("database refused", path=safe_path(request), error=str(wrong))
    return answer(
        request, 503, ["The database cannot take this now. Nothing was stored. Try again."]
    )


def refuse_unfit(request: Request, wrong: Exception) -> Response:
    """Translate a value that no column holds, such as a number of twenty digits."""
    log.warning("value refused by the database", path=safe_path(request), error=str(wrong))
    return answer(request, 422, ["A value is too large or cannot be stored."])


def refuse_full(request: Request, wrong: Exception) -> Response:
    """Say that the disk is full; every other failure of the system is our fault."""
    if not isinstance(wrong, OSError) or wrong.errno not in {errno.ENOSPC, errno.EDQUOT}:
        raise wrong
    log.error("disk full", path=safe_path(request), error=str(wrong))
    return answer(request, 503, [FULL])


def fail(request: Request, wrong: Exception) -> Response:
    """Say that it was our fault; the details go to the log only."""
    log.error("unexpected error", path=safe_path(request), exc_info=wrong)
    return answer(request, 500, [OUR_FAULT])


def install(app: FastAPI) -> None:
    """Teach the application to refuse in words."""
    app.add_exception_handler(errors.AppError, refuse)
    app.add_exception_handler(RequestValidationError, refuse_values)
    app.add_exception_handler(HTTPException, refuse_http)
    app.add_exception_handler(OperationalError, refuse_busy)
    app.add_exception_handler(NoConnection, refuse_busy)
    app.add_exception_handler(DataError, refuse_unfit)
    app.add_exception_handler(OSError, refuse_full)
    app.add_exception_handler(Exception, fail)
