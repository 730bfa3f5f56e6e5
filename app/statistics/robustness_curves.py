"""How robustness falls with more perturbed prompts: over s, the number of seeds of each random transformation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.statistics.robustness import DRAWS, RobustnessAtK, problem_values, robustness_estimates
from app.statistics.robustness_runs import PerturbedRuns


@dataclass(frozen=True, slots=True)
class RobustnessAtS:
    """The numbers under the first ``s`` seeds, for each k, from so many variants."""

    s: int
    variants: int
    at: tuple[RobustnessAtK, ...]


def robustness_over_seeds(
    runs: PerturbedRuns, ks: Sequence[int] = (1,), *, draws: int = DRAWS, seed: int = 0
) -> tuple[RobustnessAtS, ...]:
    """For s = 1, 2, … up to the most seeds of a transformation: its s smallest seeds, all transformations one group.

    Deterministic transformations, and those with fewer seeds, take part with all that they have. Robust Pass never
    rises with s. For one transformation, give ``runs.of_transformation(name)``. Source: ReCode, section 4.2 and the
    figure over s.
    """
    steps = [runs.first_seeds(s) for s in range(1, int(runs.seed_numbers.max()) + 2)]
    values = np.array([[problem_values(each, k)] for each in steps for k in ks])
    values = values.reshape(len(steps) * len(ks), 1, 3, len(runs.problems))
    found = robustness_estimates(values, [*ks] * len(steps), draws=draws, seed=seed)
    return tuple(
        RobustnessAtS(row + 1, len(each.variants), tuple(found[row * len(ks) : (row + 1) * len(ks)]))
        for row, each in enumerate(steps)
    )
