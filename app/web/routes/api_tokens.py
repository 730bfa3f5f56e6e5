"""One's own tokens for the API: made, shown once, revoked."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import AppError, NotFound
from app.services import api_tokens
from app.services.accounts import Principal
from app.services.api_tokens import Scope
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.parameters import RowId
from app.web.templating import render
from app.words import gettext

router = APIRouter(prefix="/account/tokens")

# How the page's boxes for scopes are named.
BOX = "scope-"
LIVES = (7, 30, 90, 180, 366)
FIRST = {"days": 90, f"{BOX}{Scope.STUDIES_READ}": "yes"}


class TokenForm(FormModel):
    """A name by which to know the token again, and for how many days it lives."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    days: Annotated[int, Field(ge=1, le=api_tokens.LONGEST_LIFE_DAYS)]


def scopes_in_words(role: str) -> dict[Scope, str]:
    """What each scope allows to somebody of that role."""
    words = {
        Scope.STUDIES_READ: gettext("read studies, runs, analyses and measurements"),
        Scope.STUDIES_WRITE: gettext("change studies and their material, and ask for analyses and measurements"),
        Scope.GRADES_READ: gettext("export grades, and hear of new ones"),
        Scope.GRADES_WRITE: gettext("import grades"),
        Scope.ADMIN: gettext("people, links that let them in, names beside pseudonyms, the decision log"),
    }
    if role == "admin":
        return words
    del words[Scope.GRADES_WRITE], words[Scope.ADMIN]
    return words | {Scope.STUDIES_WRITE: gettext("ask for analyses, measurements and exports")}


@router.get("", dependencies=[RESEARCHER])
def tokens_page(request: Request, principal: CurrentPrincipal, session: ReadSession) -> Response:
    """All my tokens, and the form for one more."""
    return _page(request, session, principal)


@router.post("", dependencies=[RESEARCHER])
def make_token(request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession) -> Response:
    """A new token; this answer is the only place where it is ever shown."""
    offered = scopes_in_words(principal.role)
    chosen = [scope for scope in offered if f"{BOX}{scope}" in posted]
    fields = {name: text for name, text in posted.items() if not name.startswith(BOX)}
    try:
        form = read_form(TokenForm, fields)
        token = api_tokens.mint_token(
            session, principal.actor, _user_id(principal), form.name, chosen, days=form.days
        )
    except FormInvalid as invalid:
        invalid.state.values |= posted
        return _page(request, session, principal, form=invalid.state, status_code=422)
    except AppError as failure:
        return _page(request, session, principal, form=FormState.of(failure, posted), status_code=422)
    return _page(request, session, principal, new_token=token)


@router.post("/{token_id}/revoke", dependencies=[RESEARCHER])
def revoke_token(request: Request, token_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Response:
    """End a token."""
    api_tokens.revoke_token(session, principal.actor, _user_id(principal), token_id)
    return redirect(request, "/account/tokens")


def _user_id(principal: Principal) -> int:
    if principal.user_id is None:
        raise NotFound(gettext("There is no such account."))
    return principal.user_id


def _page(
    request: Request,
    session: Session,
    principal: Principal,
    *,
    form: FormState | None = None,
    new_token: str | None = None,
    status_code: int = 200,
) -> Response:
    found = api_tokens.tokens_of(session, _user_id(principal))
    return render(
        request,
        "people/api_tokens.html",
        status_code=status_code,
        tokens=[(each, api_tokens.is_live(each)) for each in found],
        form=form or FormState(dict(FIRST)),
        new_token=new_token,
        scopes=scopes_in_words(principal.role),
        lives=LIVES,
        box=BOX,
    )
