"""Annotators and the invitations by which they come. Names stand beside pseudonyms here: a scope of its own."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import AwareDatetime, ConfigDict, Field
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services import annotators, invitation_links
from app.services.desk import exclusion
from app.services.desk import runs as desk_runs
from app.services.desk.people import Person, people_of, person_of
from app.services.listings import annotator_numbers, newest_invitations
from app.services.studies import find_study
from app.storage.models import Annotator, Invitation, Study
from app.web.access import CurrentPrincipal
from app.web.api.once import once, once_secret
from app.web.api.paging import After, Limit, Page, page_of, shown_page
from app.web.api.permissions import ADMINISTER, CHANGE
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.parameters import RowId
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}", tags=["annotators"])


class AnnotatorShown(Outgoing):
    """One annotator. ``items``: answered ones; ``seconds``: from one answer to the next, median."""

    annotator: int
    pseudonym: str
    name: str | None
    kind: Literal["person", "simulated", "imported"]
    stage: str
    source: str
    invitation: str | None
    items: int
    seconds: float | None
    last_answer: datetime | None
    last_seen: datetime | None
    excluded_at: datetime | None
    excluded_reason: str | None


class InvitationShown(Outgoing):
    """A link by which people join, without its secret."""

    invitation: int
    label: str
    source: Literal["link", "id", "prolific", "mturk"]
    state: str
    max_uses: int | None
    uses: int
    opens_at: datetime | None
    expires_at: datetime | None
    created_at: datetime


class NewInvitation(Incoming):
    """A link and its limits; or with ``count`` so many links for one person each."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"label": "Course A", "max_uses": 30}]})

    label: Annotated[str, Field(max_length=200)] = ""
    source: Literal["link", "id", "prolific", "mturk"] = "link"
    max_uses: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    count: Annotated[int, Field(ge=1, le=invitation_links.MOST_AT_ONCE)] | None = None
    opens_at: AwareDatetime | None = None
    expires_at: AwareDatetime | None = None


class LinksShown(Outgoing):
    """Links to hand out. They are told only here: CodeJury keeps no copy."""

    links: list[str]


class Name(Incoming):
    """A name, or whatever is to be remembered of an annotator; empty removes it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "From course A"}]})

    name: Annotated[str, Field(max_length=200)]


class Reason(Incoming):
    """Why; it stands in the decision log."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "Pressed 4 throughout"}]})

    reason: Annotated[str, Field(min_length=1, max_length=1_000)]


class WantedQuality(Incoming):
    """By which question the annotators are measured."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"question": "helpfulness"}]})

    question: Annotated[str, Field(min_length=1, max_length=80)]


@router.get("/annotators", dependencies=[ADMINISTER])
def list_annotators(session: ReadSession, slug: str, after: After, limit: Limit = 50) -> Page[AnnotatorShown]:
    """Who takes part, in the order in which they came."""
    study = find_study(session, slug)
    found = annotator_numbers(session, study, after.row, limit)
    people = people_of(session, study, Annotator.id.in_(found.rows))
    return shown_page([_person(each) for each in people], after.cursor(found.last))


@router.get("/annotators/{annotator_id}", dependencies=[ADMINISTER])
def show_annotator(session: ReadSession, slug: str, annotator_id: RowId) -> AnnotatorShown:
    """One annotator."""
    return _person(person_of(session, find_study(session, slug), annotator_id))


@router.put("/annotators/{annotator_id}/name", dependencies=[ADMINISTER])
@once
def name_annotator(
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[Name, body(Name)],
    *,
    session: WriteSession,
) -> AnnotatorShown:
    """Keep a name or a note."""
    study = find_study(session, slug)
    annotators.rename(session, principal.actor, study, annotator_id, wanted.name)
    return _person(person_of(session, study, annotator_id))


@router.post("/annotators/{annotator_id}/link", dependencies=[ADMINISTER], status_code=201)
@once_secret
def personal_link(
    request: Request, slug: str, annotator_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> LinksShown:
    """A new personal link for an annotator who lost theirs; earlier links and sessions end."""
    token = invitation_links.renew_personal_link(session, principal.actor, find_study(session, slug), annotator_id)
    return LinksShown(links=[f"{request.app.state.settings.public_url}/me/{token}"])


@router.post("/annotators/{annotator_id}/exclude", dependencies=[ADMINISTER])
@once
def exclude(
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[Reason, body(Reason)],
    *,
    session: WriteSession,
) -> AnnotatorShown:
    """Leave the annotator's grades out of all results."""
    study = find_study(session, slug)
    exclusion.exclude(session, principal.actor, study, annotator_id, wanted.reason)
    return _person(person_of(session, study, annotator_id))


