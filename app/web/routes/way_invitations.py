"""The ways in: invitations of a study, made, handed out once, and revoked."""

import csv
from io import StringIO

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import AppError
from app.services import invitation_links
from app.services.studies import find_study
from app.services.study_options import options_of
from app.services.way.visitors import PROLIFIC
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.parameters import RowId
from app.web.templating import render
from app.web.way_forms import InvitationForm
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/way/invitations")


@router.get("", dependencies=[ADMIN])
def invitations(request: Request, slug: str, session: ReadSession) -> Response:
    """All of the study's invitations."""
    return _page(request, session, find_study(session, slug))


@router.post("", dependencies=[ADMIN])
def invite(
    request: Request, slug: str, principal: CurrentPrincipal, posted: Posted, session: WriteSession
) -> Response:
    """Make one invitation, or many for one person each; this answer is the only place where links are ever shown."""
    study = find_study(session, slug)
    try:
        form = read_form(InvitationForm, posted)
        form.check()
        tokens = _make(session, principal.actor, study, form)
    except FormInvalid as invalid:
        return _page(request, session, study, form=invalid.state, status_code=422)
    except AppError as failure:
        return _page(request, session, study, form=FormState.of(failure, posted), status_code=422)
    links = [f"{request.app.state.settings.public_url}/join/{token}" for token in tokens]
    if form.count and form.answer == "csv":
        return _csv(links, study)
    return _page(request, session, study, links=links, source=form.source)


@router.post("/{invitation_id}/revoke", dependencies=[ADMIN])
def revoke(
    request: Request, slug: str, invitation_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> Response:
    """End an invitation, with all that were made together with it."""
    invitation_links.revoke_invitation(session, principal.actor, find_study(session, slug), invitation_id)
    return redirect(request, f"/studies/{slug}/way/invitations")


def _make(session: Session, actor: str, study: Study, form: InvitationForm) -> list[str]:
    if form.count:
        return invitation_links.create_batch(
            session,
            actor,
            study,
            form.count,
            label=form.label,
            opens_at=form.opens_at,
            expires_at=form.expires_at,
        )
    token = invitation_links.create_invitation(
        session,
        actor,
        study,
        label=form.label,
        source=form.source,
        max_uses=form.max_uses,
        opens_at=form.opens_at,
        expires_at=form.expires_at,
    )
    return [token]


def _csv(links: list[str], study: Study) -> Response:
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(["number", "link"])
    writer.writerows(enumerate(links, start=1))
    disposition = f'attachment; filename="{study.slug}-invitations.csv"'
    return Response(file.getvalue(), media_type="text/csv", headers={"Content-Disposition": disposition})


def _page(
    request: Request,
    session: Session,
    study: Study,
    *,
    form: FormState | None = None,
    links: list[str] | None = None,
    source: str = "link",
    status_code: int = 200,
) -> Response:
    id_parameter = options_of(study).id_parameter
    return render(
        request,
        "way/desk/invitations.html",
        status_code=status_code,
        study=study,
        tab="way",
        page="invitations",
        batches=invitation_links.batches_of(session, study),
        form=form or FormState(),
        links=[_filled(link, source, id_parameter) for link in links or []],
        id_parameter=id_parameter,
        sources={
            "link": gettext("a plain link"),
            "id": gettext("the team’s own id"),
            "prolific": "Prolific",
            "mturk": "Mechanical Turk",
        },
        states={
            "open": gettext("open"),
            "revoked": gettext("revoked"),
            "expired": gettext("expired"),
            "used up": gettext("used up"),
            "not open yet": gettext("not open yet"),
        },
    )


def _filled(link: str, source: str, id_parameter: str) -> str:
    """The link as it is pasted into a platform, which fills in who comes; Mechanical Turk adds that by itself.

    Where the team fills in its own ids, what stands for them lets nobody in: two strangers would be one person.
    """
    if source == "prolific":
        return f"{link}?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in PROLIFIC)
    return f"{link}?{id_parameter}={{{{{id_parameter}}}}}" if source == "id" else link
