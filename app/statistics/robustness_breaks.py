"""What breaks: the problems that perturbed prompts cost most, and the single samples that were right before."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.estimates import DECIMALS
from app.statistics.robustness_runs import PerturbedRuns

Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BrokenProblem:
    """A problem with samples that pass on the nominal prompt, and what changed prompts do to them.

    breaking: variants under which at least one of these samples fails, of ``changed`` that changed its prompt; by:
    the transformations of the breaking ones. weight: the mean over all transformations, each counting once however
    many seeds it has, of the share of these samples that fail; 0-1. passing: how many samples pass on the nominal
    prompt, of ``samples``.
    """

    problem: str
    weight: float
    breaking: int
    changed: int
    by: tuple[str, ...]
    passing: int
    samples: int


@dataclass(frozen=True, slots=True)
class FlippedSample:
    """A sample whose verdict a changed prompt turns; ``sample`` is its number, from 0."""

    problem: str
    transformation: str
    seed: int
    sample: int


@dataclass(frozen=True, slots=True)
class FlippedSamples:
    """How many there are, and the first of them, by problem, then variant, then sample."""

    total: int
    shown: tuple[FlippedSample, ...]


def broken_problems(runs: PerturbedRuns) -> tuple[BrokenProblem, ...]:
    """The problems that some changed prompt breaks, the greatest weight first, then in the order of ``runs``.

    Problems without a counted sample that passes on the nominal prompt have nothing to break and are left out.
    """
    fails = _flips(runs, is_right_before=True)
    passing = np.count_nonzero(runs.nominal & runs.is_counted, axis=1)
    lost = np.count_nonzero(fails, axis=2) / np.maximum(passing, 1)[:, np.newaxis]
    weights = np.round(_mean_over_transformations(lost, runs), DECIMALS)
    order = np.argsort(-weights, kind="stable")
    return tuple(_broken(runs, int(row), lost[row], float(weights[row])) for row in order if lost[row].any())


def _flips(runs: PerturbedRuns, *, is_right_before: bool) -> Booleans:
    """Which counted samples a variant turns from right to wrong, or the other way: (problems, variants, samples)."""
    before = (runs.nominal & runs.is_counted)[:, np.newaxis, :]
    if is_right_before:
        return np.asarray(before & ~runs.outcomes)
    return np.asarray((~runs.nominal & runs.is_counted)[:, np.newaxis, :] & runs.outcomes)


def _mean_over_transformations(values: Floats, runs: PerturbedRuns) -> Floats:
    """(problems, variants) to (problems,): seeds averaged first, so that no transformation counts more for them."""
    names = np.array([each.transformation for each in runs.variants])
    means = [values[:, names == name].mean(axis=1) for name in runs.transformations]
    return np.asarray(np.mean(means, axis=0))


def _broken(runs: PerturbedRuns, row: int, lost: Floats, weight: float) -> BrokenProblem:
    breaking = [each.transformation for each, share in zip(runs.variants, lost, strict=True) if share]
    return BrokenProblem(
        problem=runs.problems[row],
        weight=weight,
        breaking=len(breaking),
        changed=int(np.count_nonzero(runs.changed[row])),
        by=tuple(dict.fromkeys(breaking)),
        passing=int(np.count_nonzero(runs.nominal[row] & runs.is_counted[row])),
        samples=int(runs.samples[row]),
    )


def flipped_samples(
    runs: PerturbedRuns,
    *,
    is_right_before: bool = True,
    problems: Sequence[str] | None = None,
    most: int | None = None,
) -> FlippedSamples:
    """Pairs of a nominal and a perturbed sample, one right and the other wrong: right before, wrong after by default.

    problems: only those; None: all. most: how many are spelt out; None: all. For one transformation, give
    ``runs.of_transformation(name)``.
    """
    turned = _flips(runs, is_right_before=is_right_before)
    if problems is not None:
        turned = turned & np.isin(runs.problems, list(problems))[:, np.newaxis, np.newaxis]
    places = np.argwhere(turned)
    shown = [_sample(runs, *place) for place in places[:most].tolist()]
    return FlippedSamples(len(places), tuple(shown))


def _sample(runs: PerturbedRuns, row: int, variant: int, sample: int) -> FlippedSample:
    found = runs.variants[variant]
    return FlippedSample(runs.problems[row], found.transformation, found.seed, sample)
