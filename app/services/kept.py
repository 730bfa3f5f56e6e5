"""Answers that many requests ask for and that may be a little old: worked out again after a hundred times as long as
that takes. What is quick is hardly ever old, and what is slow costs no more than a hundredth of the time."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Dialect, Engine
from sqlalchemy.orm import Session

SHARE_OF_TIME = 0.01

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: Any
    until: float


# By the dialect, which an engine and its variants with other options share.
_kept: WeakKeyDictionary[Dialect, dict[Hashable, _Kept]] = WeakKeyDictionary()


def kept(session: Session, key: Hashable, work_out: Callable[[], Answer]) -> Answer:
    """The answer for that key in this process, as fresh as it is cheap."""
    answers = _kept.setdefault(session.get_bind().dialect, {})
    known = answers.get(key)
    if known is None or time.monotonic() >= known.until:
        start = time.monotonic()
        answer, end = work_out(), time.monotonic()
        known = answers[key] = _Kept(answer, end + (end - start) / SHARE_OF_TIME)
    found: Answer = known.answer
    return found


def forget(engine: Engine) -> None:
    """Where the database is another one now: work everything out again."""
    _kept.pop(engine.dialect, None)
