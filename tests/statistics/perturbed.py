"""Made-up runs under perturbations for tests of robustness."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from app.statistics.robustness_runs import PerturbedRuns, Variant


def runs(
    nominal: Any, perturbed: Any, variants: tuple[Variant, ...] | None = None, changed: Any = None, **more: Any
) -> PerturbedRuns:
    """From nested lists: nominal of each problem and sample, perturbed of each problem, variant and sample."""
    before, after = np.array(nominal, dtype=np.bool_), np.array(perturbed, dtype=np.bool_)
    names = variants or tuple(Variant("t", seed) for seed in range(after.shape[1]))
    is_changed = np.ones(after.shape[:2], dtype=np.bool_) if changed is None else np.array(changed, dtype=np.bool_)
    problems = tuple(f"p{row}" for row in range(len(before)))
    return PerturbedRuns("docstring", problems, names, before, after, is_changed, **more)


def greedy(nominal: Any, perturbed: Any, variants: tuple[Variant, ...] | None = None) -> PerturbedRuns:
    """One sample: nominal of each problem, perturbed of each problem and variant."""
    return runs([[each] for each in nominal], [[[each] for each in row] for row in perturbed], variants)


VARIANTS = (Variant("typos", 0), Variant("case", 1), Variant("typos", 2), Variant("tense"), Variant("case", 0))


@st.composite
def some_runs(draw: st.DrawFn, *, most_samples: int = 4, is_all_counted: bool = False) -> PerturbedRuns:
    """A few problems under five variants of three transformations, some of which change nothing."""
    problems, samples = draw(st.integers(1, 5)), draw(st.integers(1, most_samples))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    chance = draw(st.sampled_from([0.2, 0.5, 0.8, 0.95]))
    counted = np.ones((problems, samples), dtype=np.bool_)
    if not is_all_counted:
        counted[:, 1:] = rng.random((problems, samples - 1)) < 0.8
    return PerturbedRuns(
        "docstring",
        tuple(f"p{row}" for row in range(problems)),
        VARIANTS,
        rng.random((problems, samples)) < chance,
        rng.random((problems, len(VARIANTS), samples)) < chance,
        rng.random((problems, len(VARIANTS))) < 0.7,
        counted,
    )


def simulated(
    problems: int = 164, samples: int = 1, *, rate: float = 0.5, loss: float = 0.2, seed: int = 0
) -> PerturbedRuns:
    """Two random transformations of five seeds and a deterministic one; each costs a right sample so often."""
    rng = np.random.default_rng(seed)
    variants = (*(Variant(name, each) for name in ("typos", "case") for each in range(5)), Variant("tense"))
    ease = rng.beta(4 * rate, 4 * (1 - rate), (problems, 1))
    nominal = rng.random((problems, samples)) < ease
    fails = rng.random((problems, len(variants), samples)) < loss
    gains = rng.random((problems, len(variants), samples)) < loss / 10
    perturbed = np.where(nominal[:, np.newaxis], ~fails, gains)
    changed = rng.random((problems, len(variants))) < 0.9
    return PerturbedRuns(
        "docstring", tuple(f"p{row}" for row in range(problems)), variants, nominal, perturbed, changed
    )
