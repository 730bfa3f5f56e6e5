"""Is it enough: projections against a known truth, against brute-force resampling, and by their symmetries."""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.precision import Precision, Z, measure_precision
from app.statistics.system_grades import SystemGrades, collect_grades

Floats = NDArray[np.float64]
# Small enough that no grade leaves the scale of 0-100.
SPREAD_OF_PROBLEMS, SPREAD_OF_ITEMS, SPREAD_OF_GRADES = 2.5, 2.0, 3.75


def graded(values: Floats, systems: int) -> SystemGrades:
    """values: shape (systems, problems, grades), 0-100; NaN for no grade."""
    cells = [tuple(cell) for cell in np.argwhere(np.isfinite(values))]
    items = [f"p{p:04d}/s{s}" for s, p, _ in cells]
    return collect_grades(
        items,
        [float(values[cell]) for cell in cells],
        systems=[f"s{s}" for s in range(systems)],
        systems_of={f"p{p:04d}/s{s}": [f"s{s}"] for s, p, _ in cells},
        problem_of={f"p{p:04d}/s{s}": f"p{p:04d}" for s, p, _ in cells},
        scale=(0, 100),
    )


def collected(rng: np.random.Generator, means: Floats, problems: int, grades: int) -> Floats:
    """A study really collected: hard and easy problems, better and worse outputs, grades that differ."""
    shape = (len(means), problems)
    quality = means[:, np.newaxis] + rng.normal(0, SPREAD_OF_PROBLEMS, problems)
    quality = quality + rng.normal(0, SPREAD_OF_ITEMS, shape)
    return np.asarray(quality[..., np.newaxis] + rng.normal(0, SPREAD_OF_GRADES, (*shape, grades)))


def true_half_widths(problems: int, grades: int) -> tuple[float, float]:
    """Of a mean and of a difference, where the problems' own difficulty cancels."""
    item = SPREAD_OF_ITEMS**2 + SPREAD_OF_GRADES**2 / grades
    return Z * np.sqrt((SPREAD_OF_PROBLEMS**2 + item) / problems), Z * np.sqrt(2 * item / problems)


def at(found: Precision, name: str, grades: int | None, problems: int | None) -> float:
    system = next(each for each in found.by_system if each.name == name)
    if grades is not None:
        return system.by_grades[found.grade_numbers.index(grades)]
    return system.by_problems[found.problem_numbers.index(problems or 0)]


def test_projected_half_widths_are_those_of_data_really_collected() -> None:
    """100 studies of 60 problems and 3 grades: the mean projections to 1 and 9 grades, and to 240 problems, are
    within 4 % of the truth (their own spread over the studies is about 10 %, of their mean 1 %; n in place of n-1
    takes 0.8 %). A two-level bootstrap that counts noise twice is a third too wide for the difference at 9 grades."""
    rng, found = np.random.default_rng(7), []
    for study in range(100):
        precision = measure_precision(graded(collected(rng, np.array([50.0, 55]), 60, 3), 2), draws=400, seed=study)
        pair = precision.pair("s0", "s1")
        grades, problems = precision.grade_numbers.index, precision.problem_numbers.index
        assert pair.half_width is not None
        found.append(
            [
                precision.by_system[0].half_width,
                *(at(precision, "s0", m, None) for m in (1, 9)),
                at(precision, "s0", None, 240),
                pair.half_width,
                *(pair.by_grades[grades(m)] for m in (1, 9)),
                pair.by_problems[problems(240)],
            ]
        )
    settings_ = [(60, 3), (60, 1), (60, 9), (240, 3)]
    expected = [true_half_widths(*each)[which] for which in (0, 1) for each in settings_]
    assert np.mean(np.array(found, dtype=float), axis=0) == pytest.approx(expected, rel=0.04)


