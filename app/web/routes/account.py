"""One's own account: the password, and signing out everywhere."""

from datetime import timedelta

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput, NotFound
from app.services import audit, passwords, sign_ins, users
from app.services.accounts import Principal
from app.services.rate_limits import OWN_PASSWORD, Use
from app.storage.models import User
from app.web import tries
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.cookies import clear_session_cookie, sign_in_browser
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.parameters import RowId
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
    return _page(request, session, user, FormState(), done=done)


@router.post("/account/password", dependencies=[RESEARCHER])
def change_password(
    request: Request, principal: CurrentPrincipal, posted: Posted, reading: ReadSession, session: WriteSession
) -> Response:
    """A new password ends every session but gives this browser a new one."""
    user = users.find_user(reading, _user_id(principal))
    try:
        form = read_form(ChangePasswordForm, posted)
        state = FormState(errors={"current_password": gettext("This is not your current password.")})
        tries.admit(request, [Use(OWN_PASSWORD, (principal.actor,))])
        if not passwords.verify(user.password_hash, form.current_password):
            raise FormInvalid(state)
        hashed = passwords.new_hash(form.password, about=(user.email, user.name))
    except FormInvalid as invalid:
        return _page(request, reading, user, invalid.state, status_code=422)
    except InvalidInput as failure:
        return _page(request, reading, user, FormState.of(failure, posted), status_code=422)
    users.set_password(session, users.find_user(session, user.id, lock=True), hashed)
    answer = redirect(request, "/account?done=password")
    sign_in_browser(answer, request, session, user_id=user.id)
    return answer


@router.post("/account/sessions/{sign_in_id}/end", dependencies=[RESEARCHER])
def end_session(request: Request, sign_in_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """End one of my sessions."""
    sign_ins.end_session_of_user(session, _user_id(principal), sign_in_id)
    audit.record(session, principal.actor, "session ended")
    return redirect(request, "/account?done=session")


@router.post("/account/sign-out-everywhere", dependencies=[RESEARCHER])
def sign_out_everywhere(request: Request, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """End all my sessions, this one included."""
    sign_ins.end_sessions_of_user(session, _user_id(principal))
    audit.record(session, principal.actor, "signed out everywhere")
    answer = redirect(request, "/sign-in")
    clear_session_cookie(answer, request)
    return answer


def _page(
    request: Request, session: Session, user: User, form: FormState, *, status_code: int = 200, done: str = ""
) -> Response:
    mine = sign_ins.sessions_of_user(session, user.id)
    return render(
        request,
        "people/account.html",
        status_code=status_code,
        user=user,
        form=form,
        sessions=mine,
        done=done,
        idle_hours=int(sign_ins.USER_IDLE / timedelta(hours=1)),
        most_days=sign_ins.USER_LIFETIME.days,
    )


def _user_id(principal: Principal) -> int:
    if principal.user_id is None:
        raise NotFound(gettext("There is no such account."))
    return principal.user_id
