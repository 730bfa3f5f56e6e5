"""Turns that a transaction takes and keeps until it ends, for work of which no single row could be locked.

SQLite's writers come one after the other in any case.
"""

from enum import IntEnum

from sqlalchemy import Integer, bindparam, func, select
from sqlalchemy.orm import Session

from app.storage.engine import locks_rows

_TAKE = select(func.pg_advisory_xact_lock(bindparam("turn", type_=Integer), bindparam("key", type_=Integer)))


class TurnAt(IntEnum):
    """What only one transaction at a time may do, for each key. The numbers only have to differ."""

    QUOTAS = 4_201  # claim items of a study with quotas
    MATERIAL = 4_202  # look what a study holds and add what is missing
    SCORES = 4_203  # the same with scores and analyses
    STUDIES = 4_204  # look whether an address is free and take it
    BENCHMARKS = 4_205  # look whether a file or an address of a benchmark is there
    GENERATIONS = 4_206  # look whether a model was asked for a benchmark in the same words


def take_turn(session: Session, at: TurnAt, key: int = 0) -> None:
    """Wait for the turn. Whoever takes several takes them in the order of their numbers."""
    if locks_rows(session):
        session.execute(_TAKE, {"turn": at, "key": key})
