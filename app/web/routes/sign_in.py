"""Sign in and out."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field, StringConstraints
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import TooMany
from app.services import audit, passwords, rate_limits, sign_ins, users
from app.storage.models import User
from app.web import tries
from app.web.access import ANYONE, MaybePrincipal
from app.web.cookies import clear_session_cookie, session_token, sign_in_browser
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.redirects import local_path
from app.web.templating import render
from app.words import N_, gettext

router = APIRouter()

WRONG = N_("This e-mail address and password don't belong together.")


class SignInForm(FormModel):
    """What the sign-in page asks."""

    email: Annotated[str, Field(min_length=1, max_length=320)]
    # Spaces may be part of a password.
    password: Annotated[str, StringConstraints(strip_whitespace=False, min_length=1, max_length=passwords.MAX_LENGTH)]
    next: str = ""


@router.get("/sign-in", dependencies=[ANYONE])
def sign_in_page(request: Request, principal: MaybePrincipal, next: str = "") -> Response:  # noqa: A002 - its name in the address
    """The form; who is signed in already goes on."""
    if principal is not None:
        return redirect(request, local_path(next))
    return _page(request, FormState({"next": local_path(next, "")}))


@router.post("/sign-in", dependencies=[ANYONE])
def sign_in(request: Request, posted: Posted, reading: ReadSession, session: WriteSession) -> Response:
    """A new session for the right password; one same answer for everything that is wrong."""
    try:
        form = read_form(SignInForm, posted)
    except FormInvalid as invalid:
        return _page(request, invalid.state, 422)
    email, address = users.normal_email(form.email), tries.address_of(request)
    try:
        tries.admit(request, rate_limits.sign_in_uses(email, address))
    except TooMany as refusal:
        return _wait_page(request, posted, refusal)
    user = users.authenticate(reading, email, form.password)  # slow on purpose, so before the write begins
    if user is None:
        audit.record(session, "anonymous", "sign-in refused", email=email, address=address)
        return _page(request, FormState(_kept(posted), {"": gettext(WRONG)}), 422)
    rate_limits.signed_in(session, email, address, tries.now_of(request, session))
    _renew_hash(session, user, form.password)
    answer = redirect(request, local_path(form.next))
    sign_in_browser(answer, request, session, user_id=user.id)
    audit.record(session, f"user:{user.id}", "signed in", address=address)
    return answer


@router.post("/sign-out", dependencies=[ANYONE])
def sign_out(request: Request, principal: MaybePrincipal, session: WriteSession) -> Response:
    """End this browser's session; pages kept by the browser go, too."""
    sign_ins.end_session(session, session_token(request))
    if principal is not None:
        audit.record(session, principal.actor, "signed out")
    answer = redirect(request, "/")
    clear_session_cookie(answer, request)
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer


def _renew_hash(session: Session, user: User, password: str) -> None:
    """Hashes made with weaker parameters are replaced when the password is at hand."""
    if passwords.is_outdated(user.password_hash):
        renewed = passwords.hash_password(password)
        users.find_user(session, user.id, lock=True).password_hash = renewed


def _kept(posted: dict[str, str]) -> dict[str, str]:
    return {"email": posted.get("email", ""), "next": local_path(posted.get("next"), "")}


def _wait_page(request: Request, posted: dict[str, str], refusal: TooMany) -> Response:
    answer = _page(request, FormState(_kept(posted), {"": refusal.message}), refusal.status)
    answer.headers["Retry-After"] = str(refusal.seconds)
    return answer


def _page(request: Request, form: FormState, status_code: int = 200) -> Response:
    return render(request, "people/sign_in.html", status_code=status_code, form=form)
