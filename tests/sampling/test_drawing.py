"""The draw by its properties: the same whatever the order, balanced, never more than there is."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.services.sampling.drawing import Candidate, draw, quantile_strata, share

CANDIDATES = st.lists(
    st.builds(Candidate, key=st.tuples(st.text(max_size=4), st.text(max_size=4)), stratum=st.sampled_from("abc")),
    max_size=40,
    unique_by=lambda each: each.key,
)


@settings(deadline=None)
@given(CANDIDATES, st.integers(0, 50), st.integers(0, 2**62), st.randoms())
def test_a_draw_follows_from_keys_and_seed_alone(candidates: list[Candidate], count: int, seed: int, random) -> None:
    drawn = draw(candidates, count, seed)
    shuffled = candidates.copy()
    random.shuffle(shuffled)
    assert draw(shuffled, count, seed) == drawn
    assert len(drawn) == min(count, len(candidates))
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) <= set(candidates)


@settings(deadline=None)
@given(CANDIDATES, st.integers(0, 50), st.integers(0, 2**62))
def test_strata_get_the_same_number_as_far_as_there_are_enough(
    candidates: list[Candidate], count: int, seed: int
) -> None:
    sizes = Counter(each.stratum for each in candidates)
    drawn = Counter(each.stratum for each in draw(candidates, count, seed))
    unfinished = [drawn[name] for name in sizes if drawn[name] < sizes[name]]
    if unfinished:
        assert max(drawn.values(), default=0) - min(unfinished) <= 1


def test_all_is_all() -> None:
    candidates = [Candidate((str(n),), "a") for n in range(5)]
    assert set(draw(candidates, None, 7)) == set(candidates)


def test_what_a_small_stratum_lacks_is_shared() -> None:
    assert share(9, {"a": 1, "b": 100, "c": 100}, 0) == {"a": 1, "b": 4, "c": 4}
    assert sum(share(10, {"a": 1, "b": 100, "c": 100}, 0).values()) == 10


def test_another_seed_draws_others() -> None:
    candidates = [Candidate((str(n),), "a") for n in range(100)]
    assert draw(candidates, 20, 1) != draw(candidates, 20, 2)


def test_quartiles_of_scores() -> None:
    scores = [((str(n),), n / 8) for n in range(8)]
    strata = quantile_strata(scores, 4)
    assert Counter(strata.values()) == {"1 of 4": 2, "2 of 4": 2, "3 of 4": 2, "4 of 4": 2}
    assert strata[("0",)] == "1 of 4"
    assert strata[("7",)] == "4 of 4"


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(2, 6))
def test_equal_scores_are_never_parted(values: list[float], bins: int) -> None:
    scores = [((str(n),), value) for n, value in enumerate(values)]
    strata = quantile_strata(scores, bins)
    by_value: dict[float, set[str]] = {}
    for key, value in scores:
        by_value.setdefault(value, set()).add(strata[key])
    assert all(len(found) == 1 for found in by_value.values())


@pytest.mark.parametrize("bins", [2, 5])
def test_one_score_is_one_stratum(bins: int) -> None:
    assert set(quantile_strata([((str(n),), 0.5) for n in range(9)], bins).values()) == {f"1 of {bins}"}
