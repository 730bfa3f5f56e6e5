"""Where a study's grades stand, told by a few counters: whether what was measured is stale."""

from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.ids import content_hash
from app.services.agreement.changes import last_checked
from app.services.agreement.questions import asked_questions
from app.services.analysis.computation import canonical_json
from app.storage.models import Annotator, AuditEvent, GradeEvent, Instrument, Item, Output, Study, System
from app.storage.models.material import LEFT_OUT

SAMPLED = "items sampled"  # the sampling's own word: a sample may give items another stratum


def grades_revision(session: Session, study: Study) -> dict[str, Any]:
    """Counters that change with every grade, item, output, question and exclusion. Scores of metrics don't
    matter; checks of a perturbed set do."""
    events = select(func.max(GradeEvent.id)).join(Annotator, Annotator.id == GradeEvent.annotator_id)
    outputs = select(func.max(Output.id)).join(System, System.id == Output.system_id)
    excluded = select(func.count(), func.max(Annotator.excluded_at)).where(
        Annotator.study_id == study.id, Annotator.excluded_at.is_not(None)
    )
    samples = select(func.max(AuditEvent.id)).where(AuditEvent.study_id == study.id, AuditEvent.action == SAMPLED)
    last_item, gradable = _gradable_items(session, study)
    people, since = session.execute(excluded).one()
    known = {"checks": last_checked(session, study)} if study.set_slug else {}
    return known | {
        "last_grade_event": session.scalar(events.where(Annotator.study_id == study.id)),
        "last_item": last_item,
        "items": gradable,
        "last_output": session.scalar(outputs.where(System.study_id == study.id)),
        "excluded": people,
        "excluded_since": since.isoformat() if since else None,
        "last_sample": session.scalar(samples),
        "questions": content_hash(canonical_json([each.about for each in asked_questions(session, study)])),
    }


def _gradable_items(session: Session, study: Study) -> tuple[int | None, int]:
    """The last one's number, and how many there are: all but those that rest, so that no item needs to be read."""
    mine = Item.study_id == study.id
    last = select(Item.id).where(mine, Item.gradable.is_(True)).order_by(Item.id.desc()).limit(1)
    instruments = select(Instrument.id).where(Instrument.study_id == study.id)
    resting = select(func.count()).where(
        Item.instrument_id.in_(instruments), text(f"({LEFT_OUT})"), Item.gradable.is_(False)
    )
    everything = session.scalar(select(func.count()).where(mine)) or 0
    return session.scalar(last), everything - (session.scalar(resting) or 0)
