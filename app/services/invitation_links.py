"""Links that an admin hands out: invitations to a study, and personal links of annotators. Only hashes are stored."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import InvalidInput, NotFound
from app.ids import hash_token, new_token
from app.services import audit, sign_ins
from app.storage.models import Annotator, Invitation, PersonalLink, Study
from app.words import gettext

SOURCES = ("link", "id", "prolific", "mturk")
MOST_AT_ONCE = 1_000


def create_invitation(
    session: Session,
    actor: str,
    study: Study,
    *,
    label: str = "",
    source: str = "link",
    max_uses: int | None = None,
    lifetime: timedelta | None = None,
    opens_at: datetime | None = None,
    expires_at: datetime | None = None,
) -> str:
    """The secret of a new link by which people join the study; without limits it is good until it is revoked.

    ``source``: how who comes is known: not at all, by the team's own id, or by what a platform adds to the address.
    """
    end = utc_now() + lifetime if lifetime else expires_at
    _check_times(opens_at, end)
    token = new_token()
    invitation = _add(
        session, study, token, label=label, source=source, max_uses=max_uses, opens_at=opens_at, expires_at=end
    )
    about = {"label": label, "source": source, "max_uses": max_uses} | _times(opens_at, end)
    audit.record(session, actor, "invitation made", study.id, invitation=invitation.id, **about)
    return token


def create_batch(
    session: Session,
    actor: str,
    study: Study,
    count: int,
    *,
    label: str = "",
    opens_at: datetime | None = None,
    expires_at: datetime | None = None,
) -> list[str]:
    """The secrets of so many links, each for one person. Their common moment of making keeps them together."""
    if not 1 <= count <= MOST_AT_ONCE:
        raise InvalidInput(gettext("Make 1 to %(most)s links at a time.", most=MOST_AT_ONCE))
    _check_times(opens_at, expires_at)
    tokens = [new_token() for _ in range(count)]
    now = utc_now()
    limits = {"label": label, "max_uses": 1, "opens_at": opens_at, "expires_at": expires_at, "created_at": now}
    for token in tokens:
        _add(session, study, token, **limits)
    times = _times(opens_at, expires_at)
    audit.record(session, actor, "invitations made", study.id, label=label, count=count, **times)
    return tokens


def _times(opens_at: datetime | None, expires_at: datetime | None) -> dict[str, str]:
    """As the decision log tells them."""
    times = {"opens_at": opens_at, "expires_at": expires_at}
    return {name: f"{at:%Y-%m-%d %H:%M} UTC" for name, at in times.items() if at is not None}


def _add(session: Session, study: Study, token: str, **values: Any) -> Invitation:
    invitation = Invitation(study_id=study.id, token_hash=hash_token(token), **values)
    session.add(invitation)
    session.flush()
    return invitation


def _check_times(opens_at: datetime | None, expires_at: datetime | None) -> None:
    if expires_at and expires_at <= utc_now():
        raise InvalidInput(gettext("The end of the link has passed already."), remedy=gettext("Choose a later end."))
    if opens_at and expires_at and opens_at >= expires_at:
        raise InvalidInput(gettext("The link would end before it opens."), remedy=gettext("Choose a later end."))


@dataclass(frozen=True, slots=True)
class Batch:
    """Links that were made together; mostly a single one."""

    first: Invitation
    state: str
    links: int
    uses: int

    @property
    def can_end(self) -> bool:
        """Whether revoking would change anything."""
        return self.state in ("open", "not open yet")


def batches_of(session: Session, study: Study) -> list[Batch]:
    """The study's invitations, newest first, those made together as one line."""
    together: dict[tuple[datetime, str], list[Invitation]] = {}
    for each in invitations_of(session, study):
        together.setdefault((each.created_at, each.label), []).append(each)
    return [_batch(links) for links in together.values()]


def _batch(links: list[Invitation]) -> Batch:
    states = [invitation_state(each) for each in links]
    state = "open" if "open" in states else states[0]
    return Batch(links[-1], state, len(links), sum(each.uses for each in links))


def invitations_of(session: Session, study: Study) -> list[Invitation]:
    """The study's invitations, newest first."""
    mine = select(Invitation).where(Invitation.study_id == study.id)
    return list(session.scalars(mine.order_by(Invitation.id.desc())))


def invitation_state(invitation: Invitation) -> str:
    """In a word: open, revoked, expired, not open yet, or used up."""
    if invitation.revoked_at is not None:
        return "revoked"
    if invitation.expires_at is not None and invitation.expires_at <= utc_now():
        return "expired"
    if invitation.opens_at is not None and invitation.opens_at > utc_now():
        return "not open yet"
    if invitation.max_uses is not None and invitation.uses >= invitation.max_uses:
        return "used up"
    return "open"


def revoke_invitation(session: Session, actor: str, study: Study, invitation_id: int) -> None:
    """End an invitation, and those made together with it; who joined by one stays."""
    invitation = session.get(Invitation, invitation_id, with_for_update=True)
    if invitation is None or invitation.study_id != study.id:
        raise NotFound(gettext("There is no such invitation."))
    together = (
        Invitation.study_id == study.id,
        Invitation.created_at == invitation.created_at,
        Invitation.label == invitation.label,
        Invitation.revoked_at.is_(None),
    )
    revoked = session.scalars(
        update(Invitation).where(*together).values(revoked_at=utc_now()).returning(Invitation.id)
    ).all()
    if revoked:
        about = {"invitation": invitation.id, "label": invitation.label, "links": len(revoked)}
        audit.record(session, actor, "invitation revoked", study.id, **about)


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
        raise NotFound(gettext("There is no such annotator."))
    mine = PersonalLink.annotator_id == annotator.id
    session.execute(update(PersonalLink).where(mine, PersonalLink.revoked_at.is_(None)).values(revoked_at=utc_now()))
    sign_ins.end_sessions_of_annotator(session, annotator.id)
    token = mint_personal_link(session, annotator.id)
    audit.record(session, actor, "personal link made", study.id, annotator=annotator.id)
    return token
