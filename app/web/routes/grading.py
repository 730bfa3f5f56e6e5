"""Grading: the page, its answers by form, one's own answers, and the thanks; ``answers`` serves the script."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode
from uuid import uuid4

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.errors import Conflict, InvalidInput
from app.services import assignments, grading, invitation_links, own_answers, shown_items
from app.services.own_answers import Filters
from app.services.own_assignments import own_assignment
from app.services.shown_items import ShownItem
from app.services.sitting import Sitting
from app.services.way import answering
from app.storage.models import Assignment
from app.web.access import ANNOTATOR, CurrentPrincipal, annotator_id
from app.web.database import ReadSession, WriteSession, database_of
from app.web.grading_forms import LIST_OF_ANSWERS, PostedAnswers, ReturnTo, entered_answers, read_fields
from app.web.grading_pages import MESSAGE_COOKIE, Entered, after_answer, base_context, item_context, item_html
from app.web.head import is_head
from app.web.parameters import QueriedRow
from app.web.pictures import picture_response
from app.web.templating import render
from app.web.way_pages import head_of_items, own_instructions, thanks_page
from app.words import gettext

router = APIRouter(prefix="/grade")

LINK_COOKIE = "codejury-link"
LINK_PATH = "/grade/instructions"
PAGE_SIZE = 50
MESSAGE_SECONDS = 365 * 24 * 3600


class AnswerFilters(BaseModel):
    """Which of one's own answers to list."""

    instrument: str = Field("", max_length=80)
    answer: str = Field("", max_length=200)
    state: Literal["", "graded", "skipped", "flagged"] = ""
    text: str = Field("", max_length=200)
    before: QueriedRow = None

    @property
    def filters(self) -> Filters:
        """As the service takes them."""
        return Filters(self.instrument, self.answer, self.state, self.text.strip())

    @property
    def query(self) -> str:
        """The filters as the end of an address, without the page."""
        return self._query(exclude={"before"})

    @property
    def address(self) -> str:
        """Of this very list."""
        return LIST_OF_ANSWERS + self._query()

    def _query(self, exclude: set[str] | None = None) -> str:
        used: dict[str, Any] = self.model_dump(exclude=exclude, exclude_defaults=True)
        return f"?{urlencode(used)}" if used else ""


