"""Annotators: invited by a link, known by a pseudonym, back on any device by a personal link."""

from datetime import datetime, timedelta

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput, NotFound, UnknownLink
from app.ids import hash_token
from app.services import audit, sign_ins
from app.services.invitation_links import invitation_state
from app.services.ordering import place
from app.services.study_options import options_of
from app.services.way.course import course_of
from app.services.way.stages import first
from app.services.way.visitors import Parameters, Visitor, read_visitor
from app.storage.models import Annotator, Invitation, PersonalLink, Study
from app.words import gettext

# A token of ours has 43 characters; a shorter ticket would be one that somebody made up.
TICKET_LENGTH = 43
# For so long the same ticket is the same press, sent again.
SECOND_PRESS = timedelta(minutes=10)
# States in which a link takes in nobody new, and lets those on whom a platform vouches for.
FOR_KNOWN = ("expired", "used up")


def find_invitation(session: Session, token: str) -> tuple[Invitation, Study]:
    """The open invitation behind a link and its study; looking changes nothing.

    Unknown, revoked, expired and used up get the same answer: a stranger learns nothing by trying links.
    """
    invitation = _any_invitation(session, token)
    if invitation_state(invitation) != "open":
        raise _no_invitation()
    return invitation, session.get_one(Study, invitation.study_id)


def come_in(session: Session, token: str, parameters: Parameters) -> tuple[Study, Visitor, Annotator | None]:
    """The study behind a link, who comes, and the annotator that this person is already; looking changes nothing.

    Whoever is known may come back by a link that takes in nobody new any more, unless it was revoked.
    """
    invitation = _any_invitation(session, token)
    if invitation_state(invitation) not in ("open", *FOR_KNOWN):
        raise _no_invitation()
    is_open = invitation_state(invitation) == "open"
    if not is_open and invitation.source == "link":
        raise _no_invitation()
    study = session.get_one(Study, invitation.study_id)
    visitor = read_visitor(invitation.source, parameters, options_of(study).id_parameter)
    known = _known(session, study, visitor)
    if known is None and not is_open:
        raise _no_invitation()
    return study, visitor, known


def came_by(session: Session, token: str, annotator_id: int | None) -> Study | None:
    """The study, where this annotator came by that very link; a single-use one is used up by its own owner.

    Whom a platform names is told by that name alone: one browser may be used by several.
    """
    invitation = _invitation(session, token)
    if invitation is None or annotator_id is None or invitation.source != "link":
        return None
    is_own = session.get_one(Annotator, annotator_id).invitation_id == invitation.id
    may_be_used = invitation_state(invitation) in ("open", *FOR_KNOWN)
    return session.get_one(Study, invitation.study_id) if is_own and may_be_used else None


def returning(session: Session, token: str, browser: str | None) -> Annotator | None:
    """Who came by that very plain link, where this browser still holds their sign-in, expired a short while ago.

    A plain link names nobody: without this it makes a second person of them, whose answers that wait find no owner.
    Only the browser's own secret says who it is, and only to the link that gave it; nobody excluded is helped.
    """
    lapsed = sign_ins.lapsed_annotator(session, browser)
    if lapsed is None or came_by(session, token, lapsed) is None:
        return None
    annotator = session.get_one(Annotator, lapsed)
    return annotator if annotator.excluded_at is None else None


def opens_later(session: Session, token: str) -> tuple[Study, datetime] | None:
    """The study behind a link that isn't open yet, and from when it is. Only who was given the link can ask."""
    invitation = _invitation(session, token)
    if invitation is None or invitation.opens_at is None or invitation_state(invitation) != "not open yet":
        return None
    return session.get_one(Study, invitation.study_id), invitation.opens_at


def find_previewed(session: Session, token: str) -> Study:
    """The study behind an open link of Mechanical Turk, where people look at a task before they take it."""
    invitation, study = find_invitation(session, token)
    if invitation.source != "mturk":
        raise _no_invitation()
    return study


def _invitation(session: Session, token: str) -> Invitation | None:
    return session.scalar(select(Invitation).where(Invitation.token_hash == hash_token(token)))


def _any_invitation(session: Session, token: str) -> Invitation:
    invitation = _invitation(session, token)
    if invitation is None:
        raise _no_invitation(UnknownLink)
    return invitation


def _known(session: Session, study: Study, visitor: Visitor) -> Annotator | None:
    if visitor.external_id is None:
        return None
    return session.scalar(
        select(Annotator).where(
            Annotator.study_id == study.id,
            Annotator.source == visitor.source,
            Annotator.external_id == visitor.external_id,
        )
    )


def _no_invitation(kind: type[NotFound] = NotFound) -> NotFound:
    return kind(gettext("This invitation doesn't exist, or is no longer open."), remedy=gettext("Ask for a new one."))


