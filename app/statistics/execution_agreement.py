"""Do tests and people agree? Pass or fail against the human grade of the same output.

Every coefficient is a function of how many outputs passed and failed with each grade. Summed over a draw of the
problems these counts are a row of draw counts times the problems' own, so that outputs of one problem, which succeed
or fail together, are drawn together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.agreement import AgreementCoefficient, coefficient_of, ratio, undefined
from app.statistics.errors import StatisticsError
from app.statistics.estimates import DECIMALS, Estimate, estimate
from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.graded_outcomes import SCALE, Booleans, GradedOutcomes, join, nearest_level
from app.statistics.resampling import BLOCK_BYTES, draw_count_blocks

Floats = NDArray[np.float64]

LOW, HIGH = 1.0, 3.0
# Why a number is undefined.
NOTHING_JOINED = "no output has both a verdict and a grade"
NONE_FAILS = "all graded outputs pass"
NONE_PASSES = "all graded outputs fail"
ONE_GRADE = "all executed outputs have the same grade"


@dataclass(frozen=True, slots=True)
class GradeRow:
    """Of the outputs whose grade lies nearest to ``level``: how many pass, how many fail."""

    level: float
    passing: int
    failing: int


@dataclass(frozen=True, slots=True)
class ExecutionAgreement:
    """Pass or fail against the human grade, over the outputs that have both.

    table: a row per label of the scale. passes_but_low, fails_but_high: places, in what was given, of outputs that
    pass although people gave at most ``low``, and that fail although people gave at least ``high``. superiority: the
    chance that a passing output has a higher grade than a failing one, ties half (the area under the ROC curve), 0.5
    being chance. point_biserial: Pearson's correlation of passing (0, 1) with the grade. kappa: Cohen's, of passing
    with a grade of at least ``high``; same: the share of outputs on which these two agree. Each with the 95 %
    percentile interval over problems.
    """

    table: tuple[GradeRow, ...]
    passes_but_low: tuple[int, ...]
    fails_but_high: tuple[int, ...]
    superiority: Estimate
    point_biserial: Estimate
    kappa: AgreementCoefficient
    same: Estimate
    mean_passing: Estimate
    mean_failing: Estimate
    low: float
    high: float
    problems: int
    outputs: int
    without_verdict: int
    without_grade: int
    draws: int
    seed: int


def execution_agreement(
    problems: Sequence[str],
    passed: Sequence[bool | None],
    grades: Sequence[float | None],
    *,
    scale: Sequence[float] = SCALE,
    low: float = LOW,
    high: float = HIGH,
    draws: int = 10_000,
    seed: int = 0,
) -> ExecutionAgreement:
    """Compare execution with people, from one entry per output in each sequence.

    problems: the problem an output answers. passed: None where it has no verdict for or against it. grades: its
    consensus or mean on the scale; None where nobody graded it. An output that has only one of the two is left out,
    counted (one that has neither in both numbers). Where a coefficient is undefined its reason is named; draws of
    problems in which it is are left out of its interval. Raises StatisticsError for a grade off the scale, or limits
    that overlap. Sources: Hanley & McNeil 1982 (the area as a probability); Tate 1954 (point-biserial); Cohen 1960;
    Field & Welsh 2007 (resampling clusters).
    """
    if not low < high:
        raise StatisticsError(f"A low grade is one up to {low:g} and a high one from {high:g} on: they overlap.")
    joined = join(problems, passed, grades, scale)
    measured = _measure(joined, nearest_level(joined.values, scale) >= high, draws=draws, seed=seed)
    return ExecutionAgreement(
        table=_table(joined, scale),
        passes_but_low=_places(joined, joined.passed & (joined.level <= low)),
        fails_but_high=_places(joined, ~joined.passed & (joined.level >= high)),
        superiority=_estimate(joined, *measured["superiority"]),
        point_biserial=_estimate(joined, *measured["point_biserial"]),
        kappa=_kappa(joined, *measured["kappa"]),
        same=_estimate(joined, *measured["same"]),
        mean_passing=_estimate(joined, *measured["mean_passing"]),
        mean_failing=_estimate(joined, *measured["mean_failing"]),
        low=low,
        high=high,
        problems=joined.problems,
        outputs=len(joined.index),
        without_verdict=sum(each is None for each in passed),
        without_grade=sum(each is None for each in grades),
        draws=draws,
        seed=seed,
    )


def _table(joined: GradedOutcomes, scale: Sequence[float]) -> tuple[GradeRow, ...]:
    return tuple(
        GradeRow(
            float(level),
            int(np.count_nonzero(joined.passed & (joined.level == level))),
            int(np.count_nonzero(~joined.passed & (joined.level == level))),
        )
        for level in sorted(scale)
    )


def _places(joined: GradedOutcomes, chosen: Booleans) -> tuple[int, ...]:
    return tuple(int(place) for place in joined.index[chosen])


def _measure(joined: GradedOutcomes, is_high: Booleans, *, draws: int, seed: int) -> dict[str, tuple[float, Floats]]:
    """Each measure on all outputs and in each draw of problems; nothing where nothing is joined."""
    if joined.problems == 0:
        return dict.fromkeys(MEASURES, (np.nan, np.empty(0)))
    largest_draw = int(joined.problems * joined.counts.sum(axis=1).max())
    values = to_fixed_point(joined.values, fraction_bits(joined.values, largest_draw))

    def measures(weights: Floats) -> Floats:
        totals = (weights @ joined.counts).reshape(len(weights), 2, -1)
        return np.stack([measure(totals, values, is_high) for measure in MEASURES.values()])

    point = measures(np.ones((1, joined.problems)))[:, 0]
    resampled = np.empty((len(MEASURES), draws))
    width = max(joined.problems, joined.counts.shape[1])
    block_bytes = BLOCK_BYTES * joined.problems // width  # so that the totals of a block fit one, too
    for rows, weights in draw_count_blocks(joined.problems, draws, seed=seed, block_bytes=block_bytes):
        resampled[:, rows] = measures(weights)
    return {name: (float(point[row]), resampled[row]) for row, name in enumerate(MEASURES)}


def superiority(totals: Floats, values: Floats, is_high: Booleans) -> Floats:
    """P(a passing output's grade > a failing one's) + P(equal) / 2; (rows, 2, values) to (rows,), or NaN."""
    failing, passing = totals[:, 0], totals[:, 1]
    lower = failing.cumsum(axis=1) - failing
    wins = (passing * (lower + failing / 2)).sum(axis=1)
    return ratio(wins, passing.sum(axis=1) * failing.sum(axis=1))


def point_biserial(totals: Floats, values: Floats, is_high: Booleans) -> Floats:
    """Pearson's r of passing (0, 1) and the grade; NaN where either is constant."""
    outputs, passes = totals.sum(axis=(1, 2)), totals[:, 1].sum(axis=1)
    both = totals.sum(axis=1)
    mean = (both @ values) / outputs
    spread = (both * (values - mean[:, np.newaxis]) ** 2).sum(axis=1) / outputs
    share = passes / outputs
    between = (totals[:, 1] * (values - mean[:, np.newaxis])).sum(axis=1) / outputs
    return ratio(between, np.sqrt(spread * share * (1 - share)))


