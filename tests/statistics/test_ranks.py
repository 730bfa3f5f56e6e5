"""Places of scores are scipy's mid-ranks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from app.statistics.ranks import mid_ranks


@given(st.lists(st.sampled_from([-1.5, 0.0, 0.25, 1.0, 1.0 + 1e-12, 7.0]) | st.floats(-1e9, 1e9), max_size=30))
def test_they_are_those_of_scipy(scores: list[float]) -> None:
    assert mid_ranks(scores) == rankdata(-np.array(scores)).tolist()


def test_the_best_is_first_and_equals_share() -> None:
    assert mid_ranks([3.0, 9.0, 3.0, 1.0]) == [2.5, 1.0, 2.5, 4.0]
