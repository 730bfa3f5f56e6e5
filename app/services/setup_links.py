"""One-time links: make the first admin, invite a user, set a password anew. Only hashes are stored."""

from datetime import timedelta

from sqlalchemy import CursorResult, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import InvalidInput, NotFound, UnknownLink
from app.ids import hash_token, new_token
from app.services import audit, users
from app.storage.models import SetupLink, User
from app.storage.models.people import ROLES
from app.words import gettext

FIRST_ADMIN_LIFETIME = timedelta(hours=24)
RESET_LIFETIME = timedelta(hours=24)
INVITATION_LIFETIME = timedelta(days=7)


def first_admin_link(session: Session) -> str | None:
    """The secret of a link that makes the first admin; None when there is one. Earlier unused links end."""
    if users.has_admin(session):
        return None
    _expire_open_invitations(session)
    return _mint(session, role="admin", user_id=None, lifetime=FIRST_ADMIN_LIFETIME)


def invite_user(session: Session, actor: str, role: str) -> str:
    """The secret of a link by which somebody makes an account with that role."""
    if role not in ROLES:
        raise InvalidInput(gettext("There is no role %(role)s.", role=repr(role)))
    audit.record(session, actor, "user invited", role=role)
    return _mint(session, role=role, user_id=None, lifetime=INVITATION_LIFETIME)


def reset_link(session: Session, actor: str, user_id: int) -> str:
    """The secret of a link by which a user sets a new password; earlier ones end."""
    user = users.find_user(session, user_id)
    session.execute(
        update(SetupLink)
        .where(SetupLink.user_id == user.id, SetupLink.used_at.is_(None))
        .values(expires_at=utc_now())
    )
    audit.record(session, actor, "password link made", user=user.id)
    return _mint(session, role=user.role, user_id=user.id, lifetime=RESET_LIFETIME)


def _mint(session: Session, *, role: str, user_id: int | None, lifetime: timedelta) -> str:
    token = new_token()
    expires_at = utc_now() + lifetime
    session.add(SetupLink(token_hash=hash_token(token), role=role, user_id=user_id, expires_at=expires_at))
    session.flush()
    return token


def find_link(session: Session, token: str) -> SetupLink:
    """The usable link of that secret. Unknown, used, revoked and expired ones are not told apart."""
    link = session.scalar(
        select(SetupLink).where(
            SetupLink.token_hash == hash_token(token), SetupLink.used_at.is_(None), SetupLink.expires_at > utc_now()
        )
    )
    if link is None or (link.user_id is not None and users.find_user(session, link.user_id).disabled_at is not None):
        raise UnknownLink(
            gettext("This link doesn't work: it was used, it ran out, or it is incomplete."),
            remedy=gettext("Ask for a new one where you got it."),
        )
    return link


def make_account(session: Session, token: str, *, email: str, name: str, password_hash: str) -> User:
    """Use an invitation: the account is made once, whoever presses twice or at the same time."""
    link = _use(session, token)
    if link.user_id is not None:
        raise NotFound(gettext("This link is not an invitation."))
    if not users.has_admin(session):
        _expire_open_invitations(session)  # other links to the first admin's account end with the first one used
    user = users.create_user(session, email=email, name=name, role=link.role, password_hash=password_hash)
    audit.record(session, f"user:{user.id}", "account made", user=user.id, role=user.role, link=link.id)
    return user


def use_reset_link(session: Session, token: str, *, password_hash: str) -> User:
    """Use a link to a new password."""
    link = _use(session, token)
    if link.user_id is None:
        raise NotFound(gettext("This link is not for a new password."))
    user = users.find_user(session, link.user_id, lock=True)
    users.set_password(session, user, password_hash)
    return user


def _use(session: Session, token: str) -> SetupLink:
    link = find_link(session, token)
    used = session.execute(
        update(SetupLink).where(SetupLink.id == link.id, SetupLink.used_at.is_(None)).values(used_at=utc_now())
    )
    assert isinstance(used, CursorResult)
    if used.rowcount != 1:
        raise NotFound(gettext("This link was used a moment ago."))
    return link


def open_invitations(session: Session) -> list[SetupLink]:
    """Invitations to users that can still be used, newest first."""
    usable = (SetupLink.user_id.is_(None), SetupLink.used_at.is_(None), SetupLink.expires_at > utc_now())
    return list(session.scalars(select(SetupLink).where(*usable).order_by(SetupLink.id.desc())))


def revoke(session: Session, actor: str, link_id: int) -> None:
    """End an unused invitation."""
    link = session.get(SetupLink, link_id)
    if link is None or link.user_id is not None:
        raise NotFound(gettext("There is no such invitation."))
    if link.used_at is None and link.expires_at > utc_now():
        link.expires_at = utc_now()
        audit.record(session, actor, "user invitation revoked", link=link.id)


def _expire_open_invitations(session: Session) -> None:
    session.execute(
        update(SetupLink)
        .where(SetupLink.user_id.is_(None), SetupLink.used_at.is_(None), SetupLink.expires_at > utc_now())
        .values(expires_at=utc_now())
    )
