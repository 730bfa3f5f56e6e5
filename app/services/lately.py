"""What a pass over all grades of a question finds, kept for some seconds where they are many.

Few are counted each time. Many take a fifth of a second, which no page should cost again and again; what a page shows
of them may be some seconds old, and says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.kept import kept
from app.storage.models import Grade, Question

MANY = 100_000
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Lately(Generic[Value]):
    """A value; ``at``: when it was found, None where that was just now and for this request."""

    value: Value
    at: datetime | None = None


def lately(session: Session, what: str, question: Question, find: Callable[[], Value]) -> Lately[Value]:
    """What ``find`` finds in the question's grades, or found some seconds ago."""
    if not _has_many(session, question):
        return Lately(find())
    return kept(session, (what, question.id), lambda: Lately(find(), utc_now()))


def _has_many(session: Session, question: Question) -> bool:
    beyond = select(Grade.item_id).where(Grade.question_id == question.id).offset(MANY).limit(1)
    return session.execute(beyond).first() is not None
