"""Links that an admin hands out: invitations to a study, and personal links of annotators. Only hashes are stored."""

from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import NotFound
from app.ids import hash_token, new_token
from app.services import audit, sign_ins
from app.storage.models import Annotator, Invitation, PersonalLink, Study


def create_invitation(
    session: Session,
    actor: str,
    study: Study,
    *,
    label: str = "",
    max_uses: int | None = None,
    lifetime: timedelta | None = None,
) -> str:
    """The secret of a new link by which people join the study; without limits it is good until it is revoked."""
    token = new_token()
    invitation = Invitation(
        study_id=study.id,
        label=label,
        token_hash=hash_token(token),
        max_uses=max_uses,
        expires_at=utc_now() + lifetime if lifetime else None,
    )
    session.add(invitation)
    session.flush()
    audit.record(session, actor, "invitation made", study.id, invitation=invitation.id, max_uses=max_uses)
    return token


def invitations_of(session: Session, study: Study) -> list[Invitation]:
    """The study's invitations, newest first."""
    mine = select(Invitation).where(Invitation.study_id == study.id)
    return list(session.scalars(mine.order_by(Invitation.id.desc())))


def invitation_state(invitation: Invitation) -> str:
    """In a word: open, revoked, expired or used up."""
    if invitation.revoked_at is not None:
        return "revoked"
    if invitation.expires_at is not None and invitation.expires_at <= utc_now():
        return "expired"
    if invitation.max_uses is not None and invitation.uses >= invitation.max_uses:
        return "used up"
    return "open"


def revoke_invitation(session: Session, actor: str, study: Study, invitation_id: int) -> None:
    """End an invitation; who joined by it stays."""
    invitation = session.get(Invitation, invitation_id, with_for_update=True)
    if invitation is None or invitation.study_id != study.id:
        raise NotFound("There is no such invitation.")
    if invitation.revoked_at is None:
        invitation.revoked_at = utc_now()
        audit.record(session, actor, "invitation revoked", study.id, invitation=invitation.id)


def mint_personal_link(session: Session, annotator_id: int) -> str:
    """The secret of a further personal link; the earlier ones go on working."""
    token = new_token()
    session.add(PersonalLink(annotator_id=annotator_id, token_hash=hash_token(token)))
    session.flush()
    return token


def renew_personal_link(session: Session, actor: str, study: Study, annotator_id: int) -> str:
    """The secret of a new personal link. Earlier links and sessions end: a lost or leaked one is of no more use."""
    annotator = session.get(Annotator, annotator_id)
    if annotator is None or annotator.study_id != study.id or annotator.kind != "person":
        raise NotFound("There is no such annotator.")
    mine = PersonalLink.annotator_id == annotator.id
    session.execute(update(PersonalLink).where(mine, PersonalLink.revoked_at.is_(None)).values(revoked_at=utc_now()))
    sign_ins.end_sessions_of_annotator(session, annotator.id)
    token = mint_personal_link(session, annotator.id)
    audit.record(session, actor, "personal link made", study.id, annotator=annotator.id)
    return token
