"""The annotator's way as somebody sees it who only looks: the same pages, and nothing is stored."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from app.errors import InvalidInput, NotFound
from app.services.asked import Asked
from app.services.previewed_items import as_shown, first_item, picture_of
from app.services.questionnaires.forms import check_answers, current_form
from app.services.questionnaires.instruments import instruments_of
from app.services.study_options import options_of
from app.services.way.course import course_of
from app.services.way.endings import Farewell
from app.services.way.practice import practice_items
from app.services.way.stages import ENDINGS, ORDER
from app.storage.models import Item, Study
from app.web.forms import FormState
from app.web.grading_pages import item_context, shown_instruments
from app.web.pictures import picture_response
from app.web.templating import render
from app.web.way_pages import form_page, instructions_context
from app.words import gettext

FORMS = ("consent", "profile", "closing")
ITEMS = ("practice", "grading")


class Stage(StrEnum):
    """The pages that there are to look at."""

    CONSENT = "consent"
    PROFILE = "profile"
    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    GRADING = "grading"
    CLOSING = "closing"
    DONE = "done"
    FAILED = "failed"
    DECLINED = "declined"


def _stage(stage: str) -> Stage:
    try:
        return Stage(stage)
    except ValueError:
        raise NotFound(gettext("There is no page at this address.")) from None


# The last part of a preview's address.
ShownStage = Annotated[Stage, Depends(_stage)]


def page(
    request: Request,
    session: Session,
    study: Study,
    stage: Stage,
    base: str,
    *,
    state: FormState | None = None,
    status_code: int = 200,
) -> Response:
    """One page of the preview; a stage that the study lacks leads to the next one."""
    stages = stages_of(session, study)
    if stage not in (*stages, *ENDINGS):
        return RedirectResponse(f"{base}/{_after(stage, stages)}", status_code=303)
    onward = f"{base}/{_after(stage, stages)}" if stage not in ENDINGS else None
    context: dict[str, Any] = {"preview": base, "stages": stages, "shown": stage.value, "onward": onward}
    if stage in FORMS:
        form = current_form(session, study, stage)
        assert form is not None  # or the study wouldn't have the stage
        return form_page(request, study, stage, form, state=state, status_code=status_code, changed=False, **context)
    if stage is Stage.INSTRUCTIONS:
        return render(
            request, "way/preview_instructions.html", study=study, **instructions_context(session, study), **context
        )
    if stage in ENDINGS:
        # The real code is for those who did the work; whoever looks sees where it will stand.
        code = gettext("(the code)") if getattr(options_of(study).endings, stage).code else ""
        return render(request, "way/preview_end.html", study=study, farewell=Farewell(code), stage=stage, **context)
    context |= _grading(session, study, stage, base)
    return render(request, "way/preview_item.html", study=study, **context)


def picture(request: Request, session: Session, study: Study, stage: Stage) -> Response:
    """The picture on one page of the preview."""
    shown = picture_of(session, _item(session, study, stage)) if stage in ITEMS else None
    if shown is None:
        raise NotFound(gettext("This item has no picture."))
    return picture_response(request, shown)


def answer(
    request: Request, session: Session, study: Study, stage: Stage, base: str, *, posted: dict[str, str]
) -> Response:
    """Check a form's answers as if they were to be stored, and go on; so does what is pressed about an item."""
    stages = stages_of(session, study)
    if stage in ITEMS and posted.get("action") != "flag":  # whoever flags an item stays at it
        return RedirectResponse(f"{base}/{_after(stage, stages)}", status_code=303)
    form = current_form(session, study, stage) if stage in FORMS else None
    if form is None:
        return RedirectResponse(f"{base}/{stage}", status_code=303)
    try:
        answers = check_answers(form.form, posted)
    except InvalidInput as failure:
        state = FormState.of(failure, posted)
        return page(request, session, study, stage, base, state=state, status_code=422)
    target = "declined" if answers.get("agreed") is False and stage is Stage.CONSENT else _after(stage, stages)
    return RedirectResponse(f"{base}/{target}", status_code=303)


def stages_of(session: Session, study: Study) -> list[str]:
    """The stages that people of this study come through, the end included."""
    course = course_of(session, study)
    return [stage for stage in ORDER if course.has(stage)]


def _after(stage: str, stages: list[str]) -> str:
    return next(each for each in ORDER[ORDER.index(stage) + 1 :] if each in stages)


def _item(session: Session, study: Study, stage: str) -> Item:
    """One to look at: the first of the stage's own, else the first of the study."""
    instruments = instruments_of(session, study.id)
    practice = [each for each, _ in practice_items(session, study)] if stage == Stage.PRACTICE else []
    item = practice[0] if practice else first_item(session, instruments)
    if item is None:
        raise NotFound(gettext("This study has nothing to grade yet."))
    return item


def _grading(session: Session, study: Study, stage: Stage, base: str) -> dict[str, Any]:
    """What the grading page is given, of somebody who has just begun and whose answers go nowhere."""
    line = gettext("Here annotators see how far they are.")
    return {
        "current": item_context(as_shown(session, _item(session, study, stage))),
        "ahead": [],
        "entered": None,
        "message": None,  # it is for those under way
        "instruments": shown_instruments(Asked(session, study)),
        "stage": stage.value,
        "progress": {"pattern": line, "earlier": line, "offset": 0, "mine": 0, "study": {"graded": 0}},
        "progress_line": line,
        "picture": f"{base}/{stage}/image",
        "post_to": f"{base}/{stage}",
        "home": f"{base}/{stage}",
        "help": f"{base}/instructions",
        "back_to": "",
        **dict.fromkeys(("submission_id", "skip_submission_id", "flag_submission_id"), ""),
    }
