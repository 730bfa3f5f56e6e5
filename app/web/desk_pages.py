"""What every page of the desk is given."""

from typing import Any

from fastapi import Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.services.runs import views
from app.storage.models import Run, Study
from app.web.access import CurrentPrincipal
from app.web.templating import render


def desk_page(
    request: Request, template: str, study: Study, part: str, *, status_code: int = 200, **context: Any
) -> Response:
    """A page of the study's desk; ``part`` is the one of its parts that it shows."""
    return render(request, template, status_code=status_code, study=study, tab="desk", part=part, **context)


def run_view(session: Session, run: Run | None, principal: CurrentPrincipal) -> views.RunView | None:
    """A run that isn't done, for the page that waits for it."""
    return None if run is None or run.state == "done" else views.describe(session, run, principal)