def test_the_projected_interval_covers_the_truth_once_the_data_are_there() -> None:
    """400 pilots of 40 problems and 2 grades; then 160 problems with 4 grades are really collected. The interval
    of the new difference, with the half-width that the pilot projected for 160 problems at its 2 grades, is compared
    with data of 160 problems and 2 grades. Coverage 95 % less what a standard error from 40 problems costs (a t with
    39 degrees of freedom: 94.3 %), standard error 1.2 %."""
    rng, hits = np.random.default_rng(11), 0
    means = np.array([50.0, 50.75])
    for study in range(400):
        pilot = measure_precision(graded(collected(rng, means, 40, 2), 2), draws=300, seed=study)
        half = pilot.pair("s0", "s1").by_problems[pilot.problem_numbers.index(160)]
        full = collected(rng, means, 160, 2).mean(axis=(1, 2))
        hits += abs(full[0] - full[1] + 0.75) <= half
    assert 0.90 <= hits / 400 <= 0.975


def test_needed_problems_separate_as_often_as_they_say() -> None:
    """A pilot like the population itself, whose need at 0.5 and 0.8 is then collected 400 times."""
    rng = np.random.default_rng(3)
    means = np.array([50.0, 50.75])
    values = collected(rng, means, 4000, 2)
    # Bring the observed difference to the true one; the spread of 4,000 problems is the population's within 2 %.
    values[1] += 0.75 - (values[1].mean() - values[0].mean())
    pilot = graded(values[:, :120] - values[:, :120].mean(axis=(1, 2), keepdims=True) + means[:, None, None], 2)
    pair = measure_precision(pilot, draws=4000).pair("s0", "s1")
    assert not pair.separated
    for need, power in zip(pair.needs, (0.5, 0.8), strict=True):
        assert need.problems is not None
        separated = 0
        for _ in range(400):
            again = collected(rng, means, need.problems, 2).mean(axis=2)
            strays = again[1] - again[0]
            separated += abs(strays.mean()) > Z * strays.std() / np.sqrt(need.problems)
        assert need.chance == power
        assert separated / 400 == pytest.approx(power, abs=0.1)
        assert need.more_items == 2 * (need.problems - 120)
    # The smallest number: with the pilot's own spread the interval excludes 0 there and not one problem before.
    assert pair.half_width is not None and pair.difference is not None  # noqa: PT018
    needed = pair.needs[0].problems
    assert needed is not None
    assert pair.half_width * np.sqrt(120 / needed) < 0.75 <= pair.half_width * np.sqrt(120 / (needed - 1)) + 1e-9


def test_grades_level_is_what_drawing_within_items_gives() -> None:
    """Brute force: 20,000 times m grades drawn with replacement from each item's own k, k/(k-1) for Bessel."""
    rng = np.random.default_rng(5)
    values = rng.uniform(0, 100, (1, 12, 4))
    found = measure_precision(graded(values, 1), draws=10)
    assert found.single is not None and found.now is not None  # noqa: PT018
    for m in (1, 3):
        picks = rng.integers(0, 4, (20_000, 12, m))
        means = np.take_along_axis(np.broadcast_to(values[0], (20_000, 12, 4)), picks, axis=2).mean(axis=(1, 2))
        assert found.single[0, 0] / m == pytest.approx(means.var() * 4 / 3, rel=0.04)
    assert found.now[0, 0] == pytest.approx(found.single[0, 0] / 4)


def test_the_problems_level_is_the_paired_bootstrap() -> None:
    """Against 20,000 draws of whole problems, with gaps, the means recomputed in each (no linearisation)."""
    rng = np.random.default_rng(6)
    values = collected(rng, np.array([50.0, 60]), 80, 2)
    values[0, :20] = np.nan
    found = measure_precision(graded(values, 2), draws=20_000)
    item = values.mean(axis=2)
    picks = rng.integers(0, 80, (20_000, 80))
    means = np.nanmean(item[:, picks], axis=2)
    pair = found.pair("s0", "s1")
    assert [s.half_width for s in found.by_system] == pytest.approx((Z * means.std(axis=1)).tolist(), rel=0.03)
    assert pair.half_width == pytest.approx(Z * (means[0] - means[1]).std(), rel=0.03)
    assert [s.problems for s in found.by_system] == [60, 80]


