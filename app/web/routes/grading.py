"""Grading: the page, its answers by form and by script, one's own answers, and the thanks."""

from typing import Annotated, Literal
from uuid import uuid4

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.errors import Conflict, InvalidInput, SignInNeeded
from app.services import assignments, grading, invitation_links, shown_items
from app.services.questionnaires.scales import Given
from app.services.shown_items import ShownItem
from app.services.way import answering
from app.storage.models import Assignment
from app.web.access import ANNOTATOR, CurrentPrincipal
from app.web.database import ReadSession, WriteSession, database_of
from app.web.grading_pages import base_context, item_context, item_html, progress_json
from app.web.head import is_head
from app.web.parameters import LAST_ROW, QueriedRow
from app.web.templating import render
from app.web.way_pages import own_instructions, thanks_page

router = APIRouter(prefix="/grade")

LINK_COOKIE = "codejury-link"
LINK_PATH = "/grade/instructions"
PAGE_SIZE = 50

SubmissionId = Annotated[str, Field(pattern="^[0-9A-Za-z-]{8,64}$")]


# As sent, so that a word or a truth value is refused; whether the scale has the number is the service's business.
GradeValue = Annotated[StrictInt, Field(ge=-LAST_ROW, le=LAST_ROW)] | StrictFloat

LabelNames = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=30)]
Comment = Annotated[str, Field(max_length=10_000)]


class Answer(BaseModel):
    """What the script sends."""

    model_config = ConfigDict(extra="forbid")

    submission_id: SubmissionId
    kind: Literal["grade", "skip", "flag"]
    value: GradeValue | None = None  # the answer to the first question, from pages of before there were several
    answers: dict[str, GradeValue | LabelNames | Comment] = Field(default_factory=dict, max_length=50)
    note: str = Field("", max_length=2000)
    revision: int = Field(ge=0, le=1_000_000)
    by: Literal["key", "button"] = "button"
    active_ms: int | None = Field(None, ge=0, le=86_400_000)  # the browser's word; times that count are ours


class AnswerForm(BaseModel):
    """What a page without script sends; the pressed button names the value or the action."""

    submission_id: SubmissionId
    revision: int = Field(ge=0, le=1_000_000)
    value: float | None = None
    action: Literal["grade", "skip", "flag"] = "grade"
    note: str = Field("", max_length=2000)
    back_to: Literal["", "answers"] = ""


class Ahead(BaseModel):
    """What the script has on its page already."""

    have: list[str] = Field(max_length=10)


def annotator_id(principal: CurrentPrincipal) -> int:
    """The annotator behind a guarded route."""
    if principal.annotator_id is None:
        raise SignInNeeded("Open your personal link to grade.")
    return principal.annotator_id