def join(
    session: Session, token: str, ticket: str, parameters: Parameters = (), browser: str | None = None
) -> Annotator:
    """Make an annotator for the person who pressed Start, or find the one that they are.

    ``ticket`` only tells a second press from a second person: pressing twice makes one annotator, even where the
    first press used the invitation up. It comes from the browser, so it opens nothing later; links are minted here.
    ``browser`` is the secret of the session that the browser carries, if any.
    """
    if len(ticket) < TICKET_LENGTH:
        raise InvalidInput(gettext("This page is incomplete."), remedy=gettext("Open the invitation link again."))
    if (pressed := _joined_with(session, ticket)) is not None:
        return pressed
    if (back := returning(session, token, browser)) is not None:
        return back
    study, visitor, known = come_in(session, token, parameters)
    if known is None and not visitor.is_preview:
        session.scalars(select(Study.id).where(Study.id == study.id).with_for_update(key_share=True)).one()
        if (pressed := _joined_with(session, ticket)) is not None:  # the other press was quicker
            return pressed
        known = _known(session, study, visitor)
    if known is not None:
        return _welcome_back(session, known, visitor)
    _check_can_join(study, visitor)
    invitation, _ = find_invitation(session, token)
    _use(session, invitation)
    return _add_annotator(session, study, invitation, ticket, visitor)


def _welcome_back(session: Session, annotator: Annotator, visitor: Visitor) -> Annotator:
    """The person goes on here, and nowhere else: whoever is signed in as them elsewhere is signed out."""
    sign_ins.end_sessions_of_annotator(session, annotator.id)
    annotator.crowd = {**(annotator.crowd or {}), **visitor.crowd}
    return annotator


def rename(session: Session, actor: str, study: Study, annotator_id: int, name: str) -> None:
    """Keep a name or a note for an annotator, on the desk only; an empty one removes it. The event tells no name."""
    annotator = session.get(Annotator, annotator_id, with_for_update={"key_share": True})
    if annotator is None or annotator.study_id != study.id:
        raise NotFound(gettext("There is no such annotator."))
    if (annotator.name or "") == name:
        return
    annotator.name = name or None
    audit.record(
        session, actor, "annotator named" if name else "annotator's name removed", study.id, annotator=annotator.id
    )


def find_by_link(session: Session, token: str) -> Annotator:
    """The annotator whose personal link this is."""
    annotator = _annotator_of(session, token)
    if annotator is None:
        raise UnknownLink(
            gettext("This personal link does not exist or was replaced."), remedy=gettext("Ask the study's team.")
        )
    return annotator


def _annotator_of(session: Session, token: str) -> Annotator | None:
    statement = (
        select(Annotator)
        .join(PersonalLink, PersonalLink.annotator_id == Annotator.id)
        .where(PersonalLink.token_hash == hash_token(token), PersonalLink.revoked_at.is_(None))
    )
    return session.scalar(statement)


def _joined_with(session: Session, ticket: str) -> Annotator | None:
    known = session.scalar(select(Annotator).where(Annotator.ticket_hash == hash_token(ticket)))
    if known is not None and known.created_at < utc_now() - SECOND_PRESS:
        raise Conflict(gettext("This page was used before."), remedy=gettext("Come back by your personal link."))
    return known


def _check_can_join(study: Study, visitor: Visitor) -> None:
    if visitor.is_preview:
        raise Conflict(
            gettext("This is a preview: nobody takes part by it."), remedy=gettext("Accept the task first.")
        )
    if study.state == "draft":
        raise Conflict(gettext("This study has not opened yet."), remedy=gettext("Come back later by the same link."))
    if study.state == "paused":
        raise Conflict(
            gettext("This study takes a break and takes nobody in now."), remedy=gettext("Come back later.")
        )
    if study.state == "closed":
        raise Conflict(gettext("This study is closed. Thank you for coming."))


def _use(session: Session, invitation: Invitation) -> None:
    has_room = or_(Invitation.max_uses.is_(None), Invitation.uses < Invitation.max_uses)
    statement = update(Invitation).where(Invitation.id == invitation.id, has_room)
    used = session.scalar(statement.values(uses=Invitation.uses + 1).returning(Invitation.id))
    if used is None:
        raise _no_invitation()


def _add_annotator(
    session: Session, study: Study, invitation: Invitation, ticket: str, visitor: Visitor
) -> Annotator:
    """The study's next annotator; the caller holds the study's row, so that numbers stay unique."""
    number = session.scalar(select(func.count()).where(Annotator.study_id == study.id)) or 0
    taken = set(session.scalars(select(Annotator.pseudonym).where(Annotator.study_id == study.id)))
    number += 1
    while f"A{number:02d}" in taken:
        number += 1
    annotator = Annotator(
        study_id=study.id,
        pseudonym=f"A{number:02d}",
        order_seed=place(study.seed, "annotator", number),
        stage=first(course_of(session, study)),
        stage_since=utc_now(),
        source=visitor.source,
        external_id=visitor.external_id,
        crowd=visitor.crowd or None,
        invitation_id=invitation.id,
        ticket_hash=hash_token(ticket),
    )
    session.add(annotator)
    session.flush()
    return annotator
