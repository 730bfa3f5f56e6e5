"""People: users who sign in with a password, annotators who come by a link."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified

ROLES = ("admin", "researcher")


class User(Identified, Dated, Base):
    """An admin or a researcher."""

    __tablename__ = "users"
    __table_args__ = (CheckConstraint("role IN ('admin', 'researcher')", name="role"),)

    email: Mapped[str] = mapped_column(String(320), unique=True)  # stored in lower case
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    password_hash: Mapped[str] = mapped_column(String(300))
    disabled_at: Mapped[datetime | None]


class UserIdentity(Identified, Dated, Base):
    """Who a user is at an OpenID Connect provider: the subject stays when an e-mail address goes to others."""

    __tablename__ = "user_identities"
    __table_args__ = (UniqueConstraint("issuer", "subject"), UniqueConstraint("user_id", "issuer"))

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    issuer: Mapped[str] = mapped_column(String(500))
    subject: Mapped[str] = mapped_column(String(255))


class SetupLink(Identified, Dated, Base):
    """A one-time link by which an account is made (the first admin) or a password is set anew."""

    __tablename__ = "setup_links"

    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(20))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class Annotator(Identified, Dated, Base):
    """One person who grades in one study; everywhere but on the admin's own list only the pseudonym shows."""

    __tablename__ = "annotators"
    __table_args__ = (
        UniqueConstraint("study_id", "pseudonym"),
        UniqueConstraint("study_id", "source", "external_id"),
        CheckConstraint("kind IN ('person', 'simulated', 'imported')", name="kind"),
        CheckConstraint("source IN ('link', 'id', 'prolific', 'mturk')", name="source"),
        CheckConstraint(
            "stage IN ('consent', 'profile', 'instructions', 'practice', 'grading', 'closing', "
            "'done', 'failed', 'declined')",
            name="stage",
        ),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    pseudonym: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(20), default="person")
    name: Mapped[str | None] = mapped_column(String(200))
    order_seed: Mapped[int] = mapped_column(BigInteger)  # where in the study's shuffled order this person starts
    stopped_at: Mapped[datetime | None]
    stage: Mapped[str] = mapped_column(String(20), default="grading")  # where on the way this person is
    stage_since: Mapped[datetime | None]
    practice_tries: Mapped[int] = mapped_column(default=0)  # tries that failed
    source: Mapped[str] = mapped_column(String(20), default="link")
    external_id: Mapped[str | None] = mapped_column(String(200))  # the platform's, or the team's, name for the person
    crowd: Mapped[dict[str, Any] | None]  # the platform's other parameters, as they came
    excluded_at: Mapped[datetime | None]  # grades stay, and count in no result
    excluded_reason: Mapped[str | None] = mapped_column(Text)
    invitation_id: Mapped[int | None] = mapped_column(ForeignKey("invitations.id"))  # the link that brought them
    ticket_hash: Mapped[str | None] = mapped_column(String(64), unique=True)  # tells a second press from a person


class FormResponse(Identified, Dated, Base):
    """What an annotator answered to a form: consent, questions about the person, closing questions. Only added."""

    __tablename__ = "form_responses"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"), index=True)
    form_version_id: Mapped[int] = mapped_column(ForeignKey("form_versions.id"))
    answers: Mapped[dict[str, Any]]


class PersonalLink(Identified, Dated, Base):
    """A link by which an annotator comes back, on this or another device."""

    __tablename__ = "personal_links"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    revoked_at: Mapped[datetime | None]


class Invitation(Identified, Dated, Base):
    """A link by which people become annotators of a study."""

    __tablename__ = "invitations"
    __table_args__ = (CheckConstraint("max_uses IS NULL OR uses <= max_uses", name="uses"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    label: Mapped[str] = mapped_column(String(200), default="")
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    source: Mapped[str] = mapped_column(String(20), default="link")  # how who comes by it is known
    max_uses: Mapped[int | None]
    uses: Mapped[int] = mapped_column(default=0)
    opens_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SignIn(Identified, Dated, Base):
    """A browser's session, of a user or of an annotator; only the hash of its cookie is kept."""

    __tablename__ = "sign_ins"
    __table_args__ = (CheckConstraint("(user_id IS NULL) <> (annotator_id IS NULL)", name="one_principal"),)

    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)
    annotator_id: Mapped[int | None] = mapped_column(ForeignKey("annotators.id"), index=True)
    device: Mapped[str] = mapped_column(String(60), default="", server_default="")  # of a user: browser and system
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
