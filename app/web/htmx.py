"""HTMX: is a fragment wanted, and how to send the browser elsewhere."""

from fastapi import Request
from starlette.responses import RedirectResponse, Response


def is_fragment_request(request: Request) -> bool:
    """Whether htmx asked for a part of the page (and not for a page out of its history)."""
    headers = request.headers
    return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"


def redirect(request: Request, url: str) -> Response:
    """Go to ``url``: by a header for htmx (which would follow a 303 inside the fragment), by 303 otherwise."""
    if is_fragment_request(request):
        return Response(status_code=204, headers={"HX-Redirect": url})
    return RedirectResponse(url, status_code=303)
