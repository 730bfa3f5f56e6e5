"""Robust Pass, Robust Drop and Robust Relative: what perturbed prompts do to a model's pass@k.

Follows Wang et al., "ReCode: Robustness Evaluation of Code Generation Models", ACL 2023, section 4: the worst case of
each sample over the perturbed prompts decides. A category is one group of all its (transformation, seed) pairs.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.estimates import Estimate, estimate
from app.statistics.pass_at_k import NO_PROBLEM, estimates_of, too_few_samples
from app.statistics.robustness_means import known_means
from app.statistics.robustness_runs import PerturbedRuns

Floats = NDArray[np.float64]

DRAWS = 10_000
TOO_FEW_JUDGED = "no problem has {k} judged samples"
NO_JUDGED = "no problem has a judged sample"
NOTHING_TO_LOSE = "no nominal sample passes, so that there is nothing to lose"


@dataclass(frozen=True, slots=True)
class RobustnessAtK:
    """The four numbers at one k, each with its 95 % interval over problems.

    nominal: pass@k of the unchanged prompts, 0-1. robust_pass: RP_s@k, 0-1, pass@k where only samples count that
    pass on every perturbed prompt. robust_drop: RD_s@k, at most 1, the share of the nominal pass@k that is lost;
    negative where perturbed prompts do better; undefined, with the reason named, where the nominal pass@k is 0.
    robust_relative: RR_s@k, how much changes in either direction: a share of samples for k = 1 (0-1), for greater k
    a sum of two shares (0-2). models: how many of the models have a value and are in the mean. problems_left_out:
    those of which such a model has fewer than k samples that count; the model's numbers are over its other problems.
    """

    k: int
    nominal: Estimate
    robust_pass: Estimate
    robust_drop: Estimate
    robust_relative: Estimate
    models: int = 1
    problems_left_out: int = 0


@dataclass(frozen=True, slots=True)
class GroupRobustness:
    """Robustness under a transformation, or under all of a category at once.

    variants: the (transformation, seed) pairs that are one group; seeds: the most of a transformation. unchanged: for
    how many of the ``pairs`` of a problem and a variant there was nothing to change, so that the perturbed samples
    are the nominal ones. ceiling: RP_s@1 of the canonical solutions under the same variants, where that is known: no
    model that writes them can reach more.
    """

    name: str
    variants: int
    seeds: int
    unchanged: int
    pairs: int
    at: tuple[RobustnessAtK, ...]
    ceiling: Estimate | None = None


@dataclass(frozen=True, slots=True)
class CategoryRobustness:
    """One category of a model, or the mean over ``models`` of several: the whole, and each transformation by itself.

    samples: the most that count of a problem; samples_left_out: those of all problems that lack a verdict.
    """

    category: str
    models: int
    problems: int
    samples: int
    samples_left_out: int
    whole: GroupRobustness
    transformations: tuple[GroupRobustness, ...]
    draws: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return asdict(self)


def measure_robustness(
    runs: PerturbedRuns,
    ks: Sequence[int] = (1,),
    *,
    canonical: PerturbedRuns | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> CategoryRobustness:
    """Robustness of one model under a category and each of its transformations, for each k.

    Greedy decoding is one sample and k = 1. canonical: the same problems and variants with the canonical solution as
    the only sample, for the ceilings. One set of ``draws`` resamples of the problems serves all numbers; draws in
    which a Robust Drop is undefined are left out of its interval. Raises StatisticsError where ``canonical`` is of
    other problems or variants. Sources: ReCode, section 4.2 and appendix; Efron & Tibshirani 1993, chapters 6 and 13.
    """
    return mean_over_models([runs], ks, canonical=canonical, draws=draws, seed=seed)


def mean_over_models(
    models: Sequence[PerturbedRuns],
    ks: Sequence[int] = (1,),
    *,
    canonical: PerturbedRuns | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> CategoryRobustness:
    """The mean over models of each of the four numbers, as in ReCode's Table 5, otherwise as measure_robustness.

    The mean of the models' Robust Drops is not the drop of their mean pass@k; where one model's is undefined for want
    of a pass, so is the mean. A model of which no problem has k samples that count is not in the mean. Raises
    StatisticsError without a model, or where they differ in problems or variants.
    """
    check_alike([*models, *([canonical] if canonical else [])])
    names = models[0].transformations
    groups = [list(models), *([each.of_transformation(name) for each in models] for name in names)]
    values = np.array([[[problem_values(each, k) for each in group] for k in ks] for group in groups])
    shape = (len(groups) * len(ks), len(models), 3, len(models[0].problems))
    found = robustness_estimates(values.reshape(shape), [*ks] * len(groups), draws=draws, seed=seed)
    ceilings = _ceilings(canonical, draws=draws, seed=seed) if canonical else [None] * len(groups)
    rows = [
        _group(name, group[0], found[row * len(ks) : (row + 1) * len(ks)], ceiling)
        for row, (name, group, ceiling) in enumerate(zip([models[0].category, *names], groups, ceilings, strict=True))
    ]
    samples = np.array([each.samples for each in models])
    return CategoryRobustness(
        category=models[0].category,
        models=len(models),
        problems=len(models[0].problems),
        samples=int(samples.max(initial=0)),
        samples_left_out=sum(each.is_counted.size for each in models) - int(samples.sum()),
        whole=rows[0],
        transformations=tuple(rows[1:]),
        draws=draws,
        seed=seed,
    )


def check_alike(runs: Sequence[PerturbedRuns]) -> None:
    """Raise StatisticsError unless there are runs, all of the same problems and variants in the same order."""
    if not runs:
        raise StatisticsError("There is no model; give the runs of at least one.")
    for name in ("category", "problems", "variants"):
        if any(getattr(each, name) != getattr(runs[0], name) for each in runs):
            raise StatisticsError(f"{runs[0].category}: the runs differ in their {name}; give the same in one order.")


def problem_values(runs: PerturbedRuns, k: int) -> Floats:
    """Of each problem nominal pass@k, Robust Pass and Robust Relative; shape (3, problems), NaN where n < k.

    All variants are one group. With C the binomial coefficient, n counted samples and rc of them right on every
    perturbed prompt, Robust Pass is 1 - C(n-rc, k)/C(n, k). Robust Relative is the sum of the same for rc-, those
    that are right on the nominal and wrong on some perturbed prompt, and rc+, those that are wrong on the nominal and
    right on some perturbed prompt: 2 - C(n-rc-, k)/C(n, k) - C(n-rc+, k)/C(n, k). Source: ReCode, section 4.2.
    """
    counted, nominal = runs.is_counted, runs.nominal
    worst, best = runs.outcomes.all(axis=1), runs.outcomes.any(axis=1)
    chosen = np.stack([nominal, worst, nominal & ~worst, ~nominal & best]) & counted
    passes = np.asarray(chosen.sum(axis=2), dtype=np.int64)
    at_nominal, robust, lost, gained = estimates_of(runs.samples, passes, k)
    return np.stack([at_nominal, robust, lost + gained])


def robustness_estimates(values: Floats, ks: Sequence[int], *, draws: int, seed: int) -> list[RobustnessAtK]:
    """Each row of problem values, shape (rows, models, 3, problems), as four means over models with intervals.

    ks: of each row. Where a value is missing, a model has too few samples of a problem: the problem is left out of
    that model's means and counted, and a model without any is left out of the mean over models.
    """
    problems = values.shape[-1]
    if not problems:
        return [_undefined(k, NO_PROBLEM) for k in ks]
    is_known = np.asarray(np.isfinite(values).all(axis=2))
    point, resampled = known_means(values, is_known, draws=draws, seed=seed)
    found = []
    for k, known, mean, sample in zip(ks, is_known, point, resampled, strict=True):
        has_value = known.any(axis=1)
        if not has_value.any():
            found.append(_undefined(k, NO_JUDGED if k == 1 else TOO_FEW_JUDGED.format(k=k)))
            continue
        least = int(known[has_value].sum(axis=1).min())
        nominal, robust, drop, relative = _four(mean[has_value], sample[has_value], least)
        left_out = problems - int(np.count_nonzero(known[has_value].all(axis=0)))
        found.append(RobustnessAtK(k, nominal, robust, drop, relative, int(has_value.sum()), left_out))
    return found


def mean_measures(means: Floats) -> Floats:
    """From each model's nominal pass@k, RP and RR, shape (models, 3, draws), the four means over models: (4, draws).

    RD, the third of them, is NaN where the nominal pass@k of a model is 0.
    """
    nominal, robust, relative = means[:, 0], means[:, 1], means[:, 2]
    drop = 1 - np.divide(robust, nominal, out=np.full(nominal.shape, np.nan), where=nominal > 0)
    return np.asarray(np.stack([nominal, robust, drop, relative]).mean(axis=1))


def _four(point: Floats, sample: Floats, problems: int) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    """point: shape (models, 3, 1); sample: shape (models, 3, draws)."""
    values, draws = mean_measures(point)[:, 0], mean_measures(sample)
    nominal, robust, drop, relative = (
        _estimate(float(value), row, problems) for value, row in zip(values, draws, strict=True)
    )
    return nominal, robust, drop, relative


def _estimate(value: float, sample: Floats, problems: int) -> Estimate:
    if np.isnan(value):
        return Estimate(None, reason=NOTHING_TO_LOSE)
    defined = sample[np.isfinite(sample)]
    return estimate(value, defined, problems) if len(defined) else estimate(value, defined, 1)


def _undefined(k: int, reason: str) -> RobustnessAtK:
    nothing = Estimate(None, reason=reason)
    return RobustnessAtK(k, nothing, nothing, nothing, nothing, models=0)


def _ceilings(canonical: PerturbedRuns, *, draws: int, seed: int) -> list[Estimate | None]:
    """RP@1 of the canonical solutions, under the category and each transformation; over all problems or not at all,
    since a model's numbers may not be held against a ceiling of fewer."""
    groups = [canonical, *(canonical.of_transformation(name) for name in canonical.transformations)]
    values = np.array([[problem_values(each, 1)] for each in groups])
    found = robustness_estimates(values, [1] * len(groups), draws=draws, seed=seed)
    unknown = Estimate(None, reason=too_few_samples(1))
    is_whole = np.asarray(np.isfinite(values).all(axis=(1, 2, 3)))
    return [each.robust_pass if whole else unknown for each, whole in zip(found, is_whole, strict=True)]


def _group(name: str, runs: PerturbedRuns, at: Sequence[RobustnessAtK], ceiling: Estimate | None) -> GroupRobustness:
    return GroupRobustness(
        name=name,
        variants=len(runs.variants),
        seeds=int(runs.seed_numbers.max()) + 1,
        unchanged=int(np.count_nonzero(~runs.changed)),
        pairs=runs.changed.size,
        at=tuple(at),
        ceiling=ceiling,
    )
