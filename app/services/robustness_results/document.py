"""Robustness over a perturbed set as one document: each model by category and transformation, means, comparisons.

Worked out when somebody asks, and kept until a run has added, written or executed something more, or other models
are chosen.
"""

from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from sqlalchemy.orm import Session

from app import __version__
from app.errors import InvalidInput, NotFound
from app.ids import content_hash
from app.perturbations import Category
from app.services.analysis.computation import canonical_json
from app.services.execution_results.compared_models import setting_of
from app.services.execution_results.pass_at_k import CURVE, SHOWN, pending_generation, told_generation
from app.services.generation.replaying import is_canonical
from app.services.kept import kept_while
from app.services.perturbing.recipes import Recipe
from app.services.robustness_results.measured import (
    DRAWS,
    SEED,
    CategoryRuns,
    category_runs,
    compare,
    leading_pair,
    mean_of,
    of_model,
)
from app.services.robustness_results.models import (
    PerturbedModel,
    SetStamp,
    chosen_models,
    models_of,
    ranked_models,
    set_stamp,
    solutions_of,
    tallies_of_set,
)
from app.statistics.robustness_runs import PerturbedRuns
from app.storage.models import Benchmark
from app.words import gettext

Document = dict[str, Any]
Measured = tuple[Document, list[Document]]  # the numbers of one model and category, and the same over s
PACKAGES = ("numpy",)
EVERY_K = 10  # with at most so many samples every k can be chosen


def robustness_results(session: Session, made: Benchmark, generations: Sequence[int] = ()) -> Document:
    """The models of the chosen generations, without a choice those that were asked all that any was; the others are
    ``set_aside``. InvalidInput where the benchmark is no set."""
    recipe, stamp = Recipe.of(made), (set_stamp(session, made), tuple(sorted(set(generations))))
    key = ("robustness", made.id)
    return kept_while(session, key, stamp, lambda: _work_out(session, made, recipe, generations))


def compared_pair(session: Session, made: Benchmark, pair: tuple[str, str]) -> list[Document]:
    """Two models of the set by their names, compared in each category; NotFound for a name not there."""
    if pair[0] == pair[1]:
        raise InvalidInput(
            gettext("A model can’t be compared with itself."), remedy=gettext("Choose two different models.")
        )
    key, stamp = ("compared robustness", made.id), (set_stamp(session, made), pair)
    return kept_while(session, key, stamp, lambda: _compare(session, made, pair))


def results_beside(session: Session, second: Benchmark, names: Collection[str]) -> Document:
    """Another set's results of the models with these names, or of all where none of them was asked there."""
    models = models_of(session, tallies_of_set(session, second), set_stamp(session, second))
    return robustness_results(session, second, [each.generation.id for each in models if each.name in names])


def groups_of(session: Session, made: Benchmark, models: Sequence[PerturbedModel]) -> list[CategoryRuns]:
    """The models' runs by category, in the categories' order."""
    solutions = solutions_of(session, made, set_stamp(session, made))
    return [
        category_runs(each, models, solutions.get(each))
        for each in Category
        if any(each in model.verdicts for model in models)
    ]


def _compare(session: Session, made: Benchmark, pair: tuple[str, str]) -> list[Document]:
    models = {each.name: each for each in models_of(session, tallies_of_set(session, made), set_stamp(session, made))}
    for name in pair:
        if name not in models:
            raise NotFound(gettext("This benchmark has no results of a model %(name)s.", name=repr(name)))
    groups = groups_of(session, made, [models[name] for name in pair])
    return [_compared(group, pair) for group in groups if len(group.runs) == 2]


def _compared(group: CategoryRuns, pair: tuple[str, str]) -> Document:
    seeds = int(group.runs[pair[0]].seed_numbers.max()) + 1
    return compare(group, *pair) | {"seeds": seeds}


