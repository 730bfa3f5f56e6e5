"""Models under perturbations for tests of charts: real statistics on made-up runs, and names that would be code."""

from dataclasses import asdict
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from app.charts.robustness_models import RobustModel, RobustModels
from app.statistics.robustness import mean_over_models, measure_robustness
from app.statistics.robustness_comparison import compare_robustness
from app.statistics.robustness_curves import robustness_over_seeds
from app.statistics.robustness_runs import PerturbedRuns, Variant
from tests.charts.questions import stored
from tests.charts.study import SYSTEMS

PROBLEMS, SEEDS, DRAWS = 60, 4, 200
RANDOM = {
    "docstring": ("ButterFingers", "ChangeCharCase", "SynonymInsertion"),
    "function_name": ("ButterFingers", "SynonymSubstitution"),
    "syntax": ("DeadCodeInserter", "VarRenamerRN"),
    "format": ("NewlineRandom",),
}
FIXED = {
    "docstring": ("TenseTransformationPast", "<i>x</i>"),
    "function_name": ("CamelCase",),
    "syntax": ("For-While Switch",),
    "format": ("Tab-Indent",),
}
COSTS = {"docstring": 0.06, "function_name": 0.02, "syntax": 0.12, "format": 0.03}


def variants_of(category: str) -> tuple[Variant, ...]:
    seeded = [Variant(f"{category}/{name}", seed) for name in RANDOM[category] for seed in range(SEEDS)]
    return (*seeded, *(Variant(f"{category}/{name}") for name in FIXED[category]))


@cache
def runs(category: str, *, rate: float = 0.5, samples: int = 1, cost: float = 1.0) -> PerturbedRuns:
    """One model: this share of nominal samples passes, and each transformation costs right ones at its own rate."""
    rng = np.random.default_rng([ord(category[0]), int(100 * rate), samples])
    variants = variants_of(category)
    ease = rng.beta(4 * rate, 4 * (1 - rate), (PROBLEMS, 1))
    nominal = rng.random((PROBLEMS, samples)) < ease
    fragile = rng.beta(0.5, 2, (PROBLEMS, 1, 1)) * 5
    names = {name: place for place, name in enumerate(dict.fromkeys(each.transformation for each in variants))}
    harm = np.array([names[each.transformation] for each in variants])[:, np.newaxis]
    fails = rng.random((PROBLEMS, len(variants), samples)) < COSTS[category] * cost * harm * fragile / 2
    gains = rng.random((PROBLEMS, len(variants), samples)) < 0.01
    perturbed = np.where(nominal[:, np.newaxis], ~fails, gains)
    changed = rng.random((PROBLEMS, len(variants))) < 0.9
    problems = tuple(f"HumanEval/{place}" for place in range(PROBLEMS))
    return PerturbedRuns(category, problems, variants, nominal, perturbed, changed)


@cache
def canonical(category: str) -> PerturbedRuns:
    """Canonical solutions: all pass, but for a few under changes."""
    rng = np.random.default_rng(9)
    variants, shape = variants_of(category), (PROBLEMS, 1)
    survive = rng.random((PROBLEMS, len(variants), 1)) > (0.004 if category != "format" else 0)
    everything = np.ones(shape, dtype=np.bool_)
    problems = tuple(f"HumanEval/{place}" for place in range(PROBLEMS))
    return PerturbedRuns(
        category, problems, variants, everything, survive, np.ones(survive.shape[:2], dtype=np.bool_)
    )


def model(
    name: str, ks: tuple[int, ...] = (1,), categories: tuple[str, ...] = tuple(RANDOM), **how: Any
) -> RobustModel:
    """As a service hands one to the charts."""
    measured, curves = {}, {}
    for each in categories:
        found = runs(each, **how)
        measured[each] = stored(measure_robustness(found, ks, canonical=canonical(each), draws=DRAWS).to_json())
        curves[each] = [stored(asdict(step)) for step in robustness_over_seeds(found, ks, draws=DRAWS)]
    return RobustModel(name, measured, curves)


@cache
def three_models(*, is_compared: bool = True) -> RobustModels:
    """One keeps most, one little; the third is close to the first."""
    settings = ({"rate": 0.5}, {"rate": 0.7, "cost": 3.0}, {"rate": 0.45, "cost": 1.2})
    models = [model(name, **how) for name, how in zip(SYSTEMS, settings, strict=True)]
    mean = {
        each: stored(mean_over_models([runs(each, **how) for how in settings], draws=DRAWS).to_json())
        for each in RANDOM
    }
    compared = {
        (SYSTEMS[a], SYSTEMS[b], each): stored(
            compare_robustness(runs(each, **settings[a]), runs(each, **settings[b]), draws=DRAWS).to_json()
        )
        for a, b in combinations(range(3), 2)
        for each in RANDOM
    }
    return RobustModels("HumanEval <1>", models, mean, compared if is_compared else {})


@cache
def sampled() -> RobustModels:
    """Two models with twenty samples of each problem."""
    names = zip(SYSTEMS, (0.3, 0.6), strict=False)
    return RobustModels("HumanEval", [model(name, (1, 2, 5, 10, 20), rate=rate, samples=20) for name, rate in names])
