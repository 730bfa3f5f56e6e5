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
        return _when_closed(session, study, annotator)
    if consent_due(session, study, annotator):
        return "consent"
    stage = present(annotator.stage, course_of(session, study))
    if stage == "practice" and annotator.stage == stage and round_of(session, study, annotator).is_over:
        return BETWEEN_ROUNDS
    return BREAK if stage == "grading" and break_until(session, study, annotator) else stage


def _when_closed(session: Session, study: Study, annotator: Annotator) -> str:
    """Whoever worked in it comes to the end: "done" before the stage says so, where asking for items leads there."""
    if annotator.excluded_at is not None:  # asking for items leads them nowhere
        return CLOSED
    if annotator.stage == "closing":
        is_asked = course_of(session, study).closing and not consent_due(session, study, annotator)
        return "closing" if is_asked else "done"
    has_worked = annotator.stage == "grading" and work_of(session, annotator.id, options_of(study).limits).items
    return "done" if has_worked else CLOSED


def break_until(session: Session, study: Study, annotator: Annotator) -> datetime | None:
    """Until when a break is due; None without one."""
    limits = options_of(study).limits
    if limits.pause_after is None:
        return None
    work = work_of(session, annotator.id, limits)
    return None if work.has_reached(limits) else work.break_until
