"""Two models under the same perturbations, paired by problem: which of the two loses less, and can that be chance?"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import MetricInput, mean_of_segments
from app.statistics.randomisation import EXACT_UP_TO, differing_problems
from app.statistics.robustness import DRAWS, NOTHING_TO_LOSE, check_alike, problem_values
from app.statistics.robustness_runs import PerturbedRuns
from app.statistics.two_systems import TwoSystemComparison, compare_two_systems

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RobustnessComparison:
    """Model A less model B at one k, in points (0-100; RR@k for k > 1: 0-200), with interval and p-values.

    robust_drop is None, with the reason named, where the nominal pass@k of either is 0. p_a_greater counts the draws
    in which A is better: passes more, drops less, changes less. exact: the measures whose p_randomisation is over all
    swaps, since few problems differ; that of the others is over random ones.
    """

    name: str
    k: int
    nominal: TwoSystemComparison
    robust_pass: TwoSystemComparison
    robust_drop: TwoSystemComparison | None
    robust_relative: TwoSystemComparison
    reason: str | None = None
    exact: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, numbers, strings and None."""
        return asdict(self)


class _Draws(NamedTuple):
    draws: int
    seed: int


def compare_robustness(
    a: PerturbedRuns, b: PerturbedRuns, k: int = 1, *, draws: int = DRAWS, seed: int = 0
) -> RobustnessComparison:
    """Compare two models under the variants of ``a`` and ``b``, which are one group; for less, give less of both.

    Problems of which either has fewer than k counted samples are left out and counted. In a draw, or a random swap,
    in which a model passes on no nominal prompt its Robust Drop is taken as 0: there is nothing to lose. Raises
    StatisticsError where problems or variants differ, or no problem is left. Sources: those of compare_two_systems
    and p_of_swaps.
    """
    check_alike([a, b])
    nominal, robust, relative = np.stack([problem_values(a, k), problem_values(b, k)], axis=1)
    how = _Draws(draws, seed)
    is_defined = bool((np.nansum(nominal[:, np.isfinite(nominal).all(axis=0)], axis=1) > 0).all())
    inputs = {
        "nominal": mean_of_segments(f"pass@{k}", nominal),
        "robust_pass": mean_of_segments(f"Robust Pass@{k}", robust),
        "robust_relative": mean_of_segments(f"Robust Relative@{k}", relative, higher_is_better=False),
    }
    if is_defined:
        inputs["robust_drop"] = _drop_input(k, nominal, robust)
    found = {measure: _compare(each, how) for measure, each in inputs.items()}
    return RobustnessComparison(
        name=_name(a.category, a.transformations),
        k=k,
        nominal=found["nominal"],
        robust_pass=found["robust_pass"],
        robust_drop=found.get("robust_drop"),
        robust_relative=found["robust_relative"],
        reason=None if is_defined else NOTHING_TO_LOSE,
        exact=tuple(measure for measure, each in inputs.items() if differing_problems(each) <= EXACT_UP_TO),
    )


def _name(category: str, transformations: Sequence[str]) -> str:
    """Of a single transformation its own name."""
    return transformations[0] if len(transformations) == 1 else category


def _compare(metric: MetricInput, how: _Draws) -> TwoSystemComparison:
    return compare_two_systems(metric, 0, 1, draws=how.draws, seed=how.seed, exact_up_to=EXACT_UP_TO)


def _drop_input(k: int, nominal: Floats, robust: Floats) -> MetricInput:
    """Robust Drop as a corpus score of two sums over problems."""
    return MetricInput(f"Robust Drop@{k}", np.stack([nominal, robust], axis=2), _drop, higher_is_better=False)


def _drop(totals: Floats, _problems: int) -> Floats:
    nominal, robust = totals[..., 0], totals[..., 1]
    return np.asarray(np.where(nominal > 0, 1 - robust / np.where(nominal > 0, nominal, 1), 0.0))