def kappa(totals: Floats, values: Floats, is_high: Booleans) -> Floats:
    """Cohen's kappa of passing and of a high grade; NaN where chance alone gives full agreement."""
    outputs = totals.sum(axis=(1, 2))
    passes, highs = totals[:, 1].sum(axis=1) / outputs, totals[:, :, is_high].sum(axis=(1, 2)) / outputs
    expected = passes * highs + (1 - passes) * (1 - highs)
    return ratio(same_share(totals, values, is_high) - expected, 1 - expected)


def same_share(totals: Floats, values: Floats, is_high: Booleans) -> Floats:
    """The share of outputs that pass with a high grade or fail with another one; (rows,), 0-1."""
    agreeing = totals[:, 1, is_high].sum(axis=1) + totals[:, 0, ~is_high].sum(axis=1)
    return np.asarray(agreeing / totals.sum(axis=(1, 2)))


def mean_passing(totals: Floats, values: Floats, is_high: Booleans) -> Floats:
    """The mean grade of the outputs that pass; NaN where none does."""
    return ratio(totals[:, 1] @ values, totals[:, 1].sum(axis=1))


def mean_failing(totals: Floats, values: Floats, is_high: Booleans) -> Floats:
    """The mean grade of the outputs that fail; NaN where none does."""
    return ratio(totals[:, 0] @ values, totals[:, 0].sum(axis=1))


MEASURES = {
    "superiority": superiority,
    "point_biserial": point_biserial,
    "kappa": kappa,
    "same": same_share,
    "mean_passing": mean_passing,
    "mean_failing": mean_failing,
}


def _estimate(joined: GradedOutcomes, value: float, resampled: Floats) -> Estimate:
    """The measure with the interval of the draws in which it is defined; none from a single problem."""
    if np.isnan(value):
        return Estimate(None, reason=_why_undefined(joined))
    defined = resampled[np.isfinite(resampled)]
    if len(defined) == 0:
        return Estimate(round(value, DECIMALS))
    return estimate(value, defined, joined.problems)


def _kappa(joined: GradedOutcomes, value: float, resampled: Floats) -> AgreementCoefficient:
    if joined.problems == 0:
        return undefined(NOTHING_JOINED)
    return coefficient_of(value, resampled, joined.problems)


def _why_undefined(joined: GradedOutcomes) -> str:
    """Of what is undefined on all outputs: without both outcomes nothing can be compared, nor on one grade."""
    if joined.problems == 0:
        return NOTHING_JOINED
    if not joined.passed.any():
        return NONE_PASSES
    return NONE_FAILS if joined.passed.all() else ONE_GRADE