def test_shared_items_cancel() -> None:
    """Half of the outputs are the same items: only the other half makes the difference uncertain."""
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 5, (60, 3)).astype(float)
    owners = [["s0", "s1"] if n < 20 else ["s0"] if n < 40 else ["s1"] for n in range(60)]
    items = [f"i{n:02d}" for n in range(60)]
    grades = collect_grades(
        [item for item in items for _ in range(3)],
        labels.ravel().tolist(),
        systems=["s0", "s1"],
        systems_of=dict(zip(items, owners, strict=True)),
        problem_of={item: f"p{n if n < 40 else n - 20:02d}" for n, item in enumerate(items)},
        scale=(0, 4),
    )
    found = measure_precision(grades, draws=4000)
    mean = 25 * labels.mean(axis=1)
    difference = np.concatenate([np.zeros(20), mean[20:40] - mean[40:]])
    pair = found.pair("s0", "s1")
    assert pair.difference == pytest.approx(difference.mean())
    assert pair.half_width == pytest.approx(Z * difference.std() / np.sqrt(40), rel=0.04)
    assert found.now is not None
    noise = (625 * labels.var(axis=1, ddof=1) / 3)[20:].sum() / 40**2
    assert found.now[0, 0] + found.now[1, 1] - 2 * found.now[0, 1] == pytest.approx(noise)


@given(st.integers(0, 2**32 - 1), st.randoms())
@settings(deadline=None, max_examples=25)
def test_order_changes_nothing_and_twice_the_problems_halve_the_variance(seed: int, random: Random) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (3, 15, 3)).astype(float)
    cells = list(np.ndindex(values.shape))

    def measure(order: list[tuple[int, ...]], copies: int = 1) -> Precision:
        items = [f"{copy}/p{p:02d}/s{s}" for copy in range(copies) for s, p, _ in order]
        return measure_precision(
            collect_grades(
                items,
                [values[cell] for _ in range(copies) for cell in order],
                systems=["s0", "s1", "s2"],
                systems_of={item: [item[-2:]] for item in items},
                problem_of={item: item[:-3] for item in items},
                scale=(0, 4),
            ),
            draws=3000,
        )

    found = measure(cells)
    random.shuffle(cells)
    again = measure(cells)
    assert again.to_json() == found.to_json()
    assert (again.both == found.both).all()
    twice = measure(cells, copies=2)
    assert np.diag(twice.both) == pytest.approx(np.diag(found.both) / 2, rel=0.15, abs=1e-9)
    assert twice.now is not None and found.now is not None  # noqa: PT018
    assert np.diag(twice.now) == pytest.approx(np.diag(found.now) / 2)
    there, back = found.pair("s0", "s1"), found.pair("s1", "s0")
    assert there.difference == -(back.difference or 0.0)
    assert (there.half_width, there.by_grades, there.needs) == (back.half_width, back.by_grades, back.needs)


def test_all_pairs_are_the_pairs_one_by_one() -> None:
    values = collected(np.random.default_rng(4), np.array([40.0, 41, 43, 60]), 50, 2)
    values[3, 5:] = np.nan
    found = measure_precision(graded(values, 4))
    columns = found.pairs
    for n, (a, b) in enumerate(zip(columns["first"], columns["second"], strict=True)):
        pair = found.pair(f"s{a}", f"s{b}")
        assert columns["difference"][n] == pair.difference
        assert columns["half_width"][n] == pytest.approx(pair.half_width)
        assert columns["separated"][n] == pair.separated
        if pair.needs:
            assert columns["problems_needed"][n] == pair.needs[0].problems
            assert columns["grades_needed"][n] == pair.needs[0].grades
    assert "s3: fewer than 10 problems" in str(found.pair("s0", "s3").reason)
    json.dumps(found.to_json(), allow_nan=False)
    json.dumps(found.pair("s0", "s1").to_json(), allow_nan=False)


