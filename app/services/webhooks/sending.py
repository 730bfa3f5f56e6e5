"""The run that sends what is due."""

from datetime import timedelta
from urllib.parse import urlsplit

import httpx2
import standardwebhooks
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.services.runs import RunContext, Store, handler
from app.services.webhooks.addresses import Refused, resolve
from app.services.webhooks.queueing import RUN_KIND
from app.storage.models import Webhook, WebhookDelivery
from app.words import gettext

SECONDS = 10.0
AT_ONCE = 50
# After each try that failed, how long to wait; after the last one it is given up.
PAUSES = tuple(timedelta(seconds=each) for each in (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400))
GONE = 410  # the receiver wants to hear nothing more


@handler(RUN_KIND)
def send_due(context: RunContext) -> Store:
    """Send each delivery that is due; each outcome is stored at once, so that a second attempt goes on from there."""
    with context.database.read() as session:
        now = utc_now()
        due = select(WebhookDelivery.id).where(WebhookDelivery.state == "waiting", WebhookDelivery.next_at <= now)
        ids = session.scalars(due.order_by(WebhookDelivery.next_at, WebhookDelivery.id).limit(AT_ONCE)).all()
    taken = 0
    for number, delivery_id in enumerate(ids, start=1):
        taken += _send(context, delivery_id)
        context.progress(number, len(ids), unit=gettext("deliveries"))
    message = gettext("%(taken)s of %(all)s deliveries were taken.", taken=taken, all=len(ids))
    return lambda _: {"message": message}


def _send(context: RunContext, delivery_id: int) -> bool:
    with context.database.read() as session:
        delivery = session.get(WebhookDelivery, delivery_id)
        if delivery is None:  # its webhook was removed meanwhile
            return False
        webhook = session.get_one(Webhook, delivery.webhook_id)
    status, error = _post(context.settings, webhook, delivery)
    with context.write() as session:
        return _note(session, delivery_id, status, error)


def _post(settings: Settings, webhook: Webhook, delivery: WebhookDelivery) -> tuple[int | None, str]:
    """The answer's status, or why there was none. What an address answers besides is nobody's business here."""
    parts = urlsplit(webhook.url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        address = resolve(host, port, private=settings.webhooks_private)
        target = httpx2.URL(webhook.url).copy_with(host=address, port=port)
        with httpx2.Client(timeout=SECONDS, trust_env=False, follow_redirects=False) as http:
            request = http.build_request(
                "POST",
                target,
                content=delivery.body.encode(),
                headers={"Host": parts.netloc, **_headers(webhook, delivery)},
                extensions={"sni_hostname": host},
            )
            answer = http.send(request, stream=True)
            answer.close()
            return answer.status_code, ""
    except Refused as refused:
        return None, str(refused)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return None, type(error).__name__


def _headers(webhook: Webhook, delivery: WebhookDelivery) -> dict[str, str]:
    """As Standard Webhooks says."""
    now = utc_now()
    signature = standardwebhooks.Webhook(webhook.secret).sign(delivery.public_id, now, delivery.body)
    return {
        "Content-Type": "application/json",
        "User-Agent": "CodeJury",
        "webhook-id": delivery.public_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }


def _note(session: Session, delivery_id: int, status: int | None, error: str) -> bool:
    """What came of it: taken, to be tried again, or given up."""
    delivery = session.get(WebhookDelivery, delivery_id, with_for_update=True)
    if delivery is None:
        return False
    now = utc_now()
    delivery.attempts += 1
    delivery.last_status, delivery.last_error = status, error
    is_taken = status is not None and 200 <= status < 300
    if is_taken:
        delivery.state, delivery.ended_at = "delivered", now
    elif delivery.attempts > len(PAUSES) or status == GONE:
        delivery.state, delivery.ended_at = "failed", now
        session.get_one(Webhook, delivery.webhook_id).disabled_at = now
    else:
        delivery.next_at = now + PAUSES[delivery.attempts - 1]
    return is_taken
