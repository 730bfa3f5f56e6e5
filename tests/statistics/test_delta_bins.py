"""Pairs by Δ: every pair counted once, kinds of error apart, and the advice drawn from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.statistics.advice import smallest_trustworthy_delta
from app.statistics.delta_bins import (
    DEFAULT_BINS,
    agreement_by_delta,
    bin_of,
    check_bins,
    significance_by_delta,
)
from app.statistics.errors import StatisticsError

pairs = st.lists(
    st.tuples(st.floats(-120, 120, allow_nan=False), st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1])),
    max_size=60,
)


def columns(rows: list[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return table[:, 0], table[:, 1].astype(np.int8), table[:, 2].astype(np.int8)


def test_hand_worked_counts() -> None:
    """Seven pairs (Δ, metric, people): two in [0,2), one of them significant and agreeing; in [2,5) a Type-I
    and a sign error; in [10,100) one that agrees and, not significant, a Type-II error; in NS three pairs,
    two Type-II."""
    rows = [(1.0, 1, 1), (-1.9, 0, 0), (2.0, 1, 0), (-4.9, -1, 1), (10, 1, 1), (-30, 0, -1), (6, 0, 1)]
    found = agreement_by_delta(*columns(rows))
    assert [(c.pairs, c.type_1, c.sign_error, c.mismatches) for c in found.bins] == [
        (1, 0, 0, 0),
        (2, 1, 1, 2),
        (0, 0, 0, 0),
        (1, 0, 0, 0),
    ]
    assert (found.ns_pairs, found.type_2) == (3, 2)
    assert found.total_mismatch == pytest.approx(100 * 4 / 7)
    differences, verdicts, _ = columns(rows)
    counts = significance_by_delta(differences, verdicts)
    assert [(c.significant, c.not_significant) for c in counts] == [(1, 1), (2, 0), (0, 1), (1, 1)]


def test_edges_belong_to_the_upper_bin() -> None:
    differences = np.array([0, 1.999, 2, -2, 5, 9.999, 10, 100, 400])
    assert bin_of(differences, DEFAULT_BINS).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]


@pytest.mark.parametrize("bins", [[], [(1, 2)], [(0, 2), (3, 5)], [(0, 2), (2, 2)], [(0, 5), (4, 9)]])
def test_bins_with_gaps_are_refused(bins: list[tuple[float, float]]) -> None:
    with pytest.raises(StatisticsError, match="Δ bins"):
        check_bins(bins)


@given(pairs)
def test_every_pair_is_counted_once(rows: list[tuple[float, int, int]]) -> None:
    differences, verdicts, human = columns(rows)
    significance = significance_by_delta(differences, verdicts)
    assert sum(c.significant + c.not_significant for c in significance) == len(rows)
    agreement = agreement_by_delta(differences, verdicts, human)
    assert agreement.pairs == len(rows)
    assert agreement.mismatches == int((verdicts != human).sum())
    assert [c.pairs for c in agreement.bins] == [c.significant for c in significance]


@given(pairs)
def test_swapping_systems_or_metric_and_people(rows: list[tuple[float, int, int]]) -> None:
    """Swapping A and B changes nothing; a metric compared with itself never errs."""
    differences, verdicts, human = columns(rows)
    assert agreement_by_delta(differences, verdicts, human) == agreement_by_delta(-differences, -verdicts, -human)
    assert agreement_by_delta(differences, verdicts, verdicts).mismatches == 0


def test_advice_by_hand() -> None:
    """40 pairs, Δ = 1, 2, …, 40. Errors at Δ = 20 and 10. From 21 on there are 20 pairs and no error; from 20
    on 1 error in 21 pairs (4.76 %, under 5 %); from 11 on 1 in 30; from 10 on 2 in 31 (6.5 %); from 1 on 2 in
    40, which is 5 % and not under it. The smallest Δ under 5 % is 11."""
    differences = np.arange(1.0, 41)
    human = np.where(np.isin(differences, [10, 20]), 0, 1).astype(np.int8)
    found = smallest_trustworthy_delta(differences, np.ones(40, dtype=np.int8), human)
    assert (found.delta, found.pairs, found.mismatches) == (11, 30, 1)


def test_advice_does_not_split_equal_differences() -> None:
    """The 25 pairs 5 points apart hold 2 errors (8 %), wherever these stand among them."""
    verdicts = np.ones(25, dtype=np.int8)
    human = verdicts.copy()
    human[-2:] = 0
    found = smallest_trustworthy_delta(np.full(25, 5.0), verdicts, human)
    assert found.delta is None
    assert found.reason == "no difference brings the errors under 5 %"


def test_advice_needs_pairs() -> None:
    few = smallest_trustworthy_delta(np.ones(10), np.ones(10, dtype=np.int8), np.ones(10, dtype=np.int8))
    assert few.delta is None
    assert few.reason == "fewer than 20 pairs of systems"


@given(pairs)
def test_advice_keeps_its_promise(rows: list[tuple[float, int, int]]) -> None:
    differences, verdicts, human = columns(rows)
    found = smallest_trustworthy_delta(differences, verdicts, human)
    if found.delta is not None:
        beyond = np.abs(differences) >= found.delta
        assert beyond.sum() == found.pairs
        assert (verdicts != human)[beyond].sum() == found.mismatches < 0.05 * found.pairs
