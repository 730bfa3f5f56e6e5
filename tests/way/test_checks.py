"""Places of checks: from the seed alone, one of each kind in every block, never two at one place."""

from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.services.study_options import Checks
from app.services.way.checks import KINDS, REPEAT_AFTER, kind_at, size_of

seeds = st.integers(0, 2**31)
sizes = st.integers(0, 40)
checks = st.builds(Checks, loud_every=sizes, silent_every=sizes, repeat_every=sizes)


def kinds(seed: int, person: int, options: Checks, count: int = 240) -> list[str | None]:
    return [kind_at(seed, person, options, number) for number in range(1, count + 1)]


@settings(deadline=None, max_examples=40)
@given(seeds, seeds, checks)
def test_one_of_each_kind_in_every_block(seed: int, person: int, options: Checks) -> None:
    given_sizes = {kind: size_of(options, kind) for kind in KINDS if size_of(options, kind)}
    # With room for all: each place of a block can be taken by the other kinds at most so often.
    assume(sum(1 / size for size in given_sizes.values()) < 0.4)
    found = kinds(seed, person, options)
    for kind, size in given_sizes.items():
        blocks = Counter(index // size for index, each in enumerate(found) if each == kind)
        whole = range(len(found) // size)
        first = REPEAT_AFTER // size + 1 if kind == "repeat" else 0
        assert all(blocks[block] == 1 for block in whole if block >= first)
        assert max(blocks.values(), default=0) <= 1
    assert set(found) <= {None, *given_sizes}


@settings(deadline=None, max_examples=20)
@given(seeds, seeds, checks)
def test_the_same_seed_gives_the_same_places(seed: int, person: int, options: Checks) -> None:
    assert kinds(seed, person, options, 60) == kinds(seed, person, options, 60)


def test_people_and_seeds_differ() -> None:
    options = Checks(silent_every=20)
    assert len({tuple(kinds(7, person, options, 60)) for person in range(30)}) > 20
    assert kinds(7, 1, options, 60) != kinds(8, 1, options, 60)


@settings(deadline=None, max_examples=40)
@given(seeds, seeds, st.integers(1, 40))
def test_nothing_is_repeated_before_there_is_anything_to_repeat(seed: int, person: int, every: int) -> None:
    assert "repeat" not in kinds(seed, person, Checks(repeat_every=every), REPEAT_AFTER)
    assert "repeat" in kinds(seed, person, Checks(repeat_every=every), REPEAT_AFTER + 2 * every)


def test_offsets_are_spread_over_the_block() -> None:
    options = Checks(loud_every=10)
    places = Counter(kinds(3, person, options, 10).index("loud") for person in range(2000))
    assert set(places) == set(range(10))
    assert min(places.values()) > 140  # 200 expected, standard deviation 13
