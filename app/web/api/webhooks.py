"""Webhooks: addresses that are told of a study's events."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from app.services import webhooks
from app.services.studies import find_study
from app.storage.models import Webhook, WebhookDelivery
from app.web.access import CurrentPrincipal
from app.web.api.once import once, once_secret
from app.web.api.paging import Page, shown_page
from app.web.api.permissions import CHANGE, READ_DESK
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.studies import LockedStudy

router = APIRouter(prefix="/studies/{slug}/webhooks", tags=["webhooks"])


class WebhookShown(Outgoing):
    """An address that is told. ``disabled_at``: since when it is not, as it took nothing for days."""

    webhook: str
    url: str
    kinds: list[str]
    created_at: datetime
    disabled_at: datetime | None


class NewWebhookShown(WebhookShown):
    """A new one; by ``signing_key`` its receiver knows who sends. It is told only here."""

    signing_key: str


class DeliveryShown(Outgoing):
    """One event on its way."""

    delivery: str
    kind: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    next_at: datetime
    last_status: int | None
    last_error: str
    created_at: datetime


class NewWebhook(Incoming):
    """Which address, and of what it is told."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"url": "https://example.org/hook", "kinds": ["run.finished"]}]}
    )

    url: str = Field(max_length=2_000)
    kinds: list[str] = Field(min_length=1, max_length=20)


@router.get("", dependencies=[READ_DESK])
def list_webhooks(session: ReadSession, slug: str) -> Page[WebhookShown]:
    """The study's webhooks."""
    found = webhooks.webhooks_of(session, find_study(session, slug))
    return shown_page([_shown(each) for each in found], None)


@router.post("", dependencies=[CHANGE], status_code=201)
@once_secret
def add_webhook(
    request: Request,
    principal: CurrentPrincipal,
    wanted: Annotated[NewWebhook, body(NewWebhook)],
    session: WriteSession,
    study: LockedStudy,
) -> NewWebhookShown:
    """Tell an address from now on."""
    settings = request.app.state.settings
    made = webhooks.add_webhook(session, settings, principal.actor, study, url=wanted.url, kinds=wanted.kinds)
    return NewWebhookShown(**_shown(made.webhook).model_dump(), signing_key=made.secret)


@router.delete("/{webhook}", dependencies=[CHANGE])
@once
def remove_webhook(
    webhook: str, principal: CurrentPrincipal, session: WriteSession, study: LockedStudy
) -> Page[WebhookShown]:
    """Tell it nothing more."""
    webhooks.remove_webhook(session, principal.actor, study, webhook)
    return shown_page([_shown(each) for each in webhooks.webhooks_of(session, study)], None)


@router.post("/{webhook}/test", dependencies=[CHANGE], status_code=202)
@once
def send_test(webhook: str, session: WriteSession, study: LockedStudy) -> DeliveryShown:
    """Send an event that only says that it is one; a webhook that was given up is tried again from now on."""
    return _delivery(webhooks.send_test(session, study, webhook))


@router.get("/{webhook}/deliveries", dependencies=[READ_DESK])
def list_deliveries(session: ReadSession, slug: str, webhook: str) -> Page[DeliveryShown]:
    """The newest deliveries, and what came of them."""
    found = webhooks.find_webhook(session, find_study(session, slug), webhook)
    return shown_page([_delivery(each) for each in webhooks.deliveries_of(session, found)], None)


def _shown(webhook: Webhook) -> WebhookShown:
    return WebhookShown(
        webhook=webhook.public_id,
        url=webhook.url,
        kinds=[str(each) for each in webhook.kinds],
        created_at=webhook.created_at,
        disabled_at=webhook.disabled_at,
    )


def _delivery(delivery: WebhookDelivery) -> DeliveryShown:
    return DeliveryShown(
        delivery=delivery.public_id,
        kind=delivery.kind,
        state=delivery.state,
        attempts=delivery.attempts,
        next_at=delivery.next_at,
        last_status=delivery.last_status,
        last_error=delivery.last_error,
        created_at=delivery.created_at,
    )
