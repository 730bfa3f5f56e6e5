"""All pairs at once give what each pair gives alone."""

import numpy as np
import pytest
from numpy.typing import NDArray

from app.statistics.corpus_scores import MetricInput, mean_of_segments, score_draws, score_full_set
from app.statistics.original_comparisons import OriginalComparisons, compare_original_systems
from app.statistics.significance import p_greater, pair_indices
from app.statistics.two_systems import compare_two_systems

SYSTEMS, PROBLEMS, DRAWS, SEED = 4, 60, 300, 11


def ratio_of_sums(totals: NDArray[np.float64], _count: int) -> NDArray[np.float64]:
    """A corpus score that is no mean of segments: as BLEU's is not."""
    return np.asarray(totals[..., 0] / totals[..., 1])


@pytest.fixture
def metrics() -> list[MetricInput]:
    random = np.random.default_rng(3)
    grades = random.integers(0, 5, size=(SYSTEMS, PROBLEMS)) / 4
    grades[3] = grades[2]  # two systems that nothing tells apart
    matches = random.integers(0, 9, size=(SYSTEMS, PROBLEMS)).astype(float)
    counts = np.stack([matches, np.full_like(matches, 9.0)], axis=-1)
    return [mean_of_segments("human", grades), MetricInput("ratio", counts, ratio_of_sums)]


def compare(metrics: list[MetricInput]) -> OriginalComparisons:
    sources = np.repeat(np.arange(SYSTEMS)[:, np.newaxis], PROBLEMS, axis=1)
    full = np.array([score_full_set(metric, sources) for metric in metrics])
    return compare_original_systems(
        metrics, full, score_draws(metrics, sources, draws=DRAWS, seed=SEED), draws=DRAWS, seed=SEED
    )


def test_each_pair_is_as_compared_alone(metrics: list[MetricInput]) -> None:
    together = compare(metrics)
    for row, metric in enumerate(metrics):
        for column, (a, b) in enumerate(zip(*pair_indices(SYSTEMS), strict=True)):
            alone = compare_two_systems(metric, int(a), int(b), draws=DRAWS, seed=SEED)
            assert together.low[row, column] == pytest.approx(alone.low, abs=1e-9)
            assert together.high[row, column] == pytest.approx(alone.high, abs=1e-9)
            assert together.p_bootstrap[row, column] == alone.p_bootstrap
            assert together.p_randomisation[row, column] == alone.p_randomisation


def test_equal_systems_have_a_p_of_one(metrics: list[MetricInput]) -> None:
    together = compare(metrics)
    assert together.p_bootstrap[0, -1] == together.p_randomisation[0, -1] == 1
    assert together.low[0, -1] == together.high[0, -1] == 0


def test_blocks_do_not_change_the_result(metrics: list[MetricInput], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = compare(metrics)
    monkeypatch.setattr("app.statistics.original_comparisons.rows_per_block", lambda _length: 7)
    np.testing.assert_array_equal(compare(metrics).p_randomisation, whole.p_randomisation)


def test_wins_losses_and_ties_are_all_draws(metrics: list[MetricInput]) -> None:
    sources = np.repeat(np.arange(SYSTEMS)[:, np.newaxis], PROBLEMS, axis=1)
    together = compare(metrics)
    for row, scores in enumerate(score_draws(metrics, sources, draws=DRAWS, seed=SEED)):
        wins, losses = p_greater(scores), p_greater(-scores)
        np.testing.assert_allclose(wins + losses + together.p_equal[row], 1)
