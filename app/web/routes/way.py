"""The annotator's way beside the grading itself: consent, questions, practice, breaks, and where one stands."""

from math import ceil
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from app.clock import utc_now
from app.errors import InvalidInput, NotFound
from app.services import shown_items
from app.services.own_assignments import own_assignment
from app.services.questionnaires.forms import current_form
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import Given
from app.services.way import walk
from app.services.way.answering import TOLD
from app.services.way.course import has_answered, has_answered_before
from app.services.way.expected import answer_in_words, is_right
from app.services.way.practice import round_of, start_again, tries_left
from app.services.way.standing import BETWEEN_ROUNDS, break_until, where
from app.storage.models import Annotator, Item, Question, Study
from app.web.access import ANNOTATOR, CurrentPrincipal, annotator_id
from app.web.database import ReadSession, database_of
from app.web.forms import FormState, LongPosted
from app.web.grading_pages import item_context
from app.web.markdown import render_markdown
from app.web.templating import render
from app.web.way_pages import form_page, path_of
from app.words import gettext

router = APIRouter(prefix="/way")


@router.get("", dependencies=[ANNOTATOR])
def stand(session: ReadSession, principal: CurrentPrincipal) -> Response:
    """To the page where the person stands."""
    return _onward(session, _annotator(session, principal))


@router.get("/consent", dependencies=[ANNOTATOR])
def consent(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """What there is to agree to; later, what was agreed to."""
    annotator = _annotator(session, principal)
    study = session.get_one(Study, annotator.study_id)
    form = current_form(session, study, "consent")
    if form is not None and has_answered(session, annotator, form):
        response = walk.response_of(session, annotator, form)
        return render(
            request, "way/agreed.html", study=study, form=form.form, response=response, pseudonym=annotator.pseudonym
        )
    return _show_form(request, session, annotator, "consent")


@router.post("/consent", dependencies=[ANNOTATOR])
def answer_consent(
    request: Request, session: ReadSession, principal: CurrentPrincipal, posted: LongPosted
) -> Response:
    """Agree, or not."""
    return _take_form(request, session, principal, "consent", posted)


@router.get("/profile", dependencies=[ANNOTATOR])
def profile(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """Questions about the person."""
    return _show_form(request, session, _annotator(session, principal), "profile")


@router.post("/profile", dependencies=[ANNOTATOR])
def answer_profile(
    request: Request, session: ReadSession, principal: CurrentPrincipal, posted: LongPosted
) -> Response:
    """Store the answers and go on."""
    return _take_form(request, session, principal, "profile", posted)


@router.get("/closing", dependencies=[ANNOTATOR])
def closing(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """Questions at the end."""
    return _show_form(request, session, _annotator(session, principal), "closing")


@router.post("/closing", dependencies=[ANNOTATOR])
def answer_closing(
    request: Request, session: ReadSession, principal: CurrentPrincipal, posted: LongPosted
) -> Response:
    """Store the answers and end."""
    return _take_form(request, session, principal, "closing", posted)


@router.get("/break", dependencies=[ANNOTATOR])
def have_a_break(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """Until when a break is due."""
    annotator = _annotator(session, principal)
    study = session.get_one(Study, annotator.study_id)
    until = break_until(session, study, annotator)
    if until is None or path_of(session, annotator) != request.url.path:
        return _onward(session, annotator)
    seconds = ceil((until - utc_now()).total_seconds()) + 1
    return render(
        request, "way/break.html", study=study, until=until, seconds=max(1, seconds), pseudonym=annotator.pseudonym
    )


@router.get("/practice", dependencies=[ANNOTATOR])
def between_rounds(request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """After a failed round: how it went, and the next try."""
    annotator = _annotator(session, principal)
    study = session.get_one(Study, annotator.study_id)
    if where(session, study, annotator) != BETWEEN_ROUNDS:
        return _onward(session, annotator)
    return render(
        request,
        "way/practice.html",
        study=study,
        result=round_of(session, study, annotator),
        tries=tries_left(study, annotator),
        pseudonym=annotator.pseudonym,
    )


@router.post("/practice", dependencies=[ANNOTATOR])
def practise_again(request: Request, principal: CurrentPrincipal) -> Response:
    """Begin the next round."""
    with database_of(request).write() as session:
        start_again(session, annotator_id(principal))
    return RedirectResponse("/way", status_code=303)


@router.get("/told/{item}", dependencies=[ANNOTATOR])
def told(item: str, request: Request, session: ReadSession, principal: CurrentPrincipal) -> Response:
    """After practice, or a check that says so: what was right, and why."""
    annotator = _annotator(session, principal)
    assignment = own_assignment(session, annotator.id, item)
    row = session.get_one(Item, assignment.item_id)
    if row.role not in TOLD or assignment.state not in ("graded", "skipped"):
        raise NotFound(
            gettext("There is no such item among yours.")
        )  # as for one that isn't theirs: it must tell nothing
    shown = shown_items.show(session, assignment)
    expected = row.expected or {"answers": {}}
    questions = questions_of(session, row.study_id, row.instrument_id)
    lines = [
        _told(each, shown.answers, expected["answers"]) for each in questions if each.name in expected["answers"]
    ]
    study = session.get_one(Study, annotator.study_id)
    is_practice = row.role == "practice"
    return render(
        request,
        "way/told.html",
        study=study,
        role=row.role,
        lines=lines,
        is_right=all(line["is_right"] for line in lines),
        feedback=render_markdown(expected.get("feedback", "")),
        result=round_of(session, study, annotator) if is_practice else None,
        stage=annotator.stage,
        onward=path_of(session, annotator),
        pseudonym=annotator.pseudonym,
        **item_context(shown),
    )


def _told(question: Question, given: dict[str, Given], expected: dict[str, Any]) -> dict[str, Any]:
    """One line of what was right."""
    answer, accepted = given.get(question.name), expected[question.name]
    return {
        "question": question,
        "given": None if answer is None else answer_in_words(question, answer),
        "accepted": answer_in_words(question, accepted),
        "is_right": is_right(question, accepted, answer),
    }


def _annotator(session: Session, principal: CurrentPrincipal) -> Annotator:
    return session.get_one(Annotator, annotator_id(principal))


def _onward(session: Session, annotator: Annotator) -> Response:
    return RedirectResponse(path_of(session, annotator), status_code=303)


def _show_form(
    request: Request,
    session: Session,
    annotator: Annotator,
    kind: str,
    *,
    state: FormState | None = None,
    status_code: int = 200,
) -> Response:
    study = session.get_one(Study, annotator.study_id)
    form = current_form(session, study, kind)
    if form is None or not walk.is_due(session, study, annotator, kind):
        return _onward(session, annotator)
    changed = kind == "consent" and has_answered_before(session, annotator, "consent")
    return form_page(
        request,
        study,
        kind,
        form,
        state=state,
        status_code=status_code,
        changed=changed,
        pseudonym=annotator.pseudonym,
    )


def _take_form(
    request: Request, session: Session, principal: CurrentPrincipal, kind: str, posted: dict[str, str]
) -> Response:
    me = annotator_id(principal)
    version = posted.get("version", "")
    version_id = int(version) if version.isascii() and version.isdecimal() and len(version) < 10 else None
    try:
        with database_of(request).write() as writing:
            walk.answer_form(writing, me, kind, version_id, posted)
    except InvalidInput as failure:
        annotator = session.get_one(Annotator, me)
        state = FormState.of(failure, posted)
        return _show_form(request, session, annotator, kind, state=state, status_code=422)
    return RedirectResponse("/way", status_code=303)
