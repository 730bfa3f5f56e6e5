"""The admin's pages of practice and checks: those in use, more of them from stored items or pasted lines."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy.orm import Session
from starlette.datastructures import FormData
from starlette.responses import Response

from app.errors import Conflict, InvalidInput
from app.services import study_settings
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.studies import find_study
from app.services.study_options import options_of
from app.services.way import check_changes, check_editing
from app.services.way.check_example import example_lines
from app.services.way.expected import marked_as, read_marked
from app.storage.models import Item, Problem, Question, Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession, database_of
from app.web.forms import FormInvalid, FormState, LongPosted, Posted, read_form
from app.web.grading_forms import PREFIX, PostedAnswers
from app.web.htmx import redirect
from app.web.parameters import LAST_ROW, RowId
from app.web.studies import LockedStudy
from app.web.templating import render
from app.web.way_forms import CheckForm, FeedbackForm, LinesForm

router = APIRouter(prefix="/studies/{slug}/way/checks")


@router.get("", dependencies=[ADMIN])
def checks(
    request: Request,
    slug: str,
    session: ReadSession,
    q: str = "",
    start: Annotated[int, Query(ge=0, le=LAST_ROW)] = 0,
) -> Response:
    """Practice items and checks, and stored items to make some of."""
    return _checks(request, session, find_study(session, slug), words=q[:200].strip(), start=start)


@router.post("/lines", dependencies=[ADMIN])
def import_checks(
    request: Request, slug: str, principal: CurrentPrincipal, posted: LongPosted, session: ReadSession
) -> Response:
    """Add practice items and checks from lines of JSON."""
    try:
        form = read_form(LinesForm, posted)
        with database_of(request).write() as writing:
            study = study_settings.lock(writing, slug)
            check_editing.import_lines(writing, principal.actor, study, form.lines)
    except FormInvalid as invalid:
        state, troubles = invalid.state, []
    except InvalidInput as failure:
        state, troubles = FormState(dict(posted), {"lines": failure.message}), failure.problems
    else:
        return redirect(request, f"/studies/{slug}/way/checks")
    study = find_study(session, slug)
    return _checks(request, session, study, lines_form=state, troubles=troubles, status_code=422)


@router.get("/of/{item_id}", dependencies=[ADMIN])
def choose_answers(request: Request, slug: str, item_id: RowId, session: ReadSession) -> Response:
    """A stored item, and what is right about it."""
    study = find_study(session, slug)
    return _answers(request, session, study, check_editing.stored_item(session, study, item_id), {})


@router.post("/of/{item_id}", dependencies=[ADMIN])
def use_item(
    request: Request,
    item_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: PostedAnswers,
    session: WriteSession,
    study: LockedStudy,
) -> Response:
    """Make a practice item or a check of a stored item."""
    item = check_editing.stored_item(session, study, item_id)
    fields, marked = _read_check(posted)
    try:
        form = read_form(CheckForm, fields)
        answers = _accepted(questions_of(session, study.id, item.instrument_id), marked)
        check_editing.use_item(
            session, principal.actor, study, item, role=form.role, answers=answers, feedback=form.feedback
        )
    except FormInvalid as invalid:
        return _answers(request, session, study, item, marked, form=invalid.state, status_code=422)
    except (InvalidInput, Conflict) as failure:
        return _answers(request, session, study, item, marked, form=FormState.of(failure, fields), status_code=422)
    return redirect(request, f"/studies/{study.slug}/way/checks")


@router.get("/{item_id}/edit", dependencies=[ADMIN])
def edit_check(request: Request, slug: str, item_id: RowId, session: ReadSession) -> Response:
    """What is right about a practice item or check, to be changed."""
    study = find_study(session, slug)
    item = check_changes.check_of(session, study, item_id)
    expected = item.expected or {"answers": {}}
    marked = {name: marked_as(accepted) for name, accepted in expected["answers"].items()}
    form = FormState({"feedback": expected.get("feedback", "")})
    return _answers(request, session, study, item, marked, form=form, is_change=True)


@router.post("/{item_id}/edit", dependencies=[ADMIN])
def change_check(
    request: Request,
    item_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: PostedAnswers,
    session: WriteSession,
    study: LockedStudy,
) -> Response:
    """Keep other right answers and another explanation."""
    item = check_changes.check_of(session, study, item_id)
    fields, marked = _read_check(posted)
    try:
        feedback = read_form(FeedbackForm, fields).feedback
        answers = _accepted(questions_of(session, study.id, item.instrument_id), marked)
        check_changes.change_expected(session, principal.actor, study, item, answers=answers, feedback=feedback)
    except FormInvalid as invalid:
        return _answers(request, session, study, item, marked, form=invalid.state, is_change=True, status_code=422)
    except InvalidInput as failure:
        form = FormState.of(failure, fields)
        return _answers(request, session, study, item, marked, form=form, is_change=True, status_code=422)
    return redirect(request, f"/studies/{study.slug}/way/checks")


@router.post("/{item_id}/move", dependencies=[ADMIN])
def move_practice(
    request: Request,
    item_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: Posted,
    session: WriteSession,
    study: LockedStudy,
) -> Response:
    """Let a practice item come earlier or later."""
    item = check_changes.check_of(session, study, item_id)
    check_changes.move(session, principal.actor, study, item, "down" if posted.get("way") == "down" else "up")
    return redirect(request, f"/studies/{study.slug}/way/checks")


@router.post("/{item_id}/remove", dependencies=[ADMIN])
def remove_check(
    request: Request, slug: str, item_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> Response:
    """Show a practice item or check no more."""
    check_editing.remove(session, principal.actor, find_study(session, slug), item_id)
    return redirect(request, f"/studies/{slug}/way/checks")


def _read_check(posted: FormData) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The form's own fields, and beside them what is marked as right by the names of questions."""
    fields: dict[str, str] = {}
    marked: dict[str, list[str]] = {}
    for name, text in posted.multi_items():
        if isinstance(text, str) and name.startswith(PREFIX):
            marked.setdefault(name.removeprefix(PREFIX), []).append(text)
        elif isinstance(text, str):
            fields[name] = text
    return fields, marked


