"""A write that is sent twice under one key is done once, and answered twice alike.

The key is stored in the transaction of the write, so both are there or neither is: a write that failed leaves its key
free. Of two at the same time the database makes the second one wait for the first.
"""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict
from app.services.runs.periodic import periodic
from app.storage.models import IdempotencyKey
from app.words import gettext

KEPT_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered: the status and the body as it went out."""

    status: int
    body: str


def begin(session: Session, user_id: int, key: str, request_hash: str) -> Answer | None:
    """Take the key for this write; the earlier answer where it was done already. Conflict where another was."""
    row = _find(session, user_id, key)
    if row is None:
        try:
            with session.begin_nested():
                session.add(_new(user_id, key, request_hash))
            return None
        except IntegrityError:  # another one with this key ended at this moment
            row = _find(session, user_id, key)
    assert row is not None
    return _earlier(row, request_hash)


def finish(session: Session, user_id: int, key: str, answer: Answer, *, holds_secret: bool) -> None:
    """Keep the answer, unless it holds a secret: that is told once."""
    row = _find(session, user_id, key)
    assert row is not None
    row.status, row.body = answer.status, None if holds_secret else answer.body
    session.flush()


def _find(session: Session, user_id: int, key: str) -> IdempotencyKey | None:
    return session.scalar(select(IdempotencyKey).where(IdempotencyKey.user_id == user_id, IdempotencyKey.key == key))


def _new(user_id: int, key: str, request_hash: str) -> IdempotencyKey:
    return IdempotencyKey(user_id=user_id, key=key, request_hash=request_hash, expires_at=utc_now() + KEPT_FOR)


def _earlier(row: IdempotencyKey, request_hash: str) -> Answer:
    if row.request_hash != request_hash:
        raise Conflict(
            gettext("This idempotency key was used for another request."), remedy=gettext("Use a new key for each.")
        )
    if row.body is None:
        raise Conflict(
            gettext("This was done already, and its answer held a secret that is told only once."),
            remedy=gettext("Revoke what was made, and make another."),
        )
    return Answer(row.status, row.body)


@periodic(every=timedelta(hours=1))
def forget_keys(session: Session) -> None:
    """Keys are good for a day."""
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.expires_at <= utc_now()))
