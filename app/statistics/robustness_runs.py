"""What robustness is measured from: one model's samples of nominal and of perturbed prompts, category by category."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Booleans = NDArray[np.bool_]
Counts = NDArray[np.int64]
Verdicts = NDArray[np.int8]

PASSED, FAILED, NO_VERDICT = 1, 0, -1


@dataclass(frozen=True, slots=True)
class Variant:
    """A perturbed prompt of each problem: a transformation and its seed (a deterministic one has a single seed)."""

    transformation: str
    seed: int = 0


@dataclass(frozen=True, eq=False)
class PerturbedRuns:
    """One model on one benchmark under the variants of one category (docstring, function name, syntax or format).

    problems: their names, none twice. nominal: shape (problems, samples), whether sample i of the unchanged prompt
    passes. Categories that show half of a solution (syntax, format) have the nominal samples of the unchanged half
    solution, the others those of the whole prompt. perturbed: shape (problems, variants, samples), whether sample i
    of the changed prompt passes; sample i of every prompt is drawn alike, since they are compared one by one.
    changed: shape (problems, variants), whether the transformation changed the problem's prompt at all; where it did
    not, the perturbed samples are the nominal ones, whatever ``perturbed`` holds there. counted: shape (problems,
    samples), which samples may count at all, those with a verdict on the nominal prompt; None: all. judged: shape of
    ``perturbed``, which have a verdict on the changed prompt; None: all. Problems may have different numbers of
    samples: the rest is not counted. Raises StatisticsError for shapes that don't fit.
    """

    category: str
    problems: tuple[str, ...]
    variants: tuple[Variant, ...]
    nominal: Booleans
    perturbed: Booleans
    changed: Booleans
    counted: Booleans | None = None
    judged: Booleans | None = None

    def __post_init__(self) -> None:
        rows, samples = len(self.problems), self.nominal.shape[-1]
        wanted = {
            "nominal": (rows, samples),
            "perturbed": (rows, len(self.variants), samples),
            "changed": (rows, len(self.variants)),
            "counted": (rows, samples),
            "judged": (rows, len(self.variants), samples),
        }
        for name, shape in wanted.items():
            given = getattr(self, name)
            if given is not None and given.shape != shape:
                raise StatisticsError(f"{self.category}: {name} has the shape {given.shape} instead of {shape}.")
        for name, entries in (("problem", self.problems), ("variant", self.variants)):
            if len(set(entries)) < len(entries):
                twice = next(each for place, each in enumerate(entries) if each in entries[:place])
                raise StatisticsError(f"{self.category}: the {name} {twice} is given twice; give each once.")
        if not self.variants:
            raise StatisticsError(f"{self.category}: there is no perturbed prompt; give at least one variant.")

    @classmethod
    def from_verdicts(
        cls,
        category: str,
        problems: Sequence[str],
        variants: Sequence[Variant],
        *,
        nominal: Verdicts,
        perturbed: Verdicts,
        changed: Booleans,
    ) -> "PerturbedRuns":
        """From verdicts: PASSED, FAILED, or NO_VERDICT where a sample was not run or its verdict says nothing.

        A sample counts where it has a verdict on the nominal and on every changed prompt of its problem; under one
        transformation by itself only the prompts of that one are asked about.
        """
        passes, has_verdict = (
            (nominal == PASSED, perturbed == PASSED),
            (nominal != NO_VERDICT, perturbed != NO_VERDICT),
        )
        return cls(category, tuple(problems), tuple(variants), *passes, changed, *has_verdict)

    @cached_property
    def is_counted(self) -> Booleans:
        """Which samples count, shape (problems, samples)."""
        may_count = np.ones(self.nominal.shape, dtype=np.bool_) if self.counted is None else self.counted
        if self.judged is None:
            return may_count
        return np.asarray(may_count & (self.judged | ~self.changed[:, :, np.newaxis]).all(axis=1))

    @cached_property
    def outcomes(self) -> Booleans:
        """Whether each sample passes under each variant, shape (problems, variants, samples)."""
        return np.where(self.changed[:, :, np.newaxis], self.perturbed, self.nominal[:, np.newaxis, :])

    @property
    def samples(self) -> Counts:
        """How many samples count, shape (problems,)."""
        return np.asarray(self.is_counted.sum(axis=1), dtype=np.int64)

    @property
    def transformations(self) -> tuple[str, ...]:
        """Their names, in the order of the variants."""
        return tuple(dict.fromkeys(each.transformation for each in self.variants))

    @cached_property
    def seed_numbers(self) -> Counts:
        """Of each variant the place of its seed among those of its transformation in rising order: 0, 1, …"""
        seeds: dict[str, list[int]] = {}
        for each in self.variants:
            seeds.setdefault(each.transformation, []).append(each.seed)
        ranks = [sorted(seeds[each.transformation]).index(each.seed) for each in self.variants]
        return np.array(ranks, dtype=np.int64)

    def of_transformation(self, name: str) -> "PerturbedRuns":
        """Only its variants."""
        return self._only([each.transformation == name for each in self.variants])

    def first_seeds(self, count: int) -> "PerturbedRuns":
        """Of each transformation the variants with its ``count`` smallest seeds; the same samples count."""
        return replace(self._only((self.seed_numbers < count).tolist()), counted=self.is_counted)

    def _only(self, chosen: list[bool]) -> "PerturbedRuns":
        variants = tuple(each for each, keep in zip(self.variants, chosen, strict=True) if keep)
        return replace(
            self,
            variants=variants,
            perturbed=self.perturbed[:, chosen],
            changed=self.changed[:, chosen],
            judged=None if self.judged is None else self.judged[:, chosen],
        )