@router.post("/annotators/{annotator_id}/restore", dependencies=[ADMINISTER])
@once
def restore(
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[Reason, body(Reason)],
    *,
    session: WriteSession,
) -> AnnotatorShown:
    """Let the annotator's grades count again."""
    study = find_study(session, slug)
    exclusion.restore(session, principal.actor, study, annotator_id, wanted.reason)
    return _person(person_of(session, study, annotator_id))


@router.post("/annotators/{annotator_id}/effect", dependencies=[CHANGE], status_code=202)
@once
def measure_effect(slug: str, annotator_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> RunShown:
    """Ask what excluding or restoring the annotator would change."""
    study = find_study(session, slug)
    return shown_run(session, desk_runs.request_effect(session, study, annotator_id, principal.user_id))


@router.post("/quality", dependencies=[CHANGE], status_code=202)
@once
def measure_quality(
    slug: str,
    principal: CurrentPrincipal,
    wanted: Annotated[WantedQuality, body(WantedQuality)],
    session: WriteSession,
) -> RunShown:
    """Ask for the annotators' quality by one question; the finished run's result holds the table."""
    study = find_study(session, slug)
    return shown_run(session, desk_runs.request_quality(session, study, wanted.question, principal.user_id))


@router.get("/invitations", dependencies=[ADMINISTER])
def list_invitations(session: ReadSession, slug: str, after: After, limit: Limit = 50) -> Page[InvitationShown]:
    """The study's invitations, the newest first."""
    return page_of(newest_invitations(session, find_study(session, slug), after.row, limit), _invitation, after)


@router.post("/invitations", dependencies=[ADMINISTER], status_code=201)
@once_secret
def invite(
    request: Request,
    slug: str,
    principal: CurrentPrincipal,
    wanted: Annotated[NewInvitation, body(NewInvitation)],
    session: WriteSession,
) -> LinksShown:
    """Make one invitation, or many for one person each."""
    tokens = _make(session, principal.actor, find_study(session, slug), wanted)
    return LinksShown(links=[f"{request.app.state.settings.public_url}/join/{token}" for token in tokens])


@router.post("/invitations/{invitation_id}/revoke", dependencies=[ADMINISTER])
@once
def revoke_invitation(
    slug: str, invitation_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> InvitationShown:
    """End an invitation, with all that were made together with it; who joined stays."""
    invitation_links.revoke_invitation(session, principal.actor, find_study(session, slug), invitation_id)
    return _invitation(session.get_one(Invitation, invitation_id))


def _make(session: Session, actor: str, study: Study, wanted: NewInvitation) -> list[str]:
    limits: dict[str, Any] = wanted.model_dump(include={"label", "opens_at", "expires_at"})
    if wanted.count is None:
        limits |= wanted.model_dump(include={"source", "max_uses"})
        return [invitation_links.create_invitation(session, actor, study, **limits)]
    if wanted.max_uses or wanted.source != "link":
        raise InvalidInput(
            gettext("Single-use links are for people without a platform, and each is for one person."),
            remedy=gettext("Leave “People at most” empty, and choose the plain link."),
        )
    return invitation_links.create_batch(session, actor, study, wanted.count, **limits)


def _person(person: Person) -> AnnotatorShown:
    annotator = person.annotator
    return AnnotatorShown(
        annotator=annotator.id,
        pseudonym=annotator.pseudonym,
        name=annotator.name,
        kind=annotator.kind,
        stage=annotator.stage,
        source=annotator.source,
        invitation=person.invitation,
        items=person.items,
        seconds=person.seconds,
        last_answer=person.last_answer,
        last_seen=person.last_seen,
        excluded_at=annotator.excluded_at,
        excluded_reason=annotator.excluded_reason,
    )


def _invitation(invitation: Invitation) -> InvitationShown:
    return InvitationShown(
        invitation=invitation.id,
        label=invitation.label,
        source=invitation.source,
        state=invitation_links.invitation_state(invitation),
        max_uses=invitation.max_uses,
        uses=invitation.uses,
        opens_at=invitation.opens_at,
        expires_at=invitation.expires_at,
        created_at=invitation.created_at,
    )
