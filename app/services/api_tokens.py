"""Personal tokens: a program acts by one for the user who made it, within that user's role and its own scopes."""

import secrets
from collections.abc import Collection
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import Connection, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import InvalidInput, NotFound, Problem
from app.ids import hash_token, new_token
from app.services import audit
from app.services.accounts import Principal
from app.services.sign_ins import TOUCH_EVERY
from app.storage.models import ApiToken, User
from app.words import gettext

# By this people, and searches for secrets in code, know one when they see it.
PREFIX = "cj_"
LONGEST_LIFE_DAYS = 366
MOST_TOKENS = 50  # live ones, of one user


class Scope(StrEnum):
    """What a token may be used for."""

    STUDIES_READ = "studies:read"
    STUDIES_WRITE = "studies:write"
    GRADES_READ = "grades:read"
    GRADES_WRITE = "grades:write"
    ADMIN = "admin"


def mint_token(session: Session, actor: str, user_id: int, name: str, scopes: Collection[str], *, days: int) -> str:
    """The secret of a new token. It is never to be had again: only its hash is stored."""
    name = name.strip()
    if problems := _problems(name, scopes, days):
        raise InvalidInput(gettext("The token was not made."), problems)
    if len([each for each in tokens_of(session, user_id) if is_live(each)]) >= MOST_TOKENS:
        raise InvalidInput(
            gettext("You have %(number)s tokens already.", number=MOST_TOKENS),
            remedy=gettext("Revoke those that nothing uses any more."),
        )
    hint = f"{PREFIX}{secrets.token_hex(4)}"
    token = f"{hint}_{new_token()}"
    made = ApiToken(user_id=user_id, name=name, hint=hint, token_hash=hash_token(token), scopes=sorted(scopes))
    made.expires_at = utc_now() + timedelta(days=days)
    session.add(made)
    session.flush()
    audit.record(session, actor, "API token made", token=made.id, hint=hint, scopes=made.scopes, days=days)
    return token


def _problems(name: str, scopes: Collection[str], days: int) -> list[Problem]:
    problems = []
    if not 1 <= len(name) <= 200:
        problems.append(Problem(gettext("Give the token a name of at most 200 characters."), field="name"))
    if not scopes or set(scopes) - set(Scope):
        problems.append(Problem(gettext("Choose at least one of the scopes."), field="scopes"))
    if not 1 <= days <= LONGEST_LIFE_DAYS:
        words = gettext("A token lives from 1 to %(most)s days.", most=LONGEST_LIFE_DAYS)
        problems.append(Problem(words, field="days"))
    return problems


def tokens_of(session: Session, user_id: int) -> list[ApiToken]:
    """The user's tokens, the newest first."""
    mine = select(ApiToken).where(ApiToken.user_id == user_id)
    return list(session.scalars(mine.order_by(ApiToken.id.desc())))


def is_live(token: ApiToken) -> bool:
    """Whether it still opens anything."""
    return token.revoked_at is None and token.expires_at > utc_now()


def revoke_token(session: Session, actor: str, user_id: int, token_id: int) -> None:
    """End a token at once; another user's is like one that isn't there."""
    token = session.get(ApiToken, token_id, with_for_update=True)
    if token is None or token.user_id != user_id:
        raise NotFound(gettext("There is no such token."))
    if token.revoked_at is None:
        token.revoked_at = utc_now()
        audit.record(session, actor, "API token revoked", token=token.id, hint=token.hint)


def find_bearer(session: Session | Connection, token: str) -> Principal | None:
    """The user behind a token, with its scopes; None when it is not live, or the account was disabled."""
    now = utc_now()
    statement = (
        select(
            *(ApiToken.id, ApiToken.scopes, ApiToken.last_used_at, ApiToken.created_at),
            *(User.id.label("user_id"), User.role, User.name),
        )
        .join(User, User.id == ApiToken.user_id)
        .where(ApiToken.token_hash == hash_token(token), ApiToken.revoked_at.is_(None), ApiToken.expires_at > now)
        .where(User.disabled_at.is_(None))
    )
    found = session.execute(statement).first()
    if found is None:
        return None
    scopes = frozenset(str(each) for each in found.scopes)
    last_used = found.last_used_at or found.created_at - TOUCH_EVERY
    return Principal(found.role, found.name, None, last_used, user_id=found.user_id, token_id=found.id, scopes=scopes)


def touch_token(session: Session, token_id: int) -> None:
    """Note that the token was used; of many requests at once only the first writes."""
    now = utc_now()
    is_stale = ApiToken.last_used_at.is_(None) | (ApiToken.last_used_at < now - TOUCH_EVERY)
    session.execute(update(ApiToken).where(ApiToken.id == token_id, is_stale).values(last_used_at=now))
