"""htmx: who asks for a piece, and how to send a browser on."""

from fastapi import Request
from fastapi.responses import RedirectResponse, Response


def wants_fragment(request: Request) -> bool:
    """Tell whether htmx asks for a piece; a restored history entry is a whole page."""
    headers = request.headers
    restored = headers.get("hx-history-restore-request") == "true"
    return headers.get("hx-request") == "true" and not restored


def go_to(request: Request, url: str) -> Response:
    """Send the browser to another page after a POST, with or without htmx."""
    if wants_fragment(request):
        return Response(
            status_code=204, headers={"HX-Redirect": url, "Cache-Control": "no-store"}
        )
    return RedirectResponse(url, status_code=303)
