"""Users: sign in with a password, and what admins do with accounts. Every deed leaves an audit event."""

import re
import unicodedata
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput, NotFound, Problem
from app.services import audit, passwords, sign_ins
from app.storage.models import SignIn, User
from app.storage.models.people import ROLES
from app.words import N_, gettext

_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]{1,255}")


def normal_email(text: str) -> str:
    """How an e-mail address is stored and compared."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def authenticate(session: Session, email: str, password: str) -> User | None:
    """The enabled user with that e-mail and password; an unknown address costs as much time as a wrong password."""
    user = session.scalar(select(User).where(User.email == normal_email(email)))
    fits = passwords.verify(user.password_hash if user else None, password)
    return user if fits and user and user.disabled_at is None else None


def has_admin(session: Session) -> bool:
    """Whether anybody can administer this installation."""
    return _enabled_admins(session) > 0


def _enabled_admins(session: Session) -> int:
    admins = select(func.count()).where(User.role == "admin", User.disabled_at.is_(None))
    return session.scalar(admins) or 0


def create_user(session: Session, *, email: str, name: str, role: str, password_hash: str) -> User:
    """A new account (its hash is from ``passwords.new_hash``); InvalidInput names each field that can't be used."""
    email, name = normal_email(email), name.strip()
    if problems := account_problems(session, email=email, name=name):
        raise InvalidInput(gettext("The account was not made."), problems)
    user = User(email=email, name=name, role=role, password_hash=password_hash)
    session.add(user)
    session.flush()
    return user


def account_problems(session: Session, *, email: str, name: str) -> list[Problem]:
    """Why no account can be made with these, field by field."""
    objections = (
        ("email", _email_objection(session, normal_email(email))),
        ("name", None if name.strip() else gettext("Enter a name.")),
    )
    return [Problem(message, field=field) for field, message in objections if message]


def _email_objection(session: Session, email: str) -> str | None:
    if not _EMAIL.fullmatch(email):
        return gettext("Enter an e-mail address, like name@example.org.")
    if session.scalar(select(User.id).where(User.email == email)) is not None:
        return gettext("There is an account with this address already.")
    return None


def set_password(session: Session, user: User, password_hash: str) -> None:
    """Change the password (its hash is from ``passwords.new_hash``) and sign the user out everywhere."""
    user.password_hash = password_hash
    sign_ins.end_sessions_of_user(session, user.id)
    audit.record(session, f"user:{user.id}", "password changed", user=user.id)


def find_by_email(session: Session, email: str) -> User:
    """The user who signs in by that address."""
    user = session.scalar(select(User).where(User.email == normal_email(email)))
    if user is None:
        raise NotFound(gettext("There is no user with the e-mail address %(email)s.", email=repr(email)))
    if user.disabled_at is not None:
        raise Conflict(
            gettext("The account of %(email)s is disabled.", email=repr(email)),
            remedy=gettext("An admin enables it on the page People."),
        )
    return user


def find_user(session: Session, user_id: int, *, lock: bool = False) -> User:
    """The user with that number."""
    user = session.get(User, user_id, with_for_update=lock)
    if user is None:
        raise NotFound(gettext("There is no such user."))
    return user


def list_users(session: Session) -> list[tuple[User, datetime | None]]:
    """All users by name, each with the time when last seen."""
    seen = select(func.max(SignIn.last_seen_at)).where(SignIn.user_id == User.id).scalar_subquery()
    return [(user, at) for user, at in session.execute(select(User, seen).order_by(func.lower(User.name), User.id))]


def change_role(session: Session, actor: str, user_id: int, role: str) -> None:
    """Make a user an admin or a researcher; a running session doesn't keep the old rights."""
    if role not in ROLES:
        raise InvalidInput(gettext("There is no role %(role)s.", role=repr(role)))
    user = _lock(session, user_id)
    if user.role == role:
        return
    _refuse_for_last_admin(session, user, N_("%(name)s is the only admin and can't become a researcher."))
    before, user.role = user.role, role
    sign_ins.end_sessions_of_user(session, user.id)
    audit.record(session, actor, "role changed", user=user.id, before=before, after=role)


def disable(session: Session, actor: str, user_id: int) -> None:
    """Lock a user out at once; what they did stays."""
    user = _lock(session, user_id)
    if user.disabled_at is not None:
        return
    _refuse_for_last_admin(session, user, N_("%(name)s is the only admin and can't be disabled."))
    user.disabled_at = utc_now()
    sign_ins.end_sessions_of_user(session, user.id)
    audit.record(session, actor, "user disabled", user=user.id)


def enable(session: Session, actor: str, user_id: int) -> None:
    """Let a disabled user sign in again."""
    user = _lock(session, user_id)
    if user.disabled_at is not None:
        user.disabled_at = None
        audit.record(session, actor, "user enabled", user=user.id)


def _lock(session: Session, user_id: int) -> User:
    # All admins are locked, in one order, so that two admins who demote each other can't both succeed.
    session.scalars(select(User.id).where(User.role == "admin").order_by(User.id).with_for_update()).all()
    return find_user(session, user_id, lock=True)


def _refuse_for_last_admin(session: Session, user: User, message: str) -> None:
    if user.role == "admin" and user.disabled_at is None and _enabled_admins(session) == 1:
        raise Conflict(gettext(message, name=user.name), remedy=gettext("Make somebody else an admin first."))
