"""Where a person stands on the way, in a word: what every page of theirs leads to."""

from datetime import datetime

from sqlalchemy.orm import Session

from app.services.study_options import options_of
from app.services.way.course import consent_due, course_of
from app.services.way.practice import round_of
from app.services.way.stages import ENDINGS, present
from app.services.way.work import work_of
from app.storage.models import Annotator, Study

BETWEEN_ROUNDS, BREAK, CLOSED = "between rounds", "break", "closed"


def where(session: Session, study: Study, annotator: Annotator) -> str:
    """The stage, or more exactly: "between rounds" of practice, a "break" of grading, the study being "closed"."""
    if annotator.stage in ENDINGS:
        return annotator.stage
    if study.state == "closed":
        return CLOSED
    if consent_due(session, study, annotator):
        return "consent"
    stage = present(annotator.stage, course_of(session, study))
    if stage == "practice" and annotator.stage == stage and round_of(session, study, annotator).is_over:
        return BETWEEN_ROUNDS
    return BREAK if stage == "grading" and break_until(session, study, annotator) else stage


def break_until(session: Session, study: Study, annotator: Annotator) -> datetime | None:
    """Until when a break is due; None without one."""
    limits = options_of(study).limits
    if limits.pause_after is None:
        return None
    work = work_of(session, annotator.id, limits)
    return None if work.has_reached(limits) else work.break_until
