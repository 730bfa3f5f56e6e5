"""Answers that many requests ask for, kept in the process.

Those that may be a little old are worked out again after a hundred times as long as that takes: what is quick is
hardly ever old, and what is slow costs no more than a hundredth of the time. Others stand as long as a stamp does.
"""

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


@dataclass(frozen=True, slots=True)
class _Stamped:
    answer: Any
    stamp: Hashable


# By the dialect, which an engine and its variants with other options share.
_kept: WeakKeyDictionary[Dialect, dict[Hashable, _Kept]] = WeakKeyDictionary()
_stamped: WeakKeyDictionary[Dialect, dict[Hashable, _Stamped]] = WeakKeyDictionary()


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


def kept_while(session: Session, key: Hashable, stamp: Hashable, work_out: Callable[[], Answer]) -> Answer:
    """The answer for that key, worked out again when the stamp is another one."""
    answers = _stamped.setdefault(session.get_bind().dialect, {})
    known = answers.get(key)
    if known is None or known.stamp != stamp:
        known = answers[key] = _Stamped(work_out(), stamp)
    found: Answer = known.answer
    return found


def forget(engine: Engine) -> None:
    """Where the database is another one now: work everything out again."""
    _kept.pop(engine.dialect, None)
    _stamped.pop(engine.dialect, None)
