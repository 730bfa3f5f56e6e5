"""Where one stands in a perturbed set, and the places beside it: other problems, seeds and transformations."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

Kind = TypeVar("Kind", str, int)


@dataclass(frozen=True, slots=True)
class Place:
    """A problem, and what a transformation made of it with a seed."""

    task: str
    transformation: str
    seed: int


def place_of(key: str) -> Place:
    """The place of a row that a transformation made, by its key; only a problem's own name may hold the dot, too."""
    task, transformation, seed = key.rsplit(" · ", 2)
    return Place(task, transformation, int(seed))


Beside = tuple[Place | None, Place | None]  # the place before and the one behind; None at an end


@dataclass(frozen=True, slots=True)
class Steps:
    """Where one can go from a place; of each kind one step back and one on."""

    tasks: Beside
    seeds: Beside
    transformations: Beside


def steps_from(
    place: Place, tasks: Sequence[str], shown: Collection[str], seeds: Mapping[str, Sequence[int]]
) -> Steps:
    """The steps from a place. ``tasks``: all problems, of which only those ``shown`` are stepped to; ``seeds``: by
    transformation. Another transformation keeps the seed where it has it."""
    names = list(seeds)
    tasks_beside = _beside(tasks, place.task, set(shown))
    seeds_beside = _beside(seeds[place.transformation], place.seed)
    names_beside = _beside(names, place.transformation)
    return Steps(
        _both(tasks_beside, lambda task: replace(place, task=task)),
        _both(seeds_beside, lambda seed: replace(place, seed=seed)),
        _both(names_beside, lambda name: replace(place, transformation=name, seed=_seed(seeds[name], place.seed))),
    )


def _beside(
    items: Sequence[Kind], at: Kind, allowed: Collection[Kind] | None = None
) -> tuple[Kind | None, Kind | None]:
    """The nearest on both sides of those that are allowed."""
    where = items.index(at)
    before = [each for each in items[:where] if allowed is None or each in allowed]
    behind = (each for each in items[where + 1 :] if allowed is None or each in allowed)
    return before[-1] if before else None, next(behind, None)


def _both(found: tuple[Kind | None, Kind | None], made: Callable[[Kind], Place]) -> Beside:
    before, behind = found
    return None if before is None else made(before), None if behind is None else made(behind)


def _seed(seeds: Sequence[int], wanted: int) -> int:
    return wanted if wanted in seeds else seeds[0]
