"""A real item of a study for whoever only looks: as an annotator would see it, and nothing is stored."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.shown_items import ShownItem, show
from app.storage.models import Artifact, Assignment, Instrument, Item, Problem


def first_item(session: Session, instruments: Iterable[Instrument], role: str = "main") -> Item | None:
    """The first of that role in the study's order. What was graded meanwhile changes nothing: a picture must fit."""
    for instrument in instruments:
        mine = select(Item).where(Item.instrument_id == instrument.id, Item.role == role, Item.gradable)
        item = session.scalars(mine.order_by(Item.is_reference, Item.shuffle, Item.id).limit(1)).first()
        if item is not None:
            return item
    return None


def as_shown(session: Session, item: Item) -> ShownItem:
    """The item by an assignment that is never added."""
    assignment = Assignment(
        public_id="preview", annotator_id=0, item_id=item.id, position=1, state="claimed", swapped=False
    )
    return show(session, assignment)


def picture_of(session: Session, item: Item) -> Artifact | None:
    """The picture of the item's problem, if it has one."""
    image_id = session.get_one(Problem, item.problem_id).image_id
    return None if image_id is None else session.get_one(Artifact, image_id)
