"""Generations over a perturbed set as models, each with its verdicts by category, kept until a run changes them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.perturbations import Category
from app.services.benchmarks.which import is_asked
from app.services.execution_results.compared_models import names_of
from app.services.execution_results.samples import Tally, Wall, benchmark_stamp, tallies_over
from app.services.generation.replaying import is_canonical
from app.services.kept import kept_while
from app.services.perturbing.making import newest_run
from app.services.robustness import NO_VERDICT, CategoryVerdicts, verdicts_of_generation, verdicts_of_solutions
from app.statistics.pass_at_k import ProblemCounts
from app.statistics.robustness_runs import PerturbedRuns, Variant
from app.storage.models import Benchmark, BenchmarkProblem, Generation, Run
from app.words import gettext

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PerturbedModel:
    """One generation: its name among those of the set, what became of all of its samples, and its verdicts."""

    name: str
    tally: Tally
    verdicts: Mapping[Category, CategoryVerdicts]

    @property
    def generation(self) -> Generation:
        """What model in what setting."""
        return self.tally.generation


@dataclass(frozen=True, slots=True)
class SetStamp:
    """Changes whenever a run has added rows, run their canonical solutions, or written or executed samples.

    rows: of the first two; generations: of each its number and its own runs.
    """

    rows: Hashable
    generations: tuple[tuple[Any, ...], ...]

    def of(self, generation: Generation) -> Hashable:
        """What the verdicts of this one depend on."""
        return self.rows, next(each for each in self.generations if each[0] == generation.id)


def set_stamp(session: Session, made: Benchmark) -> SetStamp:
    """How far all runs are that change the set's results."""
    check = session.get(Run, made.run_id) if made.run_id is not None else None
    runs = tuple(each and (each.id, each.done, each.state) for each in (newest_run(session, made), check))
    return SetStamp(runs, benchmark_stamp(session, made))


def tallies_of_set(session: Session, made: Benchmark) -> list[Tally]:
    """All generations over the set, with what became of the samples of every row that is asked."""
    found = kept_while(session, ("tallies", made.id), set_stamp(session, made), lambda: _counts(session, made))
    wanted = select(Generation).where(Generation.id.in_(found)).order_by(Generation.id)
    return [Tally(each, *found[each.id]) for each in session.scalars(wanted)]


def _counts(session: Session, made: Benchmark) -> dict[int, tuple[ProblemCounts, Mapping[str, int], frozenset[Wall]]]:
    """By generation what a tally holds beside it: rows of a database are not kept from one request to the next."""
    wanted = select(BenchmarkProblem.id, BenchmarkProblem.key).where(BenchmarkProblem.benchmark_id == made.id)
    rows = session.execute(wanted.where(is_asked()).order_by(BenchmarkProblem.position))
    tallies = tallies_over(session, made, {row.id: row.key for row in rows})
    return {each.generation.id: (each.counts, each.outcomes, each.walls) for each in tallies}


def models_of(session: Session, tallies: Sequence[Tally], stamp: SetStamp) -> list[PerturbedModel]:
    """Those of which something was executed. Generations that differ in their seeds only are models of their own,
    since sample i of a changed prompt belongs to sample i of the nominal one."""
    executed = [each for each in tallies if each.counted]
    names = names_of([each.generation for each in executed])
    return [
        PerturbedModel(name, tally, _verdicts(session, tally.generation, stamp))
        for name, tally in zip(names, executed, strict=True)
    ]


def _verdicts(session: Session, generation: Generation, stamp: SetStamp) -> dict[Category, CategoryVerdicts]:
    key = ("verdicts", generation.id)
    return kept_while(session, key, stamp.of(generation), lambda: verdicts_of_generation(session, generation))


def solutions_of(session: Session, made: Benchmark, stamp: SetStamp) -> dict[Category, CategoryVerdicts]:
    """The verdicts on the canonical solutions."""
    return kept_while(session, ("solutions", made.id), stamp.rows, lambda: verdicts_of_solutions(session, made))


def chosen_models(models: Sequence[PerturbedModel], generations: Sequence[int]) -> list[PerturbedModel]:
    """Those of the chosen generations, without a choice those of which as much is known as of any; NotFound for one
    that has no result here."""
    if not generations:
        return _furthest(models)
    known = {each.generation.id for each in models}
    for number in generations:
        if number not in known:
            raise NotFound(
                gettext("This set has no results of a generation %(number)s.", number=number),
                remedy=gettext("Choose one of those that were executed on it."),
            )
    return [each for each in models if each.generation.id in generations]


def ranked_models(models: Sequence[PerturbedModel]) -> list[str]:
    """The names of those that count in means and comparisons: not the canonical solutions, unless they are alone."""
    names = [each.name for each in models if not is_canonical(each.generation)]
    return names or [each.name for each in models]


def _furthest(models: Sequence[PerturbedModel]) -> list[PerturbedModel]:
    """Those with verdicts on all variants on which any has some, so that one that is only begun takes nothing from
    the others; all models where there is none."""
    asked = {each.name: _asked(each) for each in models}
    everything = frozenset().union(*asked.values())
    return [each for each in models if asked[each.name] == everything] or list(models)


def _asked(model: PerturbedModel) -> frozenset[tuple[str, int]]:
    return frozenset(
        variant
        for verdicts in model.verdicts.values()
        for variant, is_asked_of in zip(verdicts.variants, asked_variants(verdicts), strict=True)
        if is_asked_of
    )


def asked_variants(verdicts: CategoryVerdicts) -> Booleans:
    """Of each variant whether the model has a verdict on any of it. Where nothing is changed, nominal ones do."""
    if not (verdicts.nominal != NO_VERDICT).any():
        return np.zeros(len(verdicts.variants), dtype=np.bool_)
    judged = (verdicts.perturbed != NO_VERDICT).any(axis=2) & verdicts.changed
    return np.asarray(judged.any(axis=0) | ~verdicts.changed.any(axis=0))


def runs_of(verdicts: CategoryVerdicts, variants: Booleans) -> PerturbedRuns:
    """As robustness is measured from, with the variants that are marked."""
    chosen = [Variant(*each) for each, keep in zip(verdicts.variants, variants, strict=True) if keep]
    return PerturbedRuns.from_verdicts(
        str(verdicts.category),
        verdicts.problems,
        chosen,
        nominal=verdicts.nominal,
        perturbed=verdicts.perturbed[:, variants],
        changed=verdicts.changed[:, variants],
    )