@router.get("", dependencies=[ANNOTATOR])
def current_item(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """The item to grade now, with the next one on the page already."""
    me = annotator_id(principal)
    if is_head(request):  # what a GET would show is not known before it claims an item
        return head_of_items(session, me)
    claims = _claims(request, me)
    if not claims:
        return RedirectResponse("/grade/thanks", status_code=303)
    # What else is held comes with the first answer: a page with all of it would be slow to arrive.
    shown = [shown_items.show(session, claim) for claim in claims[: assignments.CLAIMS_AT_ONCE]]
    return _item_page(request, session, me, shown[0], shown[1:])


@router.get("/instructions", dependencies=[ANNOTATOR])
def instructions(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """What the answers mean; right after joining, also the personal link, once."""
    context = base_context(session, annotator_id(principal))
    context |= own_instructions(session, annotator_id(principal))
    ticket = request.cookies.get(LINK_COOKIE)
    link = _personal_url(request, ticket) if ticket else None
    response = render(request, "grading/instructions.html", link=link, **context)
    if ticket:
        response.delete_cookie(
            LINK_COOKIE, path=LINK_PATH, secure=request.app.state.settings.https, httponly=True, samesite="lax"
        )
    return response


@router.get("/link", dependencies=[ANNOTATOR])
def ask_for_link(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """A button that makes a personal link."""
    return render(request, "grading/link.html", link=None, **base_context(session, annotator_id(principal)))


@router.post("/link", dependencies=[ANNOTATOR])
def make_link(request: Request, session: WriteSession, principal: CurrentPrincipal) -> Response:
    """A fresh personal link, shown this once."""
    me = annotator_id(principal)
    link = _personal_url(request, invitation_links.mint_personal_link(session, me))
    return render(request, "grading/link.html", link=link, **base_context(session, me))


@router.get("/answers", dependencies=[ANNOTATOR])
def list_answers(
    request: Request,
    session: ReadSession,
    principal: CurrentPrincipal,
    wanted: Annotated[AnswerFilters, Query()],
) -> Response:
    """One's own answers, the latest first, each with a way to change it."""
    me = annotator_id(principal)
    rows = own_answers.answered(session, me, wanted.filters, before=wanted.before, limit=PAGE_SIZE + 1)
    return render(
        request,
        "grading/answers.html",
        rows=rows[:PAGE_SIZE],
        more=rows[PAGE_SIZE - 1].position if len(rows) > PAGE_SIZE else None,
        before=wanted.before,
        filters=wanted.filters,
        query=wanted.query,
        here=wanted.address,
        **base_context(session, me),
    )


@router.post("/message", dependencies=[ANNOTATOR])
def put_message_away(request: Request, read: Annotated[str, Form(pattern="^[0-9a-f]{16}$")]) -> Response:
    """This browser has shown the study's message; another text will be shown again."""
    response = RedirectResponse("/grade", status_code=303)
    response.set_cookie(
        MESSAGE_COOKIE,
        read,
        max_age=MESSAGE_SECONDS,
        path="/grade",
        secure=request.app.state.settings.https,
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/thanks", dependencies=[ANNOTATOR])
def thanks(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """Nothing left to grade, for now or for good."""
    return thanks_page(request, session, annotator_id(principal))


@router.get("/{item}", dependencies=[ANNOTATOR])
def one_item(
    item: str,
    request: Request,
    session: ReadSession,
    principal: CurrentPrincipal,
    back_to: Annotated[ReturnTo, Query(alias="from")] = "",
) -> Response:
    """One's own item, answered or not, with the earlier answer marked."""
    me = annotator_id(principal)
    only_item = request.headers.get("accept", "").startswith("application/json")
    if shown_items.study_of(session, me).state == "closed":
        own_assignment(session, me, item)
        if only_item:
            raise Conflict(gettext("This study is closed. Your answers stand."))
        return RedirectResponse("/grade/thanks", status_code=303)
    needs_one_ahead = not only_item and not is_head(request)
    claims = _claims(request, me, beside=item) if needs_one_ahead else []
    ahead = [claim for claim in claims if claim.public_id != item]
    shown = shown_items.show(session, own_assignment(session, me, item))
    if only_item:
        return JSONResponse(_item_json(shown))
    return _item_page(request, session, me, shown, [shown_items.show(session, a) for a in ahead[:1]], back_to=back_to)


@router.post("/{item}", dependencies=[ANNOTATOR])
def answer_by_form(
    item: str, request: Request, session: WriteSession, principal: CurrentPrincipal, posted: PostedAnswers
) -> Response:
    """An answer from a page without script. What is missing or wrong is told beside what was entered."""
    me = annotator_id(principal)
    form = read_fields(posted)
    shown = shown_items.show(session, own_assignment(session, me, item))
    answers = {} if form.action != "grade" else entered_answers(posted, shown.questions)
    if form.value is not None:
        answers = {shown.questions[0].name: form.value}
    note = form.other.strip() or form.note
    details = {"by": "form"}
    submission = grading.Submission(
        item, form.submission_id, form.action, answers, note, form.revision, form.version, details
    )
    try:
        _, then = answering.submit(Sitting.held(session, me), submission)
    except InvalidInput as failure:  # nothing was written
        entered = Entered.of(failure, answers, shown.questions)
        return _item_page(request, session, me, shown, [], back_to=form.back_to, entered=entered)
    if then:
        return RedirectResponse(after_answer(item, then) or "/way", status_code=303)
    if form.action == "flag":
        return RedirectResponse(f"/grade/{item}", status_code=303)
    return RedirectResponse(form.back_to or "/grade", status_code=303)


@router.get("/{item}/image", dependencies=[ANNOTATOR])
def image(item: str, request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """The problem's picture, under the item's own address: its name and its hash stay with us."""
    return picture_response(request, shown_items.image_of(session, annotator_id(principal), item))


def _claims(request: Request, me: int, *, beside: str | None = None) -> list[Assignment]:
    """The open items, in a transaction as short as it can be: pages are made after it, while others write."""
    with database_of(request).write() as session:
        if beside is not None:
            own_assignment(session, me, beside)  # who asks for somebody else's item is handed nothing
        return assignments.upcoming(session, me)


def _item_json(shown: ShownItem) -> dict[str, str]:
    return {"id": shown.id, "html": item_html(shown)}


def _item_page(
    request: Request,
    session: Session,
    me: int,
    shown: ShownItem,
    ahead: list[ShownItem],
    *,
    back_to: str = "",
    entered: Entered | None = None,
) -> Response:
    return render(
        request,
        "grading/grade.html",
        status_code=422 if entered else 200,
        current=item_context(shown),
        ahead=[item_context(each) for each in ahead],
        entered=entered,
        submission_id=uuid4().hex,
        skip_submission_id=uuid4().hex,
        flag_submission_id=uuid4().hex,
        back_to=back_to,
        **base_context(session, me, shown.position),
    )


def _personal_url(request: Request, token: str) -> str:
    base = request.app.state.settings.base_url or str(request.base_url)
    return f"{base.rstrip('/')}/me/{token}"
