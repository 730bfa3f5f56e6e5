"""Who is who: the person that a session stands for."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.storage.models import Annotator, SignIn, User


@dataclass(frozen=True, slots=True)
class Principal:
    """The person behind a request."""

    role: str  # "admin", "researcher" or "annotator"
    name: str
    sign_in_id: int
    user_id: int | None = None
    annotator_id: int | None = None
    study_id: int | None = None  # of an annotator

    @property
    def actor(self) -> str:
        """How histories name this person."""
        return f"user:{self.user_id}" if self.user_id else f"annotator:{self.annotator_id}"


def principal_of(session: Session, sign_in: SignIn | None) -> Principal | None:
    """The person of a live session; None when there is none, or the account was disabled."""
    if sign_in is None:
        return None
    if sign_in.user_id is not None:
        return _user_principal(session, sign_in)
    return _annotator_principal(session, sign_in)


def _user_principal(session: Session, sign_in: SignIn) -> Principal | None:
    user = session.get(User, sign_in.user_id)
    if user is None or user.disabled_at is not None:
        return None
    return Principal(user.role, user.name, sign_in.id, user_id=user.id)


def _annotator_principal(session: Session, sign_in: SignIn) -> Principal | None:
    annotator = session.get(Annotator, sign_in.annotator_id)
    if annotator is None:
        return None
    return Principal(
        "annotator", annotator.pseudonym, sign_in.id, annotator_id=annotator.id, study_id=annotator.study_id
    )
