"""htmx: who asks for a piece, and how to send a browser on."""

from urllib.parse import quote

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

SAFE = ":/%#?=@[]!$&'()*+,;"


def wants_fragment(request: Request) -> bool:
    """Tell whether htmx asks for a piece; a restored history entry is a whole page."""
    headers = request.headers
    restored = headers.get("hx-history-restore-request") == "true"
    return headers.get("hx-request") == "true" and not restored


def go_to(request: Request, url: str) -> Response:
    """Send the browser to another page after a POST, with or without htmx."""
    if wants_fragment(request):
        # quoted as a redirect is, or a name outside Latin-1 could not be sent
        headers = {"HX-Redirect": quote(url, safe=SAFE), "Cache-Control": "no-store"}
        return Response(status_code=204, headers=headers)
    return RedirectResponse(url, status_code=303)
