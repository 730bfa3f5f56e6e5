"""Items that too many people skip are retired: nobody is handed them any more, and the desk lists them.

``Item.skips`` counts the people whose last word on the item is a skip. Who grades it after all takes theirs back.
"""

from sqlalchemy import ColumnElement, Update, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.study_options import options_of
from app.storage.models import Item, Study


def count_skip(session: Session, study: Study, item_id: int) -> None:
    """One more person skipped the item; at the study's number it is retired."""
    most = options_of(study).retire_after
    counted = _of(item_id, Item.role == "main").values(skips=Item.skips + 1)
    skips = session.scalar(counted.returning(Item.skips))
    if most is None or skips is None or skips < most:
        return
    due = _of(item_id, Item.retired_at.is_(None), Item.gradable.is_(True))
    session.execute(due.values(retired_at=utc_now(), gradable=False))


def take_back_skip(session: Session, study: Study, item_id: int) -> None:
    """A person who had skipped the item graded it; with too few skips left it is handed out again."""
    most = options_of(study).retire_after
    counted = _of(item_id, Item.role == "main", Item.skips > 0).values(skips=Item.skips - 1)
    skips = session.scalar(counted.returning(Item.skips))
    if skips is None or (most is not None and skips >= most):
        return
    session.execute(_of(item_id, Item.retired_at.is_not(None)).values(retired_at=None, gradable=True))


def _of(item_id: int, *conditions: ColumnElement[bool]) -> Update:
    # The session's copy of the item isn't read afterwards, so it need not follow.
    return update(Item).where(Item.id == item_id, *conditions).execution_options(synchronize_session=False)
