"""The whole analysis after scoring: which metrics tell systems apart as people do."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.statistics.advice import smallest_trustworthy_delta
from app.statistics.corpus_scores import DECIMALS, MetricInput, score_draws, score_full_set
from app.statistics.correlation import system_correlations
from app.statistics.delta_bins import DEFAULT_BINS, agreement_by_delta, check_bins, significance_by_delta
from app.statistics.errors import StatisticsError
from app.statistics.intervals import percentile_interval
from app.statistics.meta_evaluation_result import MetaEvaluation, PairTable, ScoreTable
from app.statistics.original_comparisons import compare_original_systems
from app.statistics.significance import Ties, directions, p_greater, pair_indices
from app.statistics.study_inputs import StudyInputs, select_inputs
from app.statistics.synthetic_systems import (
    PERCENTS,
    SystemSet,
    original_systems,
    with_synthetic_systems,
)

Floats = NDArray[np.float64]

MOST_SYSTEMS = 2000  # two million pairs; beyond that the pairs alone would fill the memory of a worker


def meta_evaluate(
    systems: Sequence[str],
    human: MetricInput,
    metrics: Sequence[MetricInput],
    *,
    output_ids: NDArray[np.integer] | None = None,
    draws: int = 1000,
    seed: int = 0,
    bins: Sequence[tuple[float, float]] = DEFAULT_BINS,
    percents: Sequence[float] = PERCENTS,
    ties: Ties = "strict",
    synthetic: bool = True,
    include: Sequence[str] | None = None,
) -> MetaEvaluation:
    """Compare every metric with people over all pairs of systems (the paper, section 5).

    systems: names of the original systems. human: consensus grades scaled to 0-1, statistics of shape
    (systems, n, 1). metrics: statistics of shape (systems, n, k), problems in the same order. output_ids:
    shape (systems, n), equal numbers for equal output texts, negative where there is no output; needed for
    synthetic systems. include: the original systems that count, in any order (all of them by default). bins
    in points.

    A problem for which any included system lacks a consensus, an output or a metric's value is left out for
    all systems, metrics and people alike, so that the same draws serve them all; the result counts such
    problems. The same inputs and seed give the same result, bit for bit. Raises StatisticsError, with the
    remedy, when there are fewer than two systems, no complete problem, or inputs that do not fit each other.
    """
    bins = check_bins(bins)
    inputs = select_inputs(systems, human, metrics, output_ids, include)
    everyone = _system_set(inputs, percents, synthetic=synthetic)
    scores, resampled = _score(inputs, everyone, draws=draws, seed=seed)
    pairs = _pair_table(inputs, scores, resampled, ties)
    count = everyone.originals
    names = [metric.name for metric in inputs.metrics]
    rows = {name: row for row, name in enumerate(names, start=1)}
    signs = np.array([1.0 if m.higher_is_better else -1.0 for m in inputs.scored])
    return MetaEvaluation(
        human=human.name,
        systems=everyone,
        scores=scores,
        pairs=pairs,
        originals=compare_original_systems(
            inputs.scored,
            scores.full[:, :count],
            [drawn[:count] for drawn in resampled],
            draws=draws,
            seed=seed,
        ),
        bins=bins,
        significance={
            metric.name: significance_by_delta(pairs.differences[row], pairs.verdicts[row], bins)
            for row, metric in enumerate(inputs.scored)
        },
        agreement={
            name: agreement_by_delta(pairs.differences[row], pairs.verdicts[row], pairs.verdicts[0], bins)
            for name, row in rows.items()
        },
        advice={
            name: smallest_trustworthy_delta(pairs.differences[row], pairs.verdicts[row], pairs.verdicts[0])
            for name, row in rows.items()
        },
        correlation={
            name: system_correlations(
                signs[row] * scores.full[row, :count],
                signs[0] * scores.full[0, :count],
                signs[row] * resampled[row][:count],
                signs[0] * resampled[0][:count],
            )
            for name, row in rows.items()
        },
        correlation_all_systems={
            name: system_correlations(signs[row] * scores.full[row], signs[0] * scores.full[0])
            for name, row in rows.items()
        },
        problems=inputs.problems,
        problems_left_out=inputs.left_out,
        missing=inputs.missing,
        draws=draws,
        seed=seed,
        ties=ties,
    )


def _system_set(inputs: StudyInputs, percents: Sequence[float], *, synthetic: bool) -> SystemSet:
    if not synthetic:
        everyone = original_systems(inputs.systems, inputs.problems)
    elif inputs.output_ids is None:
        raise StatisticsError("Synthetic systems need output_ids, to drop those that equal another system.")
    else:
        grades = inputs.human.statistics[:, :, 0]
        if not inputs.human.higher_is_better:
            grades = -grades
        everyone = with_synthetic_systems(inputs.systems, grades, inputs.output_ids, percents)
    if len(everyone.names) > MOST_SYSTEMS:
        raise StatisticsError(
            f"{len(everyone.names)} systems are more than the {MOST_SYSTEMS} that can be compared in pairs; "
            "include fewer, or leave the synthetic ones out."
        )
    return everyone


def _score(inputs: StudyInputs, everyone: SystemSet, *, draws: int, seed: int) -> tuple[ScoreTable, list[Floats]]:
    resampled = score_draws(list(inputs.scored), everyone.sources, draws=draws, seed=seed)
    intervals = [percentile_interval(scores) for scores in resampled]
    table = ScoreTable(
        metrics=tuple(metric.name for metric in inputs.scored),
        full=np.array([score_full_set(metric, everyone.sources) for metric in inputs.scored]),
        low=np.round([low for low, _ in intervals], DECIMALS),
        high=np.round([high for _, high in intervals], DECIMALS),
    )
    return table, resampled


def _pair_table(inputs: StudyInputs, scores: ScoreTable, resampled: list[Floats], ties: Ties) -> PairTable:
    first, second = pair_indices(scores.full.shape[1])
    oriented = [
        draws if metric.higher_is_better else -draws for metric, draws in zip(inputs.scored, resampled, strict=True)
    ]
    p = np.array([p_greater(draws, ties) for draws in oriented])
    reverse = np.array([p_greater(-draws, ties) for draws in oriented])
    differences = np.round(scores.full[:, first] - scores.full[:, second], DECIMALS)
    return PairTable(scores.metrics, first, second, p, differences, directions(p, reverse))
