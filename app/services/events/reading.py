"""Events as programs read them."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.storage.models import Study, StudyEvent

RUN, GRADES, TARGET, STATE = "run.finished", "grades.added", "study.target_met", "study.state_changed"
KINDS = (RUN, GRADES, TARGET, STATE)
AT_ONCE = 200


def events_after(session: Session, study: Study, event_id: int) -> list[StudyEvent]:
    """The study's events after that one, the oldest first, some at a time."""
    mine = select(StudyEvent).where(StudyEvent.study_id == study.id, StudyEvent.id > event_id)
    return list(session.scalars(mine.order_by(StudyEvent.id).limit(AT_ONCE)))


def newest_event(session: Session, study: Study) -> int:
    """The number of the study's newest event; 0 where nothing has happened."""
    return session.scalar(select(func.max(StudyEvent.id)).where(StudyEvent.study_id == study.id)) or 0
