"""Come in by an invitation, back by a personal link. Opening a link uses nothing up; pressing the button does."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.ids import new_token
from app.services import annotators, invitation_links, shown_items
from app.web.access import ANYONE, MaybePrincipal
from app.web.cookies import sign_in_browser
from app.web.database import ReadSession, WriteSession
from app.web.markdown import render_markdown
from app.web.routes.grading import LINK_COOKIE, LINK_PATH
from app.web.templating import render

router = APIRouter()

LINK_SHOWN_SECONDS = 600


@router.get("/join/{token}", dependencies=[ANYONE])
def show_invitation(token: str, request: Request, session: ReadSession, principal: MaybePrincipal) -> Response:
    """What the study is, and a button to start."""
    _, study = annotators.find_invitation(session, token)
    known_as = principal.name if principal and principal.study_id == study.id else None
    return render(
        request,
        "grading/join.html",
        study=study,
        # The description stays out: it is the researchers' own, and may say what blinds the annotators to.
        instructions=render_markdown(study.instructions),
        ticket=new_token(),
        known_as=known_as,
    )


@router.post("/join/{token}", dependencies=[ANYONE])
def accept_invitation(
    token: str, request: Request, session: WriteSession, ticket: Annotated[str, Form(max_length=100)]
) -> Response:
    """Make the annotator, sign the browser in, and go to the instructions, where the personal link shows once."""
    annotator = annotators.join(session, token, ticket)
    response = RedirectResponse(LINK_PATH, status_code=303)
    sign_in_browser(response, request, session, annotator_id=annotator.id)
    response.set_cookie(
        LINK_COOKIE,
        invitation_links.mint_personal_link(session, annotator.id),
        max_age=LINK_SHOWN_SECONDS,
        path=LINK_PATH,
        secure=request.app.state.settings.https,
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/me/{token}", dependencies=[ANYONE])
def show_personal_link(token: str, request: Request, session: ReadSession) -> Response:
    """Who comes back, and a button to go on."""
    annotator = annotators.find_by_link(session, token)
    study = shown_items.study_of(session, annotator.id)
    return render(request, "grading/welcome_back.html", study=study, pseudonym=annotator.pseudonym)


@router.post("/me/{token}", dependencies=[ANYONE])
def use_personal_link(token: str, request: Request, session: WriteSession) -> Response:
    """Sign this browser in as the annotator."""
    annotator = annotators.find_by_link(session, token)
    response = RedirectResponse("/grade", status_code=303)
    sign_in_browser(response, request, session, annotator_id=annotator.id)
    return response
