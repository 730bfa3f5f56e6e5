"""Models under perturbations for tests of charts: real statistics on made-up runs, and names that would be code."""

from dataclasses import asdict
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from app.charts.robustness_models import RobustModel, RobustModels
from app.statistics.robustness import mean_over_models, measure_robustness
from app.statistics.robustness_breaks import broken_problems, flipped_samples
from app.statistics.robustness_checks import checks_against_people
from app.statistics.robustness_comparison import compare_robustness
from app.statistics.robustness_curves import robustness_over_seeds
from app.statistics.robustness_runs import PerturbedRuns, Variant
from app.statistics.robustness_scores import mean_scores
from app.statistics.robustness_survey import robustness_survey
from app.statistics.survey import SurveyGrades
from tests.charts.questions import stored
from tests.charts.study import SYSTEMS
from tests.statistics.perturbed import greedy

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


def only(model: RobustModel) -> RobustModels:
    """That one by itself."""
    return RobustModels("HumanEval", [model])


def tiny(nominal: list[int], perturbed: list[list[int]]) -> RobustModels:
    """Docstring changes of a model that answers so."""
    found = measure_robustness(greedy(nominal, perturbed), draws=100).to_json()
    return only(RobustModel("m", {"docstring": found}))


def whole(model: RobustModel, category: str = "docstring") -> dict[str, Any]:
    """What is measured of all of a category, at the first k."""
    found: dict[str, Any] = model.categories[category]["whole"]["at"][0]
    return found


@cache
def three_models(*, is_compared: bool = True) -> RobustModels:
    """One keeps most, one little; the third is close to the first."""
    settings: tuple[dict[str, float], ...] = ({"rate": 0.5}, {"rate": 0.7, "cost": 3.0}, {"rate": 0.45, "cost": 1.2})
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
    return RobustModels(
        "HumanEval", [model(name, ks=(1, 2, 5, 10, 20), rate=rate, samples=20) for name, rate in names]
    )


@cache
def survey() -> dict[str, Any]:
    """Two categories: typos that people dislike, and formats that they don't mind."""
    rng = np.random.default_rng(6)
    items = {
        name: [f"{name} {place}" for place in range(15)]
        for name in ("docstring/ButterFingers", "docstring/<i>x</i>", "format/Tab-Indent")
    }
    nominal = [f"nominal {place}" for place in range(20)]
    chances = dict.fromkeys(nominal, (0.02, 0.08, 0.9))
    for name, shares in zip(items, ((0.3, 0.4, 0.3), (0.1, 0.3, 0.6), (0.02, 0.1, 0.88)), strict=True):
        chances |= dict.fromkeys(items[name], shares)
    rows = [(item, float(rng.choice([0, 0.5, 1], p=p))) for item, p in chances.items() for _ in range(5)]
    natural = SurveyGrades([item for item, _ in rows], [grade for _, grade in rows])
    similar = SurveyGrades(natural.items, [1 - (1 - grade) / 2 if grade == 0 else 1.0 for grade in natural.labels])
    categories = {name: name.partition("/")[0] for name in items}
    found = robustness_survey(natural, similar, nominal, items, items, category_of=categories, draws=DRAWS)
    document: dict[str, Any] = stored(found.to_json())
    return document


@cache
def checks(*, items: int = 80) -> dict[str, Any]:
    """A check that sees much of what people see, one that sees less, one that guesses, and one without a score."""
    rng = np.random.default_rng(4)
    truth = rng.random(items)
    rows = [
        (f"i{n:03d}", float(rng.choice([0, 0.5, 1], p=[(1 - t) ** 2, 2 * t * (1 - t), t**2])))
        for n, t in enumerate(truth)
        for _ in range(5)
    ]
    noise = {"cosine": 0.15, "codebleu_syntax": 1.2, "<i>guess</i>": 100.0}
    scores = {
        check: {f"i{n:03d}": float(t + rng.normal(0, size)) for n, t in enumerate(truth)}
        for check, size in noise.items()
    }
    grades = SurveyGrades([item for item, _ in rows], [grade for _, grade in rows])
    found = checks_against_people(grades, scores | {"codebleu_dataflow": {}}, draws=DRAWS)
    document: dict[str, Any] = stored(found.to_json())
    return document


@cache
def scores(check: str = "cosine") -> list[dict[str, Any]]:
    """Mean scores of two transformations."""
    rng = np.random.default_rng(3)
    names = ["docstring/ButterFingers"] * 20 + ["docstring/<i>x</i>"] * 20
    values = np.concatenate([rng.uniform(0.6, 0.9, 20), rng.uniform(0.9, 1, 20)])
    problems = [f"p{place % 10}" for place in range(40)]
    return [stored(asdict(each)) for each in mean_scores(check, problems, names, values.tolist(), draws=DRAWS)]


def broken(category: str = "docstring") -> list[dict[str, Any]]:
    return [stored(asdict(each)) for each in broken_problems(runs(category, samples=20))]


def flipped(*, most: int | None = 10, is_right_before: bool = True) -> dict[str, Any]:
    found = flipped_samples(runs("docstring"), most=most, is_right_before=is_right_before)
    document: dict[str, Any] = stored(asdict(found))
    return document
