"""Who signs in through an OpenID Connect provider: whom an admin added, or whoever has an address in a domain."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotPermitted
from app.ids import new_token
from app.services import audit, passwords, users
from app.storage.models import User, UserIdentity
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Vouched:
    """What a provider says of the person; the issuer and the subject together never become somebody else's."""

    issuer: str
    subject: str
    email: str
    name: str
    is_verified: bool  # the provider saw that the address is the person's own


def add_user(session: Session, actor: str, *, email: str, name: str, role: str, password_hash: str) -> User:
    """Let somebody in who comes by the provider; the hash is from ``unusable_password``."""
    user = users.create_user(session, email=email, name=name, role=role, password_hash=password_hash)
    audit.record(session, actor, "user added", user=user.id, role=role)
    return user


def unusable_password() -> str:
    """The hash of a password that nobody knows, so that such an account looks like any other to who guesses."""
    return passwords.hash_password(new_token())


def find_user(session: Session, vouched: Vouched, domain: str) -> User:
    """The account of who comes, made or tied to the provider on the way; NotPermitted says why there is none."""
    if not vouched.is_verified:
        raise NotPermitted(
            gettext("Your provider doesn't say that your e-mail address is confirmed."),
            remedy=gettext("Confirm it there, then try again."),
        )
    user = _known(session, vouched) or _tied(session, vouched) or _of_domain(session, vouched, domain)
    if user is None:
        raise NotPermitted(
            gettext("There is no account here for %(email)s.", email=vouched.email),
            remedy=gettext("Ask an admin of this installation to add you."),
        )
    if user.disabled_at is not None:
        raise NotPermitted(gettext("The account of %(email)s is disabled.", email=user.email))
    return user


def _known(session: Session, vouched: Vouched) -> User | None:
    mine = (UserIdentity.issuer == vouched.issuer, UserIdentity.subject == vouched.subject)
    return session.scalar(select(User).join(UserIdentity, UserIdentity.user_id == User.id).where(*mine))


def _tied(session: Session, vouched: Vouched) -> User | None:
    """The account with that address, unless another person of this provider came by it before."""
    # Written alike, and not only alike after folding: a look-alike letter is another person.
    user = session.scalar(select(User).where(User.email == vouched.email.lower()).with_for_update())
    if user is None:
        return None
    other = (UserIdentity.user_id == user.id, UserIdentity.issuer == vouched.issuer)
    if session.scalar(select(UserIdentity.id).where(*other)) is not None:
        raise NotPermitted(
            gettext("The account of %(email)s belongs to another person of your provider.", email=user.email),
            remedy=gettext("Ask an admin of this installation."),
        )
    return _tie(session, user, vouched)


def _of_domain(session: Session, vouched: Vouched, domain: str) -> User | None:
    _, at, host = vouched.email.lower().rpartition("@")
    if not domain or not at or host != domain.lower():
        return None
    name = vouched.name.strip() or vouched.email
    about = {"email": vouched.email, "name": name[:200], "role": "researcher"}
    return _tie(session, add_user(session, "system", **about, password_hash=unusable_password()), vouched)


def _tie(session: Session, user: User, vouched: Vouched) -> User:
    session.add(UserIdentity(user_id=user.id, issuer=vouched.issuer, subject=vouched.subject))
    session.flush()
    audit.record(session, f"user:{user.id}", "provider tied", user=user.id, issuer=vouched.issuer)
    return user
