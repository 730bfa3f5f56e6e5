"""Browsers' sessions: begin, find, end. The browser holds the secret, the database only its hash."""

from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, or_, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import NotFound
from app.ids import hash_token, new_token
from app.storage.models import SignIn
from app.words import gettext

USER_LIFETIME = timedelta(days=7)
USER_IDLE = timedelta(hours=12)
# Grading goes on for weeks in short sittings and shows nothing secret: an annotator has no idle limit.
ANNOTATOR_LIFETIME = timedelta(days=90)
# For so long after that its browser is still told from a stranger's: see ``lapsed_annotator``.
ANNOTATOR_KNOWN = timedelta(days=30)
# Not every request may cost a write, so "last seen" is this coarse.
TOUCH_EVERY = timedelta(minutes=5)

Moment = datetime | BindParameter[datetime]


def start_session(
    session: Session, *, user_id: int | None = None, annotator_id: int | None = None, device: str = ""
) -> str:
    """A new session of one user or one annotator; returns the secret for the cookie."""
    now = utc_now()
    token = new_token()
    lifetime = USER_LIFETIME if user_id is not None else ANNOTATOR_LIFETIME
    session.add(
        SignIn(
            token_hash=hash_token(token),
            user_id=user_id,
            annotator_id=annotator_id,
            device=device,
            last_seen_at=now,
            expires_at=now + lifetime,
        )
    )
    session.flush()
    return token


def alive(now: Moment, idle_since: Moment) -> list[ColumnElement[bool]]:
    """What holds of a live session: not ended, not expired and, of a user, not idle for too long."""
    return [
        SignIn.ended_at.is_(None),
        SignIn.expires_at > now,
        or_(SignIn.user_id.is_(None), SignIn.last_seen_at > idle_since),
    ]


def lapsed_annotator(session: Session, token: str | None) -> int | None:
    """The annotator whose sign-in this browser holds, where it expired by itself and not long ago.

    One that was ended (signed out, replaced, by a new personal link) says nothing about who holds it now.
    """
    if not token:
        return None
    now = utc_now()
    return session.scalar(
        select(SignIn.annotator_id).where(
            SignIn.token_hash == hash_token(token),
            SignIn.ended_at.is_(None),
            SignIn.expires_at.between(now - ANNOTATOR_KNOWN, now),
        )
    )


def end_session(session: Session, token: str | None) -> None:
    """End the session of a cookie; without one, nothing happens."""
    if token:
        _end(session, SignIn.token_hash == hash_token(token))


def sessions_of_user(session: Session, user_id: int) -> list[SignIn]:
    """A user's live sessions, the one used last first."""
    now = utc_now()
    mine = select(SignIn).where(SignIn.user_id == user_id, *alive(now, now - USER_IDLE))
    return list(session.scalars(mine.order_by(SignIn.last_seen_at.desc(), SignIn.id.desc())))


def end_session_of_user(session: Session, user_id: int, sign_in_id: int) -> None:
    """End one session of a user; somebody else's is no session at all."""
    found = session.get(SignIn, sign_in_id)
    if found is None or found.user_id != user_id:
        raise NotFound(gettext("There is no such session."))
    _end(session, SignIn.id == sign_in_id)


def end_sessions_of_user(session: Session, user_id: int) -> None:
    """Sign a user out everywhere: needed when a password, a role or the account's state changes."""
    _end(session, SignIn.user_id == user_id)


def end_sessions_of_annotator(session: Session, annotator_id: int) -> None:
    """Sign an annotator out everywhere."""
    _end(session, SignIn.annotator_id == annotator_id)


def _end(session: Session, whose: ColumnElement[bool]) -> None:
    session.execute(update(SignIn).where(whose, SignIn.ended_at.is_(None)).values(ended_at=utc_now()))


def needs_touch(last_seen_at: datetime) -> bool:
    """Whether "last seen" has become stale."""
    return last_seen_at < utc_now() - TOUCH_EVERY


def touch(session: Session, sign_in_id: int) -> None:
    """Note that the session was used; of many requests at once only the first writes."""
    now = utc_now()
    stale = SignIn.last_seen_at < now - TOUCH_EVERY
    session.execute(
        update(SignIn).where(SignIn.id == sign_in_id, stale, *alive(now, now - USER_IDLE)).values(last_seen_at=now)
    )
