"""One category of several models, measured: each by itself, their mean, the curves over s, and who leads."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.perturbations import Category
from app.services.robustness import NO_VERDICT, CategoryVerdicts
from app.services.robustness_results.models import PerturbedModel, asked_variants, runs_of
from app.statistics.errors import StatisticsError
from app.statistics.robustness import mean_over_models, measure_robustness
from app.statistics.robustness_comparison import compare_robustness
from app.statistics.robustness_curves import robustness_over_seeds
from app.statistics.robustness_runs import PerturbedRuns

Document = dict[str, Any]
Booleans = NDArray[np.bool_]

DRAWS, SEED = 1_000, 0


@dataclass(frozen=True, eq=False)
class CategoryRuns:
    """Models under the same variants of a category: those that all of them were asked.

    runs: by the model's name; canonical: None where no canonical solution was run. not_asked: of each variant that
    is left out, transformation and seed, the models that lack it. not_made: variants that the set lacks yet.
    """

    category: str
    runs: Mapping[str, PerturbedRuns]
    canonical: PerturbedRuns | None
    not_asked: Mapping[tuple[str, int], Sequence[str]]
    not_made: Sequence[tuple[str, int]]

    def only(self, names: Collection[str]) -> "CategoryRuns":
        """Those of these models."""
        return replace(self, runs={name: runs for name, runs in self.runs.items() if name in names})


def category_runs(
    category: Category, models: Sequence[PerturbedModel], solutions: CategoryVerdicts | None
) -> CategoryRuns:
    """What can be compared: models that were asked nothing of the category are no part of it."""
    asked = {each.name: asked_variants(each.verdicts[category]) for each in models if category in each.verdicts}
    of_all = reduce(np.logical_and, [each for each in asked.values() if each.any()], _any_of(asked))
    variants = next((each.verdicts[category].variants for each in models if category in each.verdicts), ())
    runs = {
        each.name: runs_of(each.verdicts[category], of_all)
        for each in models
        if of_all.any() and asked[each.name].any()
    }
    return CategoryRuns(
        str(category),
        runs,
        _canonical(solutions, of_all),
        {
            variant: [name for name, mine in asked.items() if not mine[place]]
            for place, variant in enumerate(variants)
            if not of_all[place]
        },
        next((each.verdicts[category].absent for each in models if category in each.verdicts), ()),
    )


def _any_of(asked: Mapping[str, Booleans]) -> Booleans:
    """Which variants anybody was asked."""
    return np.asarray(reduce(np.logical_or, asked.values(), np.zeros(1, dtype=np.bool_)))


def _canonical(solutions: CategoryVerdicts | None, variants: Booleans) -> PerturbedRuns | None:
    if solutions is None or not variants.any() or not (solutions.nominal != NO_VERDICT).any():
        return None
    return runs_of(solutions, variants)


def of_model(group: CategoryRuns, name: str, ks: Sequence[int]) -> tuple[Document, list[Document]]:
    """One model's numbers, and the same over s."""
    runs = group.runs[name]
    found = measure_robustness(runs, ks, canonical=group.canonical, draws=DRAWS, seed=SEED)
    over = robustness_over_seeds(runs, ks, draws=DRAWS, seed=SEED)
    return found.to_json(), [asdict(each) for each in over]


def mean_of(group: CategoryRuns, ks: Sequence[int]) -> Document:
    """The mean over the models."""
    runs = list(group.runs.values())
    return mean_over_models(runs, ks, canonical=group.canonical, draws=DRAWS, seed=SEED).to_json()


def compare(group: CategoryRuns, a: str, b: str) -> Document:
    """Two models at k = 1; no comparison, with the reason, where no problem has a counted sample of both."""
    names = {"a": a, "b": b, "category": group.category}
    try:
        found = compare_robustness(group.runs[a], group.runs[b], draws=DRAWS, seed=SEED)
    except StatisticsError as error:
        return names | {"reason": str(error), "comparison": None}
    return names | {"reason": None, "comparison": found.to_json()}


def leading_pair(group: CategoryRuns, measured: Mapping[str, Document]) -> tuple[str, str] | None:
    """The two models that lose least, or the only two."""
    if len(group.runs) == 2:
        first, second = group.runs
        return first, second
    drops = {name: measured[name]["whole"]["at"][0]["robust_drop"]["value"] for name in group.runs}
    known = sorted((name for name in drops if drops[name] is not None), key=lambda name: float(drops[name]))
    return (known[0], known[1]) if len(known) > 1 else None
