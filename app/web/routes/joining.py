"""Come in by an invitation, back by a personal link. Opening a link uses nothing up; pressing the button does."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from app.ids import new_token
from app.services import annotators, invitation_links, shown_items
from app.storage.models import Annotator, Study
from app.web import preview_pages
from app.web.access import ANYONE, MaybePrincipal
from app.web.cookies import session_token, sign_in_browser
from app.web.database import ReadSession, WriteSession
from app.web.forms import Posted
from app.web.limits import LIMITED_LINK
from app.web.markdown import render_markdown
from app.web.routes.grading import LINK_COOKIE, LINK_PATH
from app.web.security import CONTENT_SECURITY_POLICY
from app.web.templating import render
from app.web.way_pages import path_of

router = APIRouter()

LINK_SHOWN_SECONDS = 3600


@router.get("/join/{token}", dependencies=[ANYONE, LIMITED_LINK])
def show_invitation(token: str, request: Request, session: ReadSession, principal: MaybePrincipal) -> Response:
    """What the study is, and a button to start; from when, or that one takes part already."""
    if later := annotators.opens_later(session, token):
        return render(request, "grading/join.html", study=later[0], opens_at=later[1])
    me = session.get_one(Annotator, principal.annotator_id) if principal and principal.annotator_id else None
    if me and (own := annotators.came_by(session, token, me.id)):
        return render(request, "grading/join.html", study=own, me=me)
    if back := annotators.returning(session, token, session_token(request)):
        own = session.get_one(Study, back.study_id)
        return render(request, "grading/join.html", study=own, comes_back=back, ticket=new_token())
    study, visitor, known = annotators.come_in(session, token, request.query_params.multi_items())
    is_mine = me is not None and me.study_id == study.id and known in (None, me)
    response = render(
        request,
        "grading/join.html",
        study=study,
        # The description stays out: it is the researchers' own, and may say what blinds the annotators to.
        instructions=render_markdown(study.instructions),
        ticket=new_token(),
        me=me if is_mine else None,
        comes_back=known,
        preview=f"/join/{token}/preview" if visitor.is_preview else None,
        # A platform's frame keeps cookies from us; the work is done in a tab of its own.
        is_framed=request.headers.get("sec-fetch-dest") == "iframe",
    )
    return _let_frame(response) if visitor.source == "mturk" else response


@router.post("/join/{token}", dependencies=[ANYONE, LIMITED_LINK])
def accept_invitation(
    token: str, request: Request, session: WriteSession, ticket: Annotated[str, Form(max_length=100)]
) -> Response:
    """Make the annotator, or find who comes back; sign the browser in, and go where the person stands."""
    parameters = request.query_params.multi_items()
    annotator = annotators.join(session, token, ticket, parameters, session_token(request))
    response = RedirectResponse(path_of(session, annotator), status_code=303)
    sign_in_browser(response, request, session, annotator_id=annotator.id)
    if annotator.source == "link":  # whoever else has their own way back
        _hand_out_link(response, request, session, annotator)
    return response


def _hand_out_link(response: Response, request: Request, session: Session, annotator: Annotator) -> None:
    """The personal link shows once, with the instructions."""
    response.set_cookie(
        LINK_COOKIE,
        invitation_links.mint_personal_link(session, annotator.id),
        max_age=LINK_SHOWN_SECONDS,
        path=LINK_PATH,
        secure=request.app.state.settings.https,
        httponly=True,
        samesite="lax",
    )


@router.get("/join/{token}/preview/{stage}", dependencies=[ANYONE, LIMITED_LINK])
def preview(token: str, stage: preview_pages.ShownStage, request: Request, session: ReadSession) -> Response:
    """A page of the way for whoever only looks."""
    study = annotators.find_previewed(session, token)
    return _let_frame(preview_pages.page(request, session, study, stage, f"/join/{token}/preview"))


@router.get("/join/{token}/preview/{stage}/image", dependencies=[ANYONE, LIMITED_LINK])
def preview_picture(token: str, stage: preview_pages.ShownStage, request: Request, session: ReadSession) -> Response:
    """The picture on a page of the way, for whoever only looks."""
    return preview_pages.picture(request, session, annotators.find_previewed(session, token), stage)


@router.post("/join/{token}/preview/{stage}", dependencies=[ANYONE, LIMITED_LINK])
def answer_preview(
    token: str, stage: preview_pages.ShownStage, request: Request, session: ReadSession, posted: Posted
) -> Response:
    """Answers are checked, and nothing is stored."""
    study = annotators.find_previewed(session, token)
    return _let_frame(preview_pages.answer(request, session, study, stage, f"/join/{token}/preview", posted=posted))


@router.get("/me/{token}", dependencies=[ANYONE, LIMITED_LINK])
def show_personal_link(token: str, request: Request, session: ReadSession) -> Response:
    """Who comes back, and a button to go on."""
    annotator = annotators.find_by_link(session, token)
    study = shown_items.study_of(session, annotator.id)
    return render(request, "grading/welcome_back.html", study=study, annotator=annotator)


@router.post("/me/{token}", dependencies=[ANYONE, LIMITED_LINK])
def use_personal_link(token: str, request: Request, session: WriteSession) -> Response:
    """Sign this browser in as the annotator."""
    annotator = annotators.find_by_link(session, token)
    response = RedirectResponse(path_of(session, annotator), status_code=303)
    sign_in_browser(response, request, session, annotator_id=annotator.id)
    return response


def _let_frame(response: Response) -> Response:
    """Mechanical Turk shows tasks in a frame; nobody else may."""
    policy = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors https://*.mturk.com")
    response.headers["Content-Security-Policy"] = policy
    return response
