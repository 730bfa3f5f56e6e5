"""Steps on the way: each is written with what led to it, in one transaction."""

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, NotFound
from app.services.claims import claimed, give_back, lock_annotator
from app.services.questionnaires.form_content import ConsentForm
from app.services.questionnaires.forms import CurrentForm, check_answers, current_form
from app.services.way import endings
from app.services.way.course import consent_due, course_of, has_answered
from app.services.way.stages import ENDINGS, present, step
from app.storage.models import Annotator, FormResponse, Study
from app.words import gettext


def move(session: Session, study: Study, annotator: Annotator, event: str) -> None:
    """Take the step that follows; the caller holds the annotator. At an end, claims go back and the code is kept."""
    _arrive(session, study, annotator, step(annotator.stage, event, course_of(session, study)))


def settle(session: Session, study: Study, annotator: Annotator) -> None:
    """Move on from a stage that the study dropped; the caller holds the annotator."""
    stage = present(annotator.stage, course_of(session, study))
    if stage != annotator.stage:
        _arrive(session, study, annotator, stage)


def _arrive(session: Session, study: Study, annotator: Annotator, stage: str) -> None:
    annotator.stage, annotator.stage_since = stage, utc_now()
    if annotator.stage not in ("grading", "practice"):
        give_back(session, claimed(session, annotator))
    if annotator.stage in ENDINGS:
        endings.keep(study, annotator)
    session.flush()


def answer_form(
    session: Session, annotator_id: int, kind: str, version_id: int | None, posted: Mapping[str, str]
) -> None:
    """Store a form's answers and go on. A second press, or a form that isn't due, changes nothing.

    InvalidInput lists what is wrong; Conflict when the form changed while it was being read.
    """
    annotator = lock_annotator(session, annotator_id)
    study = session.get_one(Study, annotator.study_id)
    form = current_form(session, study, kind)
    if form is None or not is_due(session, study, annotator, kind):
        return
    if form.version_id != version_id:
        raise Conflict(
            gettext("This page was changed while you were reading it. Nothing was stored."),
            remedy=gettext("Load the page again and read the new one."),
        )
    answers = check_answers(form.form, posted)
    if not has_answered(session, annotator, form):
        session.add(FormResponse(annotator_id=annotator.id, form_version_id=form.version_id, answers=answers))
        session.flush()
    _go_on(session, study, annotator, form, answers)


def _go_on(
    session: Session, study: Study, annotator: Annotator, form: CurrentForm, answers: Mapping[str, object]
) -> None:
    if not isinstance(form.form, ConsentForm):
        move(session, study, annotator, "answered")
    elif not answers["agreed"]:
        move(session, study, annotator, "refused")
    elif present(annotator.stage, course_of(session, study)) == "consent":
        move(session, study, annotator, "agreed")


def is_due(session: Session, study: Study, annotator: Annotator, kind: str) -> bool:
    """Whether the annotator stands before this form."""
    if study.state == "closed" and kind != "closing":  # whoever worked in it is still asked what is asked at the end
        return False
    if kind == "consent":
        return consent_due(session, study, annotator)
    return present(annotator.stage, course_of(session, study)) == kind and not consent_due(session, study, annotator)


def response_of(session: Session, annotator: Annotator, form: CurrentForm) -> FormResponse:
    """What the annotator answered to this version."""
    response = session.scalar(
        select(FormResponse).where(
            FormResponse.annotator_id == annotator.id, FormResponse.form_version_id == form.version_id
        )
    )
    if response is None:
        raise NotFound(gettext("There is no answer to this form yet."))
    return response