def _work_out(session: Session, made: Benchmark, recipe: Recipe, generations: Sequence[int]) -> Document:
    tallies, stamp = tallies_of_set(session, made), set_stamp(session, made)
    known = models_of(session, tallies, stamp)
    models = chosen_models(known, generations)
    groups, ks = groups_of(session, made, models), _ks(models)
    ranked = [group.only(ranked_models(models)) for group in groups]
    measured = {
        group.category: {
            each.name: _of_model(session, stamp, each, group, ks) for each in models if each.name in group.runs
        }
        for group in groups
    }
    return {
        "benchmark": {"slug": made.slug, "name": made.name, "sha256": made.file_hash, "mode": recipe.mode},
        "signature": _signature(made, models, groups, ks),
        "ks": ks,
        "shown": _choosable(ks),
        "known": [{"generation": each.generation.id, "name": each.name} for each in known],
        "models": [_model(each, measured) for each in models],
        "set_aside": [] if generations else [each.name for each in known if each not in models],
        "mean": {group.category: mean_of(group, ks) for group in ranked if len(group.runs) > 1},
        "compared": [found for group in ranked if (found := _leading(group, measured[group.category]))],
        "left_out": [each for group in groups for each in _left_out(group)],
        "not_executed": [pending_generation(each) for each in tallies if not each.counted],
    }


def _of_model(
    session: Session, stamp: SetStamp, model: PerturbedModel, group: CategoryRuns, ks: Sequence[int]
) -> Measured:
    """Kept whichever other models are chosen, as long as the variants are the same."""
    key = ("robustness of", model.generation.id, group.category)
    what = (stamp.of(model.generation), group.runs[model.name].variants, tuple(ks))
    return kept_while(session, key, what, lambda: of_model(group, model.name, ks))


def _ks(models: Sequence[PerturbedModel]) -> list[int]:
    """Up to the most samples of a problem: every one of few, else some of them and all samples at once."""
    most = max((each.generation.samples for each in models), default=1)
    if most <= EVERY_K:
        return list(range(1, most + 1))
    return sorted({*(k for k in (*SHOWN, *CURVE) if k < most), most})


def _choosable(ks: Sequence[int]) -> list[int]:
    """Those that a page offers."""
    return list(ks) if ks[-1] <= EVERY_K else [k for k in ks if k in SHOWN or k == ks[-1]]


def _model(model: PerturbedModel, measured: Mapping[str, Mapping[str, Any]]) -> Document:
    mine = {category: found[model.name] for category, found in measured.items() if model.name in found}
    return {
        "name": model.name,
        "is_canonical": is_canonical(model.generation),
        **setting_of(model.generation),
        "generations": [told_generation(model.tally)],
        "categories": {category: numbers for category, (numbers, _) in mine.items()},
        "over_seeds": {category: steps for category, (_, steps) in mine.items()},
    }


def _leading(group: CategoryRuns, measured: Mapping[str, Any]) -> Document | None:
    pair = leading_pair(group, {name: numbers for name, (numbers, _) in measured.items()})
    return compare(group, *pair) if pair else None


def _left_out(group: CategoryRuns) -> list[Document]:
    """Variants that count nowhere: the set lacks them yet, or some model was not asked or its samples not run."""
    not_asked = [
        {"category": group.category, "transformation": name, "seed": seed, "models": list(models)}
        for (name, seed), models in group.not_asked.items()
    ]
    not_made = [
        {"category": group.category, "transformation": name, "seed": seed, "models": []}
        for name, seed in group.not_made
    ]
    return [*not_asked, *not_made]


def _signature(
    made: Benchmark, models: Sequence[PerturbedModel], groups: Sequence[CategoryRuns], ks: Sequence[int]
) -> Document:
    inputs = [
        [made.layout, made.file_hash],
        [[each.name, setting_of(each.generation), each.generation.seed] for each in models],
        [[group.category, _hashes(group)] for group in groups],
    ]
    return {
        "codejury": __version__,
        "parameters": {"draws": DRAWS, "seed": SEED, "k": list(ks)},
        "inputs_sha256": content_hash(canonical_json(inputs)),
        "packages": {name: version(name) for name in PACKAGES},
    }


def _hashes(group: CategoryRuns) -> list[Any]:
    canonical = {"": group.canonical} if group.canonical is not None else {}
    return [[name, _content(runs)] for name, runs in {**group.runs, **canonical}.items()]


def _content(runs: PerturbedRuns) -> str:
    """All that its numbers depend on, as a hash."""
    names = canonical_json([list(runs.problems), [[each.transformation, each.seed] for each in runs.variants]])
    judged = [] if runs.judged is None or runs.judged.all() else [runs.judged]
    arrays = (runs.nominal, runs.outcomes, runs.changed, runs.is_counted, *judged)
    return content_hash(names, *(each.tobytes().hex() for each in arrays))
