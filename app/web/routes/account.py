"""One's own account: the password, and signing out everywhere."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.errors import InvalidInput, NotFound
from app.services import audit, passwords, sign_ins, users
from app.services.accounts import Principal
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.cookies import clear_session_cookie, sign_in_browser
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.routes.setup import Password
from app.web.templating import render
from app.words import gettext

router = APIRouter()


class ChangePasswordForm(FormModel):
    """The old password proves that it isn't somebody at an unattended screen."""

    current_password: Password
    password: Password


@router.get("/account", dependencies=[RESEARCHER])
def account_page(request: Request, principal: CurrentPrincipal, session: ReadSession, done: str = "") -> Response:
    """Who I am here."""
    user = users.find_user(session, _user_id(principal))
    return render(request, "people/account.html", user=user, form=FormState(), done=done == "password")


@router.post("/account/password", dependencies=[RESEARCHER])
def change_password(
    request: Request, principal: CurrentPrincipal, posted: Posted, reading: ReadSession, session: WriteSession
) -> Response:
    """A new password ends every session but gives this browser a new one."""
    user = users.find_user(reading, _user_id(principal))
    try:
        form = read_form(ChangePasswordForm, posted)
        state = FormState(errors={"current_password": gettext("This is not your current password.")})
        if not passwords.verify(user.password_hash, form.current_password):
            raise FormInvalid(state)
        hashed = passwords.new_hash(form.password, about=(user.email, user.name))
    except FormInvalid as invalid:
        return render(request, "people/account.html", status_code=422, user=user, form=invalid.state, done=False)
    except InvalidInput as failure:
        state = FormState.of(failure, posted)
        return render(request, "people/account.html", status_code=422, user=user, form=state, done=False)
    users.set_password(session, users.find_user(session, user.id, lock=True), hashed)
    answer = redirect(request, "/account?done=password")
    sign_in_browser(answer, request, session, user_id=user.id)
    return answer


@router.post("/account/sign-out-everywhere", dependencies=[RESEARCHER])
def sign_out_everywhere(request: Request, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """End all my sessions, this one included."""
    sign_ins.end_sessions_of_user(session, _user_id(principal))
    audit.record(session, principal.actor, "signed out everywhere")
    answer = redirect(request, "/sign-in")
    clear_session_cookie(answer, request)
    return answer


def _user_id(principal: Principal) -> int:
    if principal.user_id is None:
        raise NotFound(gettext("There is no such account."))
    return principal.user_id
