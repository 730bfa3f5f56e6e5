"""Choose the language of the pages."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.errors import InvalidInput
from app.web.access import ANYONE
from app.web.forms import Posted
from app.web.htmx import redirect
from app.web.languages import remember
from app.web.redirects import local_path, page_before
from app.words import LANGUAGES, gettext

router = APIRouter()


@router.post("/language", dependencies=[ANYONE])
def choose_language(request: Request, posted: Posted) -> Response:
    """Remember the choice and show the page again; one that can't be had again, an answer to a form, says another."""
    chosen = LANGUAGES.get(posted.get("language", ""))
    if chosen is None:
        names = ", ".join(each.name for each in LANGUAGES.values())
        raise InvalidInput(gettext("CodeJury does not speak this language. Choose one of: %(names)s.", names=names))
    answer = redirect(request, local_path(posted.get("next"), page_before(request)))
    remember(answer, request, chosen)
    return answer
