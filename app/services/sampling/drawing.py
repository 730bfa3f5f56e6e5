"""The draw: which keys of which stratum are taken. It depends on keys and the seed alone, never on their order."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.services.ordering import place


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that could be drawn: ``key`` names it by content, ``stratum`` is what it counts as."""

    key: tuple[str, ...]
    stratum: str


def draw(candidates: Iterable[Candidate], count: int | None, seed: int) -> list[Candidate]:
    """``count`` candidates (None: all), the same number from each stratum as far as there are enough.

    What a small stratum lacks is shared among the others. Where a count doesn't divide, the strata that come first
    in the seeded order get one more. The result is in that order, too.
    """
    strata: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        strata[candidate.stratum].append(candidate)
    shares = share(count, {name: len(members) for name, members in strata.items()}, seed)
    taken = [each for name, members in strata.items() for each in in_order(members, seed)[: shares[name]]]
    return in_order(taken, seed)


def in_order(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    """Candidates in the order that the seed gives them, whatever order they came in."""
    return sorted(candidates, key=lambda each: (place(seed, "sample", *each.key), each.key))


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