@router.get("", dependencies=[ANNOTATOR])
def current_item(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """The item to grade now, with the next one on the page already."""
    me = annotator_id(principal)
    if is_head(request):  # what a GET would show is not known before it claims an item
        return Response(media_type="text/html")
    claims = _claims(request, me)
    if not claims:
        return RedirectResponse("/grade/thanks", status_code=303)
    shown = [shown_items.show(session, claim) for claim in claims]
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
def own_answers(
    request: Request,
    session: ReadSession,
    principal: CurrentPrincipal,
    before: QueriedRow = None,
) -> Response:
    """One's own answers, the latest first, each with a way to change it."""
    me = annotator_id(principal)
    rows = shown_items.answered(session, me, before=before, limit=PAGE_SIZE + 1)
    more = rows[PAGE_SIZE - 1].position if len(rows) > PAGE_SIZE else None
    context = base_context(session, me)
    return render(request, "grading/answers.html", rows=rows[:PAGE_SIZE], more=more, before=before, **context)


@router.get("/thanks", dependencies=[ANNOTATOR])
def thanks(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """Nothing left to grade, for now or for good."""
    return thanks_page(request, session, annotator_id(principal))


@router.post("/next", dependencies=[ANNOTATOR])
def next_items(ahead: Ahead, request: Request, session: ReadSession, principal: CurrentPrincipal) -> JSONResponse:
    """For the script: the open items that its page lacks."""
    me = annotator_id(principal)
    claims = _claims(request, me)
    missing = [claim for claim in claims if claim.public_id not in ahead.have]
    return JSONResponse(
        {
            "items": [_item_json(shown_items.show(session, claim)) for claim in missing],
            "done": not claims,
            "closed": shown_items.study_of(session, me).state == "closed",
            "progress": progress_json(session, me),
        }
    )


@router.get("/{item}", dependencies=[ANNOTATOR])
def one_item(
    item: str,
    request: Request,
    session: ReadSession,
    principal: CurrentPrincipal,
    back_to: Annotated[Literal["", "answers"], Query(alias="from")] = "",
) -> Response:
    """One's own item, answered or not, with the earlier answer marked."""
    me = annotator_id(principal)
    only_item = request.headers.get("accept", "").startswith("application/json")
    if shown_items.study_of(session, me).state == "closed":
        grading.own_assignment(session, me, item)
        if only_item:
            raise Conflict("This study is closed. Your answers stand.")
        return RedirectResponse("/grade/thanks", status_code=303)
    needs_one_ahead = not only_item and not is_head(request)
    claims = _claims(request, me, beside=item) if needs_one_ahead else []
    ahead = [claim for claim in claims if claim.public_id != item]
    shown = shown_items.show(session, grading.own_assignment(session, me, item))
    if only_item:
        return JSONResponse(_item_json(shown))
    return _item_page(request, session, me, shown, [shown_items.show(session, a) for a in ahead[:1]], back_to=back_to)


@router.post("/{item}", dependencies=[ANNOTATOR])
def answer_by_form(
    item: str,
    session: WriteSession,
    principal: CurrentPrincipal,
    form: Annotated[AnswerForm, Form()],
) -> Response:
    """An answer from a page without script."""
    if form.action == "grade" and form.value is None:
        raise InvalidInput("No answer was chosen.", remedy="Go back and press one of the answers.")
    me = annotator_id(principal)
    answers = {} if form.value is None else _first_answer(session, me, item, form.value)
    submission = grading.Submission(
        item, form.submission_id, form.action, answers, form.note, form.revision, {"by": "form"}
    )
    _, then = answering.submit(session, me, submission)
    if then:
        return RedirectResponse(_after(item, then) or "/way", status_code=303)
    if form.action == "flag":
        return RedirectResponse(f"/grade/{item}", status_code=303)
    return RedirectResponse("/grade/answers" if form.back_to else "/grade", status_code=303)


@router.post("/{item}/answer", dependencies=[ANNOTATOR])
def answer_by_script(
    item: str, answer: Answer, request: Request, session: ReadSession, principal: CurrentPrincipal
) -> JSONResponse:
    """An answer from the script. ``stored`` in the reply is what lets the browser forget its copy."""
    me = annotator_id(principal)
    details = {"by": answer.by} | ({} if answer.active_ms is None else {"active_ms": answer.active_ms})
    with database_of(request).write() as writing:
        answers = answer.answers
        if answer.value is not None:
            answers = _first_answer(writing, me, item, answer.value)
        submission = grading.Submission(
            item, answer.submission_id, answer.kind, answers, answer.note, answer.revision, details
        )
        receipt, then = answering.submit(writing, me, submission)
    return JSONResponse(
        {
            "stored": receipt.submission_id,
            "revision": receipt.revision,
            "answers": receipt.answers,
            "progress": progress_json(session, me),
            "go": _after(item, then),
        },
        headers={"Idempotent-Replayed": "true"} if receipt.replayed else None,
    )


@router.get("/{item}/image", dependencies=[ANNOTATOR])
def image(item: str, request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """The problem's picture, under the item's own address: its name and its hash stay with us."""
    artifact = shown_items.image_of(session, annotator_id(principal), item)
    path = request.app.state.settings.artifacts_dir / artifact.sha256[:2] / artifact.sha256
    content = path.read_bytes()
    # No validators (a hash, the time of the upload): both would tell more than the picture.
    return Response(content, media_type=artifact.media_type, headers={"Cache-Control": "private, max-age=3600"})


def _after(item: str, then: answering.Then) -> str | None:
    """Where the page goes after an answer that isn't simply followed by the next item."""
    return {"told": f"/way/told/{item}", "moved": "/way"}.get(then)


def _claims(request: Request, me: int, *, beside: str | None = None) -> list[Assignment]:
    """The open items, in a transaction as short as it can be: pages are made after it, while others write."""
    with database_of(request).write() as session:
        if beside is not None:
            grading.own_assignment(session, me, beside)  # who asks for somebody else's item is handed nothing
        return assignments.upcoming(session, me)


def _first_answer(session: Session, me: int, item: str, value: float) -> dict[str, Given]:
    """The value as the answer to the item's first question."""
    shown = shown_items.show(session, grading.own_assignment(session, me, item))
    return {shown.questions[0].name: value}


def _item_json(shown: ShownItem) -> dict[str, str]:
    return {"id": shown.id, "html": item_html(shown)}


def _item_page(
    request: Request,
    session: ReadSession,
    me: int,
    shown: ShownItem,
    ahead: list[ShownItem],
    *,
    back_to: str = "",
) -> Response:
    return render(
        request,
        "grading/grade.html",
        current=item_context(shown),
        ahead=[item_context(each) for each in ahead],
        submission_id=uuid4().hex,
        flag_submission_id=uuid4().hex,
        back_to=back_to,
        **base_context(session, me, shown.position),
    )


def _personal_url(request: Request, token: str) -> str:
    base = request.app.state.settings.base_url or str(request.base_url)
    return f"{base.rstrip('/')}/me/{token}"
