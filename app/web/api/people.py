"""Users of this installation, and the decision log."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import ConfigDict, Field

from app.services import provider_accounts, setup_links, users
from app.services.desk import decision_log
from app.services.desk.decision_log import LogFilter
from app.services.studies import find_study
from app.storage.models import SetupLink, User
from app.web.access import CurrentPrincipal
from app.web.api.annotators import LinksShown
from app.web.api.once import once, once_secret
from app.web.api.paging import After, Page, shown_page
from app.web.api.permissions import ADMINISTER
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.parameters import RowId

router = APIRouter(tags=["people"])

RoleName = Literal["admin", "researcher"]


class UserShown(Outgoing):
    """An admin or a researcher."""

    user: int
    name: str
    email: str
    role: RoleName
    disabled_at: datetime | None
    created_at: datetime


class UserInvitationShown(Outgoing):
    """An open invitation, without its secret."""

    invitation: int
    role: RoleName
    expires_at: datetime
    created_at: datetime


class GivenRole(Incoming):
    """A role to give."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "researcher"}]})

    role: RoleName


class NewPerson(GivenRole):
    """Somebody who signs in through the provider; a password comes only by a link."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Ada", "email": "ada@example.org", "role": "researcher"}]}
    )

    name: Annotated[str, Field(min_length=1, max_length=200)]
    email: Annotated[str, Field(min_length=1, max_length=320)]


class DecisionShown(Outgoing):
    """One event of the trail: who did what, and from what to what."""

    at: datetime
    actor: str
    who: str
    study: str | None
    action: str
    what: list[str]
    details: dict[str, Any]


@router.get("/people", dependencies=[ADMINISTER])
def list_people(session: ReadSession) -> Page[UserShown]:
    """All users, by name."""
    return shown_page([_user(user) for user, _ in users.list_users(session)], None)


@router.post("/people", dependencies=[ADMINISTER], status_code=201)
@once
def add_person(
    principal: CurrentPrincipal, wanted: Annotated[NewPerson, body(NewPerson)], session: WriteSession
) -> UserShown:
    """Let somebody in who comes by the provider of your organisation."""
    hashed = provider_accounts.unusable_password()
    return _user(provider_accounts.add_user(session, principal.actor, **dict(wanted), password_hash=hashed))


@router.get("/people/invitations", dependencies=[ADMINISTER])
def list_user_invitations(session: ReadSession) -> Page[UserInvitationShown]:
    """Invitations that can still be used."""
    return shown_page([_invitation(each) for each in setup_links.open_invitations(session)], None)


@router.post("/people/invitations", dependencies=[ADMINISTER], status_code=201)
@once_secret
def invite_user(
    request: Request,
    principal: CurrentPrincipal,
    wanted: Annotated[GivenRole, body(GivenRole)],
    session: WriteSession,
) -> LinksShown:
    """A one-time link by which somebody makes an account."""
    token = setup_links.invite_user(session, principal.actor, wanted.role)
    return LinksShown(links=[f"{request.app.state.settings.public_url}/setup/{token}"])


@router.delete("/people/invitations/{link_id}", dependencies=[ADMINISTER])
@once
def revoke_user_invitation(
    link_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> Page[UserInvitationShown]:
    """End an unused invitation."""
    setup_links.revoke(session, principal.actor, link_id)
    return shown_page([_invitation(each) for each in setup_links.open_invitations(session)], None)


@router.put("/people/{user_id}/role", dependencies=[ADMINISTER])
@once
def change_role(
    user_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[GivenRole, body(GivenRole)],
    session: WriteSession,
) -> UserShown:
    """Make a user an admin or a researcher."""
    users.change_role(session, principal.actor, user_id, wanted.role)
    return _user(users.find_user(session, user_id))


@router.post("/people/{user_id}/disable", dependencies=[ADMINISTER])
@once
def disable(user_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> UserShown:
    """Lock a user out at once, programs too."""
    users.disable(session, principal.actor, user_id)
    return _user(users.find_user(session, user_id))


@router.post("/people/{user_id}/enable", dependencies=[ADMINISTER])
@once
def enable(user_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> UserShown:
    """Let a user in again."""
    users.enable(session, principal.actor, user_id)
    return _user(users.find_user(session, user_id))


@router.post("/people/{user_id}/password-link", dependencies=[ADMINISTER], status_code=201)
@once_secret
def password_link(request: Request, user_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> LinksShown:
    """A one-time link by which the user sets a new password."""
    token = setup_links.reset_link(session, principal.actor, user_id)
    return LinksShown(links=[f"{request.app.state.settings.public_url}/setup/{token}"])


Text = Annotated[str, Query(max_length=320)]


@router.get("/log", dependencies=[ADMINISTER])
def show_log(
    session: ReadSession, after: After, actor: Text = "", action: Text = "", study: Text = ""
) -> Page[DecisionShown]:
    """Decisions, the newest first; of one study, or of the whole installation."""
    of = find_study(session, study) if study else None
    entries, last = decision_log.log_page(session, of, LogFilter(actor, action, after.row))
    return shown_page([_decision(each) for each in entries], after.cursor(last))


def _user(user: User) -> UserShown:
    return UserShown(
        user=user.id,
        name=user.name,
        email=user.email,
        role=user.role,
        disabled_at=user.disabled_at,
        created_at=user.created_at,
    )


def _invitation(link: SetupLink) -> UserInvitationShown:
    return UserInvitationShown(
        invitation=link.id, role=link.role, expires_at=link.expires_at, created_at=link.created_at
    )


def _decision(entry: decision_log.LogEntry) -> DecisionShown:
    return DecisionShown(
        at=entry.event.at,
        actor=entry.event.actor,
        who=entry.who,
        study=entry.study.slug if entry.study else None,
        action=entry.event.action,
        what=list(entry.what),
        details=entry.event.details,
    )
