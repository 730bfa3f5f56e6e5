"""The desk's webhooks: addresses that are told of the study's events."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import AppError
from app.services import webhooks
from app.services.events import KINDS
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.desk_pages import desk_page
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.studies import LockedStudy
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/desk/webhooks")

# How the page's boxes for kinds of event are named.
BOX = "kind-"


class WebhookForm(FormModel):
    """Which address."""

    url: Annotated[str, Field(min_length=1, max_length=2_000)]


def kinds_in_words() -> dict[str, str]:
    """What each kind of event tells."""
    words = (
        gettext("a run ended"),
        gettext("grades came, told together"),
        gettext("the target was met"),
        gettext("the study was opened, paused or closed"),
    )
    return dict(zip(KINDS, words, strict=True))


@router.get("", dependencies=[ADMIN])
def webhooks_page(request: Request, slug: str, session: ReadSession) -> Response:
    """All of them, and the form for one more."""
    return _page(request, session, find_study(session, slug))


@router.post("", dependencies=[ADMIN])
def add_webhook(
    request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession, study: LockedStudy
) -> Response:
    """A new one; this answer is the only place where its secret is ever shown."""
    kinds = [kind for kind in KINDS if f"{BOX}{kind}" in posted]
    fields = {name: text for name, text in posted.items() if not name.startswith(BOX)}
    try:
        form = read_form(WebhookForm, fields)
        settings = request.app.state.settings
        made = webhooks.add_webhook(session, settings, principal.actor, study, url=form.url, kinds=kinds)
    except FormInvalid as invalid:
        invalid.state.values |= posted
        return _page(request, session, study, form=invalid.state, status_code=422)
    except AppError as failure:
        return _page(request, session, study, form=FormState.of(failure, posted), status_code=422)
    return _page(request, session, study, secret=made.secret)


@router.post("/{webhook}/test", dependencies=[ADMIN])
def send_test(webhook: str, request: Request, session: WriteSession, study: LockedStudy) -> Response:
    """Send an event that only says that it is one."""
    webhooks.send_test(session, study, webhook)
    return redirect(request, f"/studies/{study.slug}/desk/webhooks")


@router.post("/{webhook}/remove", dependencies=[ADMIN])
def remove_webhook(
    webhook: str, request: Request, principal: CurrentPrincipal, session: WriteSession, study: LockedStudy
) -> Response:
    """Tell it nothing more."""
    webhooks.remove_webhook(session, principal.actor, study, webhook)
    return redirect(request, f"/studies/{study.slug}/desk/webhooks")


def _page(
    request: Request,
    session: Session,
    study: Study,
    *,
    form: FormState | None = None,
    secret: str | None = None,
    status_code: int = 200,
) -> Response:
    found = webhooks.webhooks_of(session, study)
    latest = {each.id: next(iter(webhooks.deliveries_of(session, each)), None) for each in found}
    return desk_page(
        request,
        "desk/webhooks.html",
        study,
        "webhooks",
        status_code=status_code,
        webhooks=[(each, latest[each.id]) for each in found],
        form=form or FormState({f"{BOX}{kind}": "yes" for kind in KINDS}),
        secret=secret,
        kinds=kinds_in_words(),
        box=BOX,
    )
