"""Which addresses are told of what."""

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import InvalidInput, NotFound, Problem
from app.ids import new_opaque_id
from app.services import audit
from app.services.events.reading import KINDS
from app.services.webhooks.addresses import objection_to
from app.services.webhooks.queueing import queue_delivery
from app.storage.models import Study, Webhook, WebhookDelivery
from app.words import gettext

MOST = 20  # of one study
SHOWN = 50
NOT_TAKEN_AFTER = 2  # tries: whatever restarts takes the second one
TEST = "webhook.test"


@dataclass(frozen=True, slots=True)
class Made:
    """A new webhook, and the secret by which its receiver knows us; it is told only here."""

    webhook: Webhook
    secret: str


def add_webhook(
    session: Session, settings: Settings, actor: str, study: Study, *, url: str, kinds: Sequence[str]
) -> Made:
    """Tell this address of these kinds of event from now on."""
    problems = []
    if objection := objection_to(url, private=settings.webhooks_private):
        problems.append(Problem(objection, field="url"))
    if not kinds or set(kinds) - set(KINDS):
        problems.append(Problem(gettext("Choose at least one of: %(kinds)s.", kinds=", ".join(KINDS)), field="kinds"))
    if len(webhooks_of(session, study)) >= MOST:
        problems.append(Problem(gettext("A study has %(most)s webhooks at most.", most=MOST)))
    if problems:
        raise InvalidInput(gettext("The webhook was not made."), problems)
    secret = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"
    webhook = Webhook(public_id=new_opaque_id(), study_id=study.id, url=url, kinds=sorted(set(kinds)), secret=secret)
    session.add(webhook)
    session.flush()
    audit.record(session, actor, "webhook made", study.id, webhook=webhook.public_id, url=url, kinds=webhook.kinds)
    return Made(webhook, secret)


def webhooks_of(session: Session, study: Study) -> list[Webhook]:
    """The study's webhooks, the oldest first."""
    return list(session.scalars(select(Webhook).where(Webhook.study_id == study.id).order_by(Webhook.id)))


def find_webhook(session: Session, study: Study, public_id: str) -> Webhook:
    """One of them."""
    webhook = session.scalar(select(Webhook).where(Webhook.public_id == public_id, Webhook.study_id == study.id))
    if webhook is None:
        raise NotFound(gettext("There is no such webhook."))
    return webhook


def remove_webhook(session: Session, actor: str, study: Study, public_id: str) -> None:
    """Tell that address nothing more; what waits for it goes, too."""
    webhook = find_webhook(session, study, public_id)
    session.execute(delete(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id))
    session.delete(webhook)
    session.flush()
    audit.record(session, actor, "webhook removed", study.id, webhook=public_id, url=webhook.url)


def studies_not_taken(session: Session) -> list[Study]:
    """The study of each webhook that was given up or keeps failing; a study as often as it has such."""
    keeps_failing = exists().where(
        WebhookDelivery.webhook_id == Webhook.id,
        WebhookDelivery.state == "waiting",
        WebhookDelivery.attempts >= NOT_TAKEN_AFTER,
    )
    untaken = select(Study).join(Webhook, Webhook.study_id == Study.id)
    untaken = untaken.where(Webhook.disabled_at.is_not(None) | keeps_failing)
    return list(session.scalars(untaken.order_by(Study.title, Study.id)))


def deliveries_of(session: Session, webhook: Webhook) -> list[WebhookDelivery]:
    """The newest deliveries of a webhook."""
    mine = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id)
    return list(session.scalars(mine.order_by(WebhookDelivery.id.desc()).limit(SHOWN)))


def send_test(session: Session, study: Study, public_id: str) -> WebhookDelivery:
    """An event that only says that it is one. A webhook that was given up is tried again."""
    webhook = find_webhook(session, study, public_id)
    webhook.disabled_at = None
    return queue_delivery(session, webhook, TEST, {"study": study.slug})
