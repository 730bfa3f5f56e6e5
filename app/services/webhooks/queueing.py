"""Deliveries: made with the event that they tell, found when they are due, put off when they weren't taken."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import new_opaque_id
from app.services.runs import enqueue
from app.services.runs.periodic import periodic
from app.storage.models import Run, Webhook, WebhookDelivery

RUN_KIND = "webhooks"
KEPT_FOR = timedelta(days=30)
RUNS_KEPT_FOR = timedelta(days=1)


def queue_for_event(session: Session, study_id: int, study: str, kind: str, data: Mapping[str, Any]) -> None:
    """A delivery for each address that wants to hear of it."""
    wanted = select(Webhook).where(Webhook.study_id == study_id, Webhook.disabled_at.is_(None))
    for webhook in session.scalars(wanted.order_by(Webhook.id)).all():
        if kind in webhook.kinds:
            queue_delivery(session, webhook, kind, {"study": study, **data})


def queue_delivery(session: Session, webhook: Webhook, kind: str, data: Mapping[str, Any]) -> WebhookDelivery:
    """One event for one address. Its text is made once: a second try sends the same bytes."""
    now = utc_now()
    told = {"type": kind, "timestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "data": data}
    body = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    made = WebhookDelivery(
        public_id=f"msg_{new_opaque_id()}", webhook_id=webhook.id, kind=kind, body=body, next_at=now
    )
    session.add(made)
    session.flush()
    return made


@periodic(every=timedelta(seconds=2))
def start_sending(session: Session) -> bool:
    """Ask for a run where anything is due and none is under way; whether it was asked for."""
    due = exists().where(WebhookDelivery.state == "waiting", WebhookDelivery.next_at <= utc_now())
    if not session.scalar(select(due)):
        return False
    under_way = exists().where(Run.kind == RUN_KIND, Run.state.in_(("queued", "running")))
    if session.scalar(select(under_way)):
        return False
    enqueue(session, RUN_KIND, {}, priority=20)  # short, and somebody waits
    return True


@periodic(every=timedelta(hours=1))
def forget_deliveries(session: Session) -> None:
    """What ended long ago goes, and so do the runs that sent it: they would crowd the list."""
    now = utc_now()
    ended = WebhookDelivery.ended_at < now - KEPT_FOR
    session.execute(delete(WebhookDelivery).where(ended))
    session.execute(
        delete(Run).where(Run.kind == RUN_KIND, Run.finished_at < now - RUNS_KEPT_FOR, Run.state == "done")
    )
