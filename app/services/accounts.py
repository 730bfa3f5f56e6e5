"""Who is who: the person that a session stands for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import hash_token
from app.services.sign_ins import USER_IDLE, alive
from app.storage.models import Annotator, SignIn, User


@dataclass(frozen=True, slots=True)
class Principal:
    """The person behind a request."""

    role: str  # "admin", "researcher" or "annotator"
    name: str
    sign_in_id: int | None  # None: a program, by a token
    last_seen_at: datetime
    user_id: int | None = None
    annotator_id: int | None = None
    study_id: int | None = None  # of an annotator
    token_id: int | None = None
    scopes: frozenset[str] | None = None  # of a token; a person's own session has no such bounds

    @classmethod
    def annotator(cls, annotator: Annotator, sign_in_id: int, last_seen_at: datetime) -> "Principal":
        """An annotator by a session of theirs."""
        return cls(
            *("annotator", annotator.pseudonym, sign_in_id, last_seen_at),
            annotator_id=annotator.id,
            study_id=annotator.study_id,
        )

    @property
    def actor(self) -> str:
        """How histories name this person."""
        return f"user:{self.user_id}" if self.user_id else f"annotator:{self.annotator_id}"


# Each request asks this, so it is one statement, put together once.
_SIGNED_IN = (
    select(
        SignIn.id,
        SignIn.last_seen_at,
        *(User.id.label("user_id"), User.role, User.name),
        *(Annotator.id.label("annotator_id"), Annotator.pseudonym, Annotator.study_id),
    )
    .outerjoin(User, (User.id == SignIn.user_id) & User.disabled_at.is_(None))
    .outerjoin(Annotator, Annotator.id == SignIn.annotator_id)
    .where(SignIn.token_hash == bindparam("token_hash"), *alive(bindparam("now"), bindparam("idle_since")))
)


def asked_now(token: str) -> dict[str, Any]:
    """What a statement about live sessions is asked with."""
    now = utc_now()
    return {"token_hash": hash_token(token), "now": now, "idle_since": now - USER_IDLE}


def find_principal(session: Session | Connection, token: str | None) -> Principal | None:
    """The person behind a session's cookie; None when it is not live, or the account was disabled."""
    if not token:
        return None
    found = session.execute(_SIGNED_IN, asked_now(token)).first()
    if found is None or (found.user_id is None and found.annotator_id is None):
        return None
    role, name = (found.role, found.name) if found.user_id else ("annotator", found.pseudonym)
    return Principal(role, name, found.id, found.last_seen_at, found.user_id, found.annotator_id, found.study_id)
