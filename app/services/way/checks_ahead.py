"""Checks that are still to come, so that a total holds them from the start: one that rose would tell each of them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import count

from sqlalchemy import bindparam, func, select

from app.services.sitting import Sitting
from app.services.study_options import Checks
from app.services.way.checks import kind_at
from app.storage.models import Assignment, Item

_CHUNK = 128


def with_checks(sitting: Sitting, free: Mapping[int, int], *, most: int) -> dict[int, int]:
    """How many items come, by instrument in order, until the annotator has had so many main ones of each.

    At most ``most`` in all are told apart. Where a check can't be shown when its place comes, fewer come; never more.
    """
    checks = sitting.options.checks
    if not checks.are_any:
        return dict(free)
    had = _had(sitting)
    number = sum(had.values()) + 1
    coming = {}
    for instrument_id, mains in free.items():
        coming[instrument_id] = _Ahead(sitting, instrument_id, had).places(number, mains, most)
        number += coming[instrument_id]
    return coming


class _Ahead:
    """What one instrument holds for one annotator."""

    def __init__(self, sitting: Sitting, instrument_id: int, had: Mapping[tuple[int, str], int]) -> None:
        self._seed, self._person = sitting.study.seed, sitting.annotator.order_seed
        self._checks = sitting.options.checks
        self._unseen = _unseen(sitting, instrument_id)
        self._mains, self._repeats = had.get((instrument_id, "main"), 0), had.get((instrument_id, "repeat"), 0)

    def places(self, number: int, mains: int, most: int) -> int:
        """How many places there are, from that number on, until so many main items had theirs."""
        places = 0
        for kind in self._kinds(number):
            if mains <= 0 or places >= most:
                break
            places += 1
            mains -= self._takes(kind)
        return places

    def _takes(self, kind: str | None) -> int:
        """How many main items the place takes: one, where no check comes instead."""
        if kind == "repeat" and self._repeats < self._mains:
            self._repeats += 1
            return 0
        if kind is not None and self._unseen.get(kind):
            self._unseen[kind] -= 1
            return 0
        self._mains += 1
        return 1

    def _kinds(self, number: int) -> Iterator[str | None]:
        chunk, skipped = divmod(number - 1, _CHUNK)
        yield from _kinds(self._seed, self._person, self._checks, chunk)[skipped:]
        for further in count(chunk + 1):
            yield from _kinds(self._seed, self._person, self._checks, further)


@lru_cache(maxsize=1024)
def _kinds(seed: int, person: int, checks: Checks, chunk: int) -> tuple[str | None, ...]:
    """The kinds of a stretch of places. They never change, and each grade asks for them."""
    first = chunk * _CHUNK + 1
    return tuple(kind_at(seed, person, checks, number) for number in range(first, first + _CHUNK))


def _had(sitting: Sitting) -> dict[tuple[int, str], int]:
    """How many items of each instrument and role the annotator got, practice aside."""
    rows = sitting.session.execute(_HAD, {"annotator_id": sitting.annotator.id})
    return {(instrument_id, role): number for instrument_id, role, number in rows}


def _unseen(sitting: Sitting, instrument_id: int) -> dict[str, int]:
    """How many checks of each kind are new to the annotator. What they are copies of isn't handed out itself."""
    values = {"annotator_id": sitting.annotator.id, "instrument_id": instrument_id}
    return dict(sitting.session.execute(_UNSEEN, values).all())


_HAD = (
    select(Item.instrument_id, Item.role, func.count())
    .join(Assignment, Assignment.item_id == Item.id)
    .where(Assignment.annotator_id == bindparam("annotator_id"), Item.role != "practice")
    .group_by(Item.instrument_id, Item.role)
)
_SEEN = select(Assignment.item_id).where(Assignment.annotator_id == bindparam("annotator_id"))
_UNSEEN = (
    select(Item.role, func.count())
    .where(Item.instrument_id == bindparam("instrument_id"), Item.role.in_(("loud", "silent")), Item.gradable)
    .where(Item.id.not_in(_SEEN), Item.repeats_id.is_(None) | Item.repeats_id.not_in(_SEEN))
    .group_by(Item.role)
)
