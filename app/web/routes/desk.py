"""A study's desk, its first page: the state, what goes on at this moment, and the invitations."""

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.charts.small_bars import small_bars
from app.errors import InvalidInput
from app.services import invitation_links, study_settings
from app.services.desk.live import answered_by_day, live_state
from app.services.studies import TRANSITIONS, find_study
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.desk_pages import desk_page
from app.web.forms import EmptyIsNone, FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import is_fragment_request, redirect
from app.web.parameters import RowId
from app.web.templating import render

router = APIRouter(prefix="/studies/{slug}/desk")


class StateForm(FormModel):
    """The state to come to."""

    state: Literal["open", "paused", "closed"]


class InvitationForm(FormModel):
    """A link and its limits; an empty limit is none."""

    label: Annotated[str, Field(max_length=200)] = ""
    max_uses: Annotated[Annotated[int, Field(ge=1, le=1_000_000)] | None, EmptyIsNone] = None
    days: Annotated[Annotated[int, Field(ge=1, le=3_650)] | None, EmptyIsNone] = None


@router.get("", dependencies=[ADMIN])
def desk(request: Request, slug: str, session: ReadSession) -> Response:
    """The desk."""
    return _page(request, session, find_study(session, slug))


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
        raise InvalidInput("A study can be opened, paused or closed.") from None
    study_settings.change_state(session, principal.actor, study, form.state)
    return redirect(request, f"/studies/{slug}/desk")


@router.post("/invitations", dependencies=[ADMIN])
def invite(
    request: Request, slug: str, principal: CurrentPrincipal, posted: Posted, session: WriteSession
) -> Response:
    """Make an invitation; this answer is the only place where its link is ever shown."""
    study = find_study(session, slug)
    try:
        form = read_form(InvitationForm, posted)
    except FormInvalid as invalid:
        return _page(request, session, study, invitation_form=invalid.state, status_code=422)
    lifetime = timedelta(days=form.days) if form.days else None
    token = invitation_links.create_invitation(
        session, principal.actor, study, label=form.label, max_uses=form.max_uses, lifetime=lifetime
    )
    return _page(request, session, study, new_link=f"{request.app.state.settings.public_url}/join/{token}")


@router.post("/invitations/{invitation_id}/revoke", dependencies=[ADMIN])
def revoke(
    request: Request, slug: str, invitation_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> Response:
    """End an invitation."""
    invitation_links.revoke_invitation(session, principal.actor, find_study(session, slug), invitation_id)
    return redirect(request, f"/studies/{slug}/desk#invitations")


def _page(
    request: Request,
    session: Session,
    study: Study,
    *,
    invitation_form: FormState | None = None,
    new_link: str | None = None,
    status_code: int = 200,
) -> Response:
    invitations = invitation_links.invitations_of(session, study)
    return desk_page(
        request,
        "desk/desk.html",
        study,
        "now",
        status_code=status_code,
        live=live_state(session, study),
        days=answered_by_day(session, study),
        small_bars=small_bars,
        next_states=[state for state, befores in TRANSITIONS.items() if study.state in befores],
        invitations=[(each, invitation_links.invitation_state(each)) for each in invitations],
        invitation_form=invitation_form or FormState(),
        new_link=new_link,
    )
