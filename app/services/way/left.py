"""Whether anything is left to grade for somebody, asked without claiming it."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.questionnaires.instruments import instruments_of, target_of
from app.storage.models import Annotator, Assignment, Instrument, Item, Study


def anything_left(session: Session, study: Study, annotator: Annotator) -> bool:
    """Whether an item has room that the person hasn't answered. Quotas aren't looked at: they only make it less."""
    return any(_has_room(session, study, annotator, each) for each in instruments_of(session, study.id))


def _has_room(session: Session, study: Study, annotator: Annotator, instrument: Instrument) -> bool:
    answered = select(Assignment.id).where(
        Assignment.item_id == Item.id, Assignment.annotator_id == annotator.id, Assignment.state != "lapsed"
    )
    statement = select(Item.id).where(
        Item.instrument_id == instrument.id,
        Item.role == "main",
        Item.load < target_of(study, instrument),
        Item.gradable,
        Item.retired_at.is_(None),
        ~answered.exists(),
    )
    return session.scalar(statement.limit(1)) is not None
