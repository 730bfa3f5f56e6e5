"""One-time links: make an account, or set a password anew. Opening one changes nothing; only its form does."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field, StringConstraints
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput, Problem
from app.services import passwords, setup_links, users
from app.storage.models import SetupLink, User
from app.web.access import ANYONE
from app.web.cookies import sign_in_browser
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.limits import LIMITED_LINK
from app.web.templating import render
from app.words import gettext

router = APIRouter()

Password = Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=passwords.MAX_LENGTH)]


class AccountForm(FormModel):
    """What a new account needs."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    email: Annotated[str, Field(min_length=1, max_length=320)]
    password: Password


class PasswordForm(FormModel):
    """A new password."""

    password: Password


@router.get("/setup/{token}", dependencies=[ANYONE, LIMITED_LINK])
def setup_page(request: Request, token: str, session: ReadSession) -> Response:
    """The form of the link, as long as it is good."""
    return _page(request, session, setup_links.find_link(session, token), FormState())


@router.post("/setup/{token}", dependencies=[ANYONE, LIMITED_LINK])
def set_up(request: Request, token: str, posted: Posted, reading: ReadSession, session: WriteSession) -> Response:
    """Use the link and sign the browser in."""
    link = setup_links.find_link(reading, token)
    try:
        user = _use(link, token, posted, reading, session)
    except FormInvalid as invalid:
        return _page(request, reading, link, invalid.state, 422)
    except InvalidInput as failure:
        return _page(request, reading, link, FormState.of(failure, posted), 422)
    answer = redirect(request, "/")
    sign_in_browser(answer, request, session, user_id=user.id)
    return answer


def _use(link: SetupLink, token: str, posted: dict[str, str], reading: Session, session: Session) -> User:
    if link.user_id is not None:
        password = read_form(PasswordForm, posted).password
        owner = users.find_user(reading, link.user_id)
        hashed = passwords.new_hash(password, about=(owner.email, owner.name))
        return setup_links.use_reset_link(session, token, password_hash=hashed)
    form = read_form(AccountForm, posted)
    hashed = _checked(reading, form)
    with session.begin_nested():  # a refused address must not use the link up
        return setup_links.make_account(session, token, email=form.email, name=form.name, password_hash=hashed)


def _checked(session: Session, form: AccountForm) -> str:
    """The hash of the password, when nothing is wrong with any field; all that is wrong is told at once."""
    about = (users.normal_email(form.email), form.name)
    problems = users.account_problems(session, email=form.email, name=form.name)
    if objection := passwords.objection(form.password, about=about):
        problems.append(Problem(objection, field="password"))
    if problems:
        raise InvalidInput(gettext("The account was not made."), problems)
    return passwords.hash_password(form.password)


def _page(request: Request, session: Session, link: SetupLink, form: FormState, status_code: int = 200) -> Response:
    owner = users.find_user(session, link.user_id) if link.user_id is not None else None
    first = owner is None and not users.has_admin(session)
    return render(
        request, "people/setup.html", status_code=status_code, form=form, link=link, owner=owner, first=first
    )
