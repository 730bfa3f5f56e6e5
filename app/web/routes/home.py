"""The front door: everybody is sent to where their work is."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.services import users
from app.web.access import ANYONE, MaybePrincipal
from app.web.database import ReadSession
from app.web.htmx import redirect
from app.web.templating import render

router = APIRouter()


@router.get("/", dependencies=[ANYONE])
def home(request: Request, principal: MaybePrincipal, session: ReadSession) -> Response:
    """Annotators go on grading, users see their studies, strangers read what this is."""
    if principal is None:
        return render(request, "people/home.html", needs_setup=not users.has_admin(session))
    return redirect(request, "/grade" if principal.role == "annotator" else "/studies")