def test_beyond_reach_and_unknown_have_reasons() -> None:
    rng = np.random.default_rng(9)
    quality = rng.uniform(20, 80, (2, 40, 1))
    quality[1] += quality[0].mean() - quality[1].mean() + 0.01
    one = measure_precision(graded(quality, 2)).pair("s0", "s1")
    assert one.by_grades == ()
    assert (one.needs[0].problems, one.needs[0].problems_reason) == (None, "not within 4,000 problems")
    assert "no item has two grades" in str(one.needs[0].grades_reason)
    sure = measure_precision(graded(np.repeat(quality, 2, axis=2), 2)).pair("s0", "s1")
    assert sure.needs[0].grades_reason == "no number of grades would do on so few problems"
    same = measure_precision(graded(np.repeat(quality[:1], 2, axis=0), 2)).pair("s0", "s1")
    assert (same.difference, same.needs[0].problems_reason) == (0, "both have the same mean")
    # The same items apart from noise: 1 point of difference, grades that spread by 20.
    noisy = np.full((2, 40, 1), 50.0) + np.array([-20, 20.0])
    noisy[1] += 1
    needs = measure_precision(graded(noisy, 2)).pair("s0", "s1")
    assert needs.separated  # each item's mean is the same: the problems leave no doubt


def test_grades_needed_by_hand() -> None:
    """The smallest m with Z² (between + G/m) < d², both from the textbook's variances."""
    rng = np.random.default_rng(12)
    values = 50 + rng.normal(0, 10, (2, 40, 2))
    values[1] += values[0].mean() - values[1].mean() + 2
    found = measure_precision(graded(values, 2), draws=20_000)
    pair = found.pair("s0", "s1")
    variance = values.var(axis=2, ddof=1)
    between = max((values.mean(axis=2)[1] - values.mean(axis=2)[0]).var() / 40 - variance.sum() / 40**2 / 2, 0)
    single = variance.sum() / 40**2
    expected = Z**2 * single / (4 - Z**2 * between)
    assert between > 0
    assert pair.needs[0].grades == pytest.approx(np.floor(expected) + 1, abs=1)
    assert pair.needs[0].more_grades == 80 * ((pair.needs[0].grades or 0) - 2)


def test_no_grades_and_wrong_grades() -> None:
    empty = measure_precision(
        collect_grades(["ref"], [3], systems=["a", "b"], systems_of={}, problem_of={}, scale=(0, 4))
    )
    assert [system.reason for system in empty.by_system] == ["fewer than 10 problems have a grade for it"] * 2
    json.dumps(empty.to_json(), allow_nan=False)
    with pytest.raises(StatisticsError, match="from 0 to 4"):
        collect_grades(["i"], [5], systems=["a"], systems_of={"i": ["a"]}, problem_of={"i": "p"}, scale=(0, 4))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.floats(0, 6), st.floats(0, 30))
def test_as_many_grades_as_there_are_give_the_interval_that_there_is(
    seed: int, most: int, between: float, within: float
) -> None:
    """Also where grades of an item differ more than means of items do; more grades never widen an interval."""
    rng = np.random.default_rng(seed)
    values = np.clip(50 + rng.normal(0, between, (2, 30, 1)) + rng.normal(0, within, (2, 30, most)), 0, 100)
    found = measure_precision(graded(values, 2), draws=50, seed=seed)
    for each in (*found.by_system, found.pair("s0", "s1")):
        assert each.half_width is not None
        assert each.by_grades[most - 1] == pytest.approx(each.half_width, abs=1e-6)
        assert list(each.by_grades) == sorted(each.by_grades, reverse=True)


def test_strict_annotators_do_not_make_more_grades_look_worse() -> None:
    """Everybody grades everything, some always lower: that is within items, but moves no item's mean."""
    rng = np.random.default_rng(8)
    strictness = np.array([-20.0, -10, 0, 10, 20])
    values = 50 + rng.normal(0, 4, (2, 40, 1)) + strictness + rng.normal(0, 2, (2, 40, 5))
    values[:, ::3, 4] = np.nan  # not all as often
    found = measure_precision(graded(values, 2), draws=400)
    assert found.now is not None and found.now[0, 0] > found.both[0, 0]  # noqa: PT018 - or nothing is shown
    for each in (*found.by_system, found.pair("s0", "s1")):
        assert each.half_width is not None
        assert all(half <= each.half_width for half in each.by_grades[4:])
