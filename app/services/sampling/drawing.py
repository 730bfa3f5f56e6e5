"""The draw: which keys of which stratum are taken. It depends on keys and the seed alone, never on their order."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from app.services.ordering import place


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that could be drawn: ``key`` names it by content, ``stratum`` is what it counts as.

    ``group``: what the stratum belongs to; of each group the same number is drawn, and of each stratum of it. A
    ``spare`` one is drawn only where the others of its stratum don't suffice.
    """

    key: tuple[str, ...]
    stratum: str
    group: str = ""
    spare: bool = False


def draw(candidates: Iterable[Candidate], count: int | None, seed: int) -> list[Candidate]:
    """``count`` candidates (None: all), the same number from each stratum as far as there are enough.

    What a small stratum lacks is shared among the others. Where a count doesn't divide, the strata that come first
    in the seeded order get one more. The result is in that order, too.
    """
    groups = _parted(candidates, attrgetter("group"))
    shares = share(count, {name: len(members) for name, members in groups.items()}, seed)
    taken = [each for name, members in groups.items() for each in _of_strata(members, shares[name], seed)]
    return in_order(taken, seed)


def _of_strata(candidates: Iterable[Candidate], count: int, seed: int) -> list[Candidate]:
    strata = _parted(candidates, attrgetter("stratum"))
    shares = share(count, {name: len(members) for name, members in strata.items()}, seed)
    return [each for name, members in strata.items() for each in in_order(members, seed)[: shares[name]]]


def _parted(candidates: Iterable[Candidate], by: Callable[[Candidate], str]) -> dict[str, list[Candidate]]:
    parts: dict[str, list[Candidate]] = defaultdict(list)
    for each in candidates:
        parts[by(each)].append(each)
    return parts


def in_order(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    """Candidates in the order that the seed gives them, whatever order they came in; spare ones last."""
    return sorted(candidates, key=lambda each: (each.spare, place(seed, "sample", *each.key), each.key))


def share(count: int | None, sizes: dict[str, int], seed: int) -> dict[str, int]:
    """How many to take from each stratum of that size."""
    if count is None:
        return dict(sizes)
    shares = dict.fromkeys(sizes, 0)
    left = min(count, sum(sizes.values()))
    while left:
        unfinished = [name for name in sizes if shares[name] < sizes[name]]
        open_strata = sorted(unfinished, key=lambda name: place(seed, "share", name))
        each = left // len(open_strata)
        for name in open_strata if each else open_strata[:left]:
            more = min(max(each, 1), sizes[name] - shares[name])
            shares[name] += more
            left -= more
    return shares


def quantile_strata(scores: Sequence[tuple[tuple[str, ...], float]], bins: int) -> dict[tuple[str, ...], str]:
    """Each key's stratum by score: "1 of 4" holds the lowest quarter; equal scores are never parted."""
    below: dict[float, int] = {}
    for number, score in enumerate(sorted(score for _, score in scores)):
        below.setdefault(score, number)
    return {key: f"{1 + below[score] * bins // len(scores)} of {bins}" for key, score in scores}
