"""Leave an annotator's grades out of all results, or take them back. Nothing is deleted.

Who is excluded holds no item: the slots go to others, so that the target is met by grades that count. Coming back, a
grade takes its place again where the item has room, and is surplus where others have filled it meanwhile. Imported
grades may be more than an item asks for; they come back as they were. Practice and checks have no limit and stay.

Rows are locked in the order annotator, assignments, items by number: nobody who holds an item waits for another one
(see app.services.assignments), so no two can wait for each other.
"""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput
from app.services import audit
from app.services.desk.people import find_annotator
from app.storage.models import Annotator, Assignment, Grade, Instrument, Item, Study
from app.words import gettext

# Fewer than any database's limit on the values of one statement.
CHUNK = 500


def exclude(session: Session, actor: str, study: Study, annotator_id: int, reason: str) -> None:
    """From now on the annotator's grades count in no result, and no items are handed to them."""
    reason = _checked(reason)
    annotator = find_annotator(session, study, annotator_id, lock=True)
    if annotator.excluded_at is not None:
        raise Conflict(gettext("%(pseudonym)s is excluded already.", pseudonym=annotator.pseudonym))
    annotator.excluded_at, annotator.excluded_reason = utc_now(), reason
    freed = _free_items(session, annotator)
    audit.record(session, actor, audit.EXCLUDED, study.id, annotator=annotator.id, reason=reason, items=freed)


def restore(session: Session, actor: str, study: Study, annotator_id: int, reason: str) -> None:
    """The annotator's grades count again, as far as their items have room."""
    reason = _checked(reason)
    annotator = find_annotator(session, study, annotator_id, lock=True)
    if annotator.excluded_at is None:
        raise Conflict(gettext("%(pseudonym)s isn’t excluded.", pseudonym=annotator.pseudonym))
    annotator.excluded_at = annotator.excluded_reason = None
    taken, surplus = _take_items(session, study, annotator)
    audit.record(
        session, actor, audit.RESTORED, study.id, annotator=annotator.id, reason=reason, items=taken, surplus=surplus
    )


def _checked(reason: str) -> str:
    if not reason.strip():
        raise InvalidInput(gettext("Why? A reason is needed; it stands in the decision log."))
    return reason.strip()


def _free_items(session: Session, annotator: Annotator) -> int:
    """Claims lapse, graded items count one grade fewer; returns how many grades that are."""
    mine = Assignment.annotator_id == annotator.id
    locked = select(Assignment.id).where(mine).order_by(Assignment.id).with_for_update(key_share=True)
    session.scalars(locked).all()
    main = Assignment.item_id.in_(select(Item.id).where(Item.study_id == annotator.study_id, Item.role == "main"))
    graded = [mine, Assignment.state == "graded", Assignment.surplus.is_(False), main]
    given = session.scalars(select(Assignment.item_id).where(*graded)).all()
    begun = session.scalars(select(Assignment.item_id).where(mine, Assignment.state == "claimed", main)).all()
    _change_loads(session, [*given, *begun], -1)
    for which, values in (
        (graded, {"slot": None}),
        ([mine, Assignment.state == "claimed"], {"slot": None, "state": "lapsed"}),
    ):
        statement = update(Assignment).where(*which).values(values)
        session.execute(statement.execution_options(synchronize_session=False))
    session.expire_all()
    return len(given)


def _take_items(session: Session, study: Study, annotator: Annotator) -> tuple[int, int]:
    """Graded items count their grade again where there is room; how many do, and how many are surplus now."""
    main = Assignment.item_id.in_(select(Item.id).where(Item.study_id == study.id, Item.role == "main"))
    statement = (
        select(Assignment)
        .where(Assignment.annotator_id == annotator.id, Assignment.state == "graded")
        .where(Assignment.surplus.is_(False), main)
        .order_by(Assignment.id)
        .with_for_update(key_share=True)
    )
    graded = session.scalars(statement.execution_options(populate_existing=True)).all()
    room = _room(session, study, [each.item_id for each in graded])
    used = _used_slots(session, [each.item_id for each in graded])
    taken, full = [], []
    for each in graded:
        if annotator.kind != "person":  # numbered slots are for those who are handed items here
            taken.append(each.item_id)
        elif room[each.item_id] > 0:
            each.slot = next(slot for slot in range(len(used[each.item_id]) + 1) if slot not in used[each.item_id])
            taken.append(each.item_id)
        else:
            each.surplus = True
            full.append(each.item_id)
    session.flush()
    _change_loads(session, taken, 1)
    _mark_surplus(session, annotator, full)
    session.expire_all()
    return len(taken), len(full)


def _room(session: Session, study: Study, items: Sequence[int]) -> dict[int, int]:
    """How many more grades each item takes; the items are held until the commit."""
    target = func.coalesce(Instrument.grades_per_item, study.grades_per_item)
    room: dict[int, int] = {}
    for chunk in _chunks(items):
        rows = (
            select(Item.id, target - Item.load)
            .join(Instrument, Instrument.id == Item.instrument_id)
            .where(Item.id.in_(chunk))
            .order_by(Item.id)
            .with_for_update(of=Item, key_share=True)
        )
        room |= dict(session.execute(rows).all())
    return room


def _used_slots(session: Session, items: Sequence[int]) -> dict[int, set[int]]:
    used: dict[int, set[int]] = defaultdict(set)
    for chunk in _chunks(items):
        rows = select(Assignment.item_id, Assignment.slot).where(Assignment.item_id.in_(chunk))
        for item, slot in session.execute(rows.where(Assignment.slot.is_not(None))):
            if slot is not None:
                used[item].add(slot)
    return used


def _change_loads(session: Session, items: Sequence[int], by: int) -> None:
    for chunk in _chunks(items):
        # In one order for everybody; an UPDATE alone takes rows in any.
        session.scalars(
            select(Item.id).where(Item.id.in_(chunk)).order_by(Item.id).with_for_update(key_share=True)
        ).all()
        statement = update(Item).where(Item.id.in_(chunk)).values(load=Item.load + by)
        session.execute(statement.execution_options(synchronize_session=False))


def _mark_surplus(session: Session, annotator: Annotator, items: Sequence[int]) -> None:
    for chunk in _chunks(items):
        statement = update(Grade).where(Grade.annotator_id == annotator.id, Grade.item_id.in_(chunk))
        session.execute(statement.values(surplus=True).execution_options(synchronize_session=False))


def _chunks(items: Sequence[int]) -> list[list[int]]:
    ordered = sorted(items)
    return [ordered[start : start + CHUNK] for start in range(0, len(ordered), CHUNK)]
