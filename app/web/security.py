"""Security: headers of every answer, and proof that a form came from our own page."""

import hashlib
import secrets
from dataclasses import replace
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Forbidden
from app.web.dependencies import settings_of
from app.web.viewer import remember, viewer_of

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
SAFE = {"GET", "HEAD", "OPTIONS"}
ANYBODY = "goldspan_form"
SESSION = "goldspan_session"


class SecurityHeaders:
    """Adds the protecting headers to every answer, errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", _keep_rule(scope))
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _keep_rule(scope: Scope) -> str:
    """Say what browsers may keep: files under an address with their hash, nothing else.

    A script that another script imports has no hash in its address: it is asked for again,
    so that the two are never of different versions (V-100).
    """
    if not scope.get("path", "").startswith("/static/"):
        return "no-store"
    hashed = scope.get("query_string", b"").startswith(b"v=")
    return "public, max-age=31536000, immutable" if hashed else "no-cache"


def cookie_name(plain: str, *, public_url: str) -> str:
    """Return the cookie's name, bound to the host where the site is served over TLS."""
    return f"__Host-{plain}" if public_url.startswith("https://") else plain


def form_token(secret: str) -> str:
    """Derive what our forms carry from a cookie that other sites cannot read."""
    return hashlib.sha256(f"form:{secret}".encode()).hexdigest()


def is_own_origin(request: Request, public_url: str) -> bool:
    """Tell whether an unsafe request comes from a page of ours (V-084)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site:
        return site in {"same-origin", "none"}
    if origin is None:
        return True  # no browser of today: the token decides
    parts, own = urlsplit(origin), urlsplit(public_url)
    served = request.headers.get("host", "")
    return (parts.scheme, parts.netloc) == (own.scheme, own.netloc) or parts.netloc == served


async def guard_forms(request: Request) -> None:
    """Refuse an unsafe request that does not carry the token of its own browser.

    Programs with a bearer token have no cookie to misuse and are let through.
    """
    public_url = settings_of(request).public_url
    secret = _form_secret(request, public_url)
    remember(request, replace(viewer_of(request), csrf=form_token(secret) if secret else ""))
    if request.method in SAFE or request.headers.get("authorization", "").startswith("Bearer "):
        return
    if secret is None and request.url.path.startswith("/api/"):
        return  # nobody is signed in: the API answers that it wants a token
    if not is_own_origin(request, public_url):
        raise Forbidden("This form came from another site. Open Goldspan itself and try again.")
    given = request.headers.get("x-csrf-token") or str((await request.form()).get("csrf", ""))
    if not secret or not secrets.compare_digest(given, form_token(secret)):
        raise Forbidden("This page is too old to be sent. Reload it and try again.")


def _form_secret(request: Request, public_url: str) -> str | None:
    """Return the cookie that the token is made from: the session's, or before it the form's."""
    for plain in (SESSION, ANYBODY):
        value = request.cookies.get(cookie_name(plain, public_url=public_url))
        if value:
            return value
    return None


FormGuard = Annotated[None, Depends(guard_forms)]