def _accepted(questions: Sequence[Question], marked: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    accepted = {question.name: read_marked(question, marked.get(question.name, ())) for question in questions}
    return {name: right for name, right in accepted.items() if right is not None}


def _checks(
    request: Request,
    session: Session,
    study: Study,
    *,
    words: str = "",
    start: int = 0,
    lines_form: FormState | None = None,
    troubles: list[Any] | None = None,
    status_code: int = 200,
) -> Response:
    found, onward = check_editing.find_items(session, study, words, start)
    return render(
        request,
        "way/desk/checks.html",
        status_code=status_code,
        study=study,
        tab="way",
        page="checks",
        rows=check_editing.check_rows(session, study),
        options=options_of(study),
        words=words,
        found=found,
        onward=onward,
        start=start,
        several=len(instruments_of(session, study.id)) > 1,
        example="\n".join(example_lines(session, study)),
        lines_form=lines_form or FormState(),
        troubles=troubles or [],
    )


def _answers(
    request: Request,
    session: Session,
    study: Study,
    item: Item,
    marked: Mapping[str, Sequence[str]],
    *,
    form: FormState | None = None,
    is_change: bool = False,
    status_code: int = 200,
) -> Response:
    return render(
        request,
        "way/desk/answers.html",
        status_code=status_code,
        is_change=is_change,
        study=study,
        tab="way",
        page="checks",
        item=item,
        problem=session.get_one(Problem, item.problem_id),
        questions=questions_of(session, study.id, item.instrument_id),
        marked=marked,
        form=form or FormState({"role": "practice"}),
    )
