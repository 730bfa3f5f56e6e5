"""How the installation is, in words, for admins."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.services.runs.views import headline, kind_in_words
from app.services.status.report import make_report
from app.web.access import ADMIN
from app.web.database import ReadSession
from app.web.templating import render

router = APIRouter()


@router.get("/status", dependencies=[ADMIN])
def status(request: Request, session: ReadSession) -> Response:
    """Each part of it; the page asks again by itself."""
    report = make_report(session, request.app.state.settings, request.app.state.readiness)
    return render(request, "status/page.html", report=report, kind_in_words=kind_in_words, headline=headline)
