"""What a pass over all grades of a question finds, kept for some seconds where they are many.

Few are counted each time. Many take a fifth of a second, which no page should cost again and again; what a page shows
of them may be some seconds old, and says so.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.storage.models import Grade, Question

MANY = 100_000
SECONDS = 15.0
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Kept(Generic[Value]):
    """A value; ``at``: when it was found, None where that was just now and for this request."""

    value: Value
    at: datetime | None = None


_kept: WeakKeyDictionary[Engine, dict[tuple[str, int], tuple[float, Kept[Any]]]] = WeakKeyDictionary()


def kept(session: Session, what: str, question: Question, find: Callable[[], Value]) -> Kept[Value]:
    """What ``find`` finds in the question's grades, or found some seconds ago."""
    if not _has_many(session, question):
        return Kept(find())
    known = _kept.setdefault(session.get_bind().engine, {})
    until, found = known.get((what, question.id), (0.0, None))
    if found is None or time.monotonic() >= until:
        found = Kept(find(), utc_now())
        known[what, question.id] = time.monotonic() + SECONDS, found
    return found


def _has_many(session: Session, question: Question) -> bool:
    beyond = select(Grade.item_id).where(Grade.question_id == question.id).offset(MANY).limit(1)
    return session.execute(beyond).first() is not None


def forget() -> None:
    """Find everything anew: for benchmarks."""
    _kept.clear()
