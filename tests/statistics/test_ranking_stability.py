"""The ranking over time: by hand, against SciPy on cut data, and the end of it."""

import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.ranking_stability import RankingStability, measure_stability
from app.statistics.system_grades import SystemGrades, collect_grades

SYSTEMS = ("a", "b", "c")


def graded(rows: list[tuple[str, float]], systems: tuple[str, ...] = SYSTEMS) -> SystemGrades:
    """Rows in order: an item "problem/systems" and its grade, 0-4."""
    items = [item for item, _ in rows]
    return collect_grades(
        items,
        [grade for _, grade in rows],
        systems=systems,
        systems_of={item: list(item.split("/")[1]) for item in items},
        problem_of={item: item.split("/")[0] for item in items},
        scale=(0, 4),
    )


def test_by_hand() -> None:
    """a and b swap with the fifth grade, which makes a 4, 0 (mean 2) and b 3; c stays last."""
    rows = [("p/a", 4.0), ("p/b", 3.0), ("p/c", 1.0), ("q/c", 1.0), ("q/a", 0.0), ("q/b", 3.0)]
    found = measure_stability(graded(rows), np.array([False, True, True]))
    assert [each.grades for each in found.checkpoints] == [3, 4, 5, 6]
    assert [each.means for each in found.checkpoints] == [(100, 75, 25), (100, 75, 25), (50, 75, 25), (50, 75, 25)]
    assert [each.tau for each in found.checkpoints] == pytest.approx([1 / 3, 1 / 3, 1, 1])
    assert [(each.changed, each.changed_sure) for each in found.checkpoints] == [(1, 0), (1, 0), (0, 0), (0, 0)]
    assert (found.since, found.sure_since, found.sure_pairs) == (5, 3, 2)
    assert found.is_stable_over(1)
    assert not found.is_stable_over(2)


rows_in_time = st.lists(
    st.tuples(st.sampled_from(["p/a", "p/b", "q/a", "q/b", "q/c", "r/ac", "r/b"]), st.integers(0, 4)), min_size=1
)


@given(rows_in_time)
@settings(deadline=None)
def test_each_checkpoint_is_the_ranking_of_the_grades_until_then(rows: list[tuple[str, int]]) -> None:
    found = measure_stability(graded([(item, float(grade)) for item, grade in rows]))
    json.dumps(found.to_json(), allow_nan=False)
    if found.reason == "fewer than two systems have a grade":
        assert len(found.systems) < 2
        return
    last = found.checkpoints[-1]
    assert last.grades == len(rows)
    assert last.changed == 0
    assert last.tau == (None if len(set(last.means)) == 1 else pytest.approx(1))
    for each in found.checkpoints:
        for system, mean in zip(found.systems, each.means, strict=True):
            grades: dict[str, list[int]] = {}
            for item, grade in rows[: each.grades]:
                if system in item.split("/")[1]:
                    grades.setdefault(item, []).append(grade)
            assert mean == pytest.approx(25 * np.mean([np.mean(values) for values in grades.values()]))
        if each.tau is not None:
            assert each.tau == pytest.approx(scipy.stats.kendalltau(each.means, last.means).statistic)
    assert found.since is not None
    assert all(each.changed == 0 for each in found.checkpoints if each.grades >= found.since)
    before = [each for each in found.checkpoints if each.grades < found.since]
    assert not before or before[-1].changed > 0


def test_many_grades_have_few_checkpoints() -> None:
    rng = np.random.default_rng(1)
    rows = [(f"p{n % 50}/{'abc'[n % 3]}", float(rng.integers(0, 5))) for n in range(1000)]
    found = measure_stability(graded(rows, (*SYSTEMS, "nobody")), checkpoints=10)
    assert found.systems_left_out == ("nobody",)
    numbers = [each.grades for each in found.checkpoints]
    assert (len(numbers), numbers[0], numbers[-1]) == (10, 3, 1000)


def stable_since(noise: float) -> RankingStability:
    """Three systems 20 points apart, graded in turn."""
    rng = np.random.default_rng(2)
    rows = [
        (f"p{n}/{'abc'[s]}", float(np.clip(1 + 0.8 * s + rng.normal(0, noise), 0, 4)))
        for n in range(100)
        for s in range(3)
    ]
    return measure_stability(graded(rows), np.ones(3, dtype=np.bool_), checkpoints=1000)


def test_clear_differences_settle_at_once_and_noisy_ones_later() -> None:
    clear, noisy = stable_since(0.1), stable_since(2.0)
    assert clear.since == clear.checkpoints[0].grades == 3
    assert noisy.since is not None and noisy.since > 3  # noqa: PT018
    assert noisy.sure_since == noisy.since
