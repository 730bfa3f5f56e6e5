"""A study's desk, its first page: the state, what goes on at this moment, and the way to invitations."""

from typing import Literal

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.charts.small_bars import small_bars
from app.errors import InvalidInput
from app.services import study_settings
from app.services.desk.copying import count_problems
from app.services.desk.live import answered_by_day, live_state
from app.services.questionnaires.form_content import ConsentForm
from app.services.questionnaires.forms import current_form
from app.services.sampling.candidates import has_changed_prompts
from app.services.studies import TRANSITIONS, find_study
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.desk_pages import desk_page
from app.web.forms import FormInvalid, FormModel, Posted, read_form
from app.web.htmx import is_fragment_request, redirect
from app.web.templating import render
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/desk")


class StateForm(FormModel):
    """The state to come to."""

    state: Literal["open", "paused", "closed"]


@router.get("", dependencies=[ADMIN])
def desk(request: Request, slug: str, session: ReadSession) -> Response:
    """The desk."""
    study = find_study(session, slug)
    return desk_page(
        request,
        "desk/desk.html",
        study,
        "now",
        live=live_state(session, study),
        days=answered_by_day(session, study),
        has_problems=bool(count_problems(session, study)),
        small_bars=small_bars,
        waiting_prompts=has_changed_prompts(session, study),
        unfilled=_has_blanks(session, study),
        next_states=_offered(study),
    )


def _offered(study: Study) -> list[str]:
    """The states that come next. A draft has nobody to keep out: programs may close it, the desk doesn't offer it."""
    possible = [state for state, befores in TRANSITIONS.items() if study.state in befores]
    return [state for state in possible if study.state != "draft" or state != "closed"]


def _has_blanks(session: Session, study: Study) -> bool:
    """Whether the consent is still as it began."""
    consent = current_form(session, study, "consent")
    return consent is not None and isinstance(consent.form, ConsentForm) and bool(consent.form.blanks)


@router.get("/live", dependencies=[ADMIN])
def live(request: Request, slug: str, session: ReadSession) -> Response:
    """What moves on the desk, for the page that asks every few seconds."""
    study = find_study(session, slug)
    if not is_fragment_request(request):
        return redirect(request, f"/studies/{slug}/desk")
    return render(request, "desk/_live.html", study=study, live=live_state(session, study), small_bars=small_bars)


@router.post("/state", dependencies=[ADMIN])
def change_state(
    request: Request, slug: str, principal: CurrentPrincipal, posted: Posted, session: WriteSession
) -> Response:
    """Open, pause or close the study."""
    study = study_settings.lock(session, slug)
    try:
        form = read_form(StateForm, posted)
    except FormInvalid:
        raise InvalidInput(gettext("A study can be opened, paused or closed.")) from None
    study_settings.change_state(session, principal.actor, study, form.state)
    return redirect(request, f"/studies/{slug}/desk")
