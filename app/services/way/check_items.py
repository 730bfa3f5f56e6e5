"""Checks among a person's items: at their seeded places, looking like any other item."""

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from app.ids import content_hash
from app.services.claims import Last, Quest, add_check
from app.services.ordering import place
from app.services.study_options import options_of
from app.services.way.checks import REPEAT_AFTER, kind_at
from app.storage.models import Assignment, Item


def claim_check(quest: Quest, last: Last) -> Assignment | None:
    """The check that is due at the annotator's next place; None where none is, or there is nothing to check with."""
    checks = options_of(quest.study).checks
    if not checks.are_any:
        return None
    number = _next_number(quest)
    kind = kind_at(quest.study.seed, quest.annotator.order_seed, checks, number)
    if kind is None:
        return None
    item_id = _repeat_of_earlier(quest, number) if kind == "repeat" else _unseen(quest, kind)
    return add_check(quest, item_id, last) if item_id is not None else None


def _next_number(quest: Quest) -> int:
    """The how-many-th item of the person's grading the next one is; practice comes before the first."""
    mine = (
        select(func.count())
        .select_from(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.annotator_id == quest.annotator.id, Item.role != "practice")
    )
    return (quest.session.scalar(mine) or 0) + 1


def _unseen(quest: Quest, kind: str) -> int | None:
    """A check of that kind that is new to the annotator, and so is what it was copied from."""
    seen = select(Assignment.item_id).where(Assignment.annotator_id == quest.annotator.id).scalar_subquery()
    rows = quest.session.execute(
        select(Item.shuffle, Item.id)
        .where(Item.instrument_id == quest.instrument.id, Item.role == kind, Item.gradable)
        .where(Item.id.not_in(seen), Item.repeats_id.is_(None) | Item.repeats_id.not_in(seen))
    ).all()
    start = quest.annotator.order_seed
    return min((((shuffle < start, shuffle), item_id) for shuffle, item_id in rows), default=(None, None))[1]


def _repeat_of_earlier(quest: Quest, number: int) -> int | None:
    """A repeat of an item that this annotator graded long enough ago, and that wasn't repeated yet."""
    mine = Assignment.annotator_id == quest.annotator.id
    repeat, shown = aliased(Item), aliased(Assignment)
    was_repeated = (
        select(repeat.id)
        .join(shown, shown.item_id == repeat.id)
        .where(shown.annotator_id == quest.annotator.id, repeat.role == "repeat", repeat.repeats_id == Item.id)
        .exists()
    )
    rows = quest.session.execute(
        select(Item, Assignment.state, was_repeated)
        .join(Assignment, Assignment.item_id == Item.id)
        .where(mine, Item.role != "practice")
        .order_by(Assignment.position)
    ).all()
    old = [
        item
        for item, state, is_repeated in rows[: number - REPEAT_AFTER]
        if state == "graded" and not is_repeated and _can_repeat(quest, item)
    ]
    if not old:
        return None
    seed, person = quest.study.seed, quest.annotator.order_seed
    return _repeat_item(quest.session, min(old, key=lambda item: place(seed, "repeat", person, number, item.shuffle)))


def _can_repeat(quest: Quest, item: Item) -> bool:
    return item.role == "main" and item.instrument_id == quest.instrument.id


def _repeat_item(session: Session, original: Item) -> int:
    """The item that shows the original again; one for everybody, made when it is first needed."""
    identity = content_hash("repeat", original.identity)
    same = select(Item.id).where(
        Item.instrument_id == original.instrument_id,
        Item.problem_id == original.problem_id,
        Item.identity == identity,
    )
    known = session.scalar(same)
    if known is not None:
        return known
    try:
        with session.begin_nested():
            item = copy_of(original, role="repeat", identity=identity)
            session.add(item)
    except IntegrityError:  # somebody else's page made it at the same moment
        return session.scalars(same).one()
    return item.id


def copy_of(original: Item, *, role: str, identity: str) -> Item:
    """An item that looks like the original and counts in no result."""
    return Item(
        study_id=original.study_id,
        instrument_id=original.instrument_id,
        problem_id=original.problem_id,
        identity=identity,
        text=original.text,
        original=original.original,
        role=role,
        stratum=original.stratum,
        shuffle=original.shuffle,
        is_reference=original.is_reference,
        variant_id=original.variant_id,
        repeats_id=original.id,
    )
