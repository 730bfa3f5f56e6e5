"""The admin's list of users: invite, change roles, lock out, help with a password."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput
from app.services import provider_accounts, setup_links, users
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.parameters import RowId
from app.web.templating import render
from app.words import gettext

router = APIRouter()


class RoleForm(FormModel):
    """A role to give."""

    role: Literal["admin", "researcher"]


class PersonForm(RoleForm):
    """Somebody to let in by the provider."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    email: Annotated[str, Field(min_length=1, max_length=320)]


@router.get("/people", dependencies=[ADMIN])
def list_people(request: Request, session: ReadSession) -> Response:
    """All users and the open invitations."""
    return _page(request, session)


@router.post("/people", dependencies=[ADMIN])
def add_person(
    request: Request, principal: CurrentPrincipal, posted: Posted, reading: ReadSession, session: WriteSession
) -> Response:
    """Let somebody in who comes by the provider; there is no password until a link sets one."""
    try:
        form = read_form(PersonForm, posted)
        hashed = provider_accounts.unusable_password()
        about = {"email": form.email, "name": form.name, "role": form.role}
        provider_accounts.add_user(session, principal.actor, **about, password_hash=hashed)
    except FormInvalid as invalid:
        return _page(request, reading, adding=invalid.state, status_code=422)
    except InvalidInput as failure:
        return _page(request, reading, adding=FormState.of(failure, posted), status_code=422)
    return redirect(request, "/people")


@router.post("/people/invitations", dependencies=[ADMIN])
def invite(request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession) -> Response:
    """Make a one-time link; this answer is the only place where it is ever shown."""
    token = setup_links.invite_user(session, principal.actor, _role(posted))
    return _page(request, session, new_link=_address(request, token), link_for=None)


@router.post("/people/invitations/{link_id}/revoke", dependencies=[ADMIN])
def revoke(request: Request, link_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """End an invitation."""
    setup_links.revoke(session, principal.actor, link_id)
    return redirect(request, "/people")


@router.post("/people/{user_id}/role", dependencies=[ADMIN])
def change_role(
    request: Request, user_id: RowId, principal: CurrentPrincipal, posted: Posted, session: WriteSession
) -> Response:
    """Make a user an admin or a researcher."""
    users.change_role(session, principal.actor, user_id, _role(posted))
    return redirect(request, "/people")


@router.post("/people/{user_id}/disable", dependencies=[ADMIN])
def disable(request: Request, user_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """Lock a user out."""
    users.disable(session, principal.actor, user_id)
    return redirect(request, "/people")


@router.post("/people/{user_id}/enable", dependencies=[ADMIN])
def enable(request: Request, user_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """Let a user in again."""
    users.enable(session, principal.actor, user_id)
    return redirect(request, "/people")


@router.post("/people/{user_id}/password-link", dependencies=[ADMIN])
def password_link(request: Request, user_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """Make a link by which the user sets a new password."""
    user = users.find_user(session, user_id)
    token = setup_links.reset_link(session, principal.actor, user_id)
    return _page(request, session, new_link=_address(request, token), link_for=user.name)


def _role(posted: dict[str, str]) -> str:
    try:
        return read_form(RoleForm, posted).role
    except FormInvalid:
        raise InvalidInput(gettext("Choose a role: admin or researcher.")) from None


def _address(request: Request, token: str) -> str:
    return f"{request.app.state.settings.public_url}/setup/{token}"


def _page(
    request: Request,
    session: Session,
    *,
    new_link: str | None = None,
    link_for: str | None = None,
    adding: FormState | None = None,
    status_code: int = 200,
) -> Response:
    return render(
        request,
        "people/people.html",
        status_code=status_code,
        users=users.list_users(session),
        invitations=setup_links.open_invitations(session),
        new_link=new_link,
        link_for=link_for,
        adding=adding or FormState(),
    )
