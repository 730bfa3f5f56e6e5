"""Is it enough? How the intervals of systems' means and of their differences shrink with more grades.

Two things make a mean uncertain: which problems were taken, and which grades an item happened to get. A two-level
bootstrap that draws problems with their grades and then again grades within items counts the second twice (Davison
& Hinkley 1997, section 3.8). So the levels are taken apart: V, the variance over draws of the problems with all
their grades, holds both; G/k, the variance of means of k grades drawn from an item's own, is the second alone, in
closed form. With m grades an item and n' problems of n the variance is (n / n') (V - G/k + G/m). Where G/k comes out
above V, by chance or because some annotators are strict throughout, it is taken to be V: parts of what there is.
"""

from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from app.once import computed_once
from app.statistics.fixed_point import SIGNIFICAND_BITS, fraction_bits, to_fixed_point
from app.statistics.needs import grades_needed, problems_needed
from app.statistics.precision_result import Need, PairPrecision, SystemPrecision
from app.statistics.resampling import draw_count_blocks
from app.statistics.significance import pair_indices
from app.statistics.system_grades import SystemGrades

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

DECIMALS = 10
Z = NormalDist().inv_cdf(0.975)
FEWEST_PROBLEMS = 10
MULTIPLES = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
MOST_MULTIPLE = 100  # of the problems: further a forecast says nothing
MOST_GRADES = 100  # per item
CHANCES = (0.5, 0.8)
ASSUMPTIONS = (
    "Further problems and grades are taken to be like those so far, given by annotators like these, each item "
    "counting with the mean of its grades and each problem independent of the others; a difference is taken to "
    "stay what it is now."
)
TOO_FEW = f"fewer than {FEWEST_PROBLEMS} problems have a grade for it"
NO_PAIRS = "no item has two grades, so that nothing shows how far grades of one item differ"
SAME_ITEMS = "both have the same mean"


@dataclass(frozen=True, eq=False)
class Precision:
    """The two levels' variances of all systems' means; what is asked of them is computed from these.

    means: shape (systems,), points; NaN inside for a system without a grade. both: V, shape (systems, systems),
    covariances over draws of the problems. now, single: G/k and G, the same shape, None where no item has two
    grades. enough: shape (systems,), whether a system has the problems it takes.
    """

    systems: tuple[str, ...]
    grades: SystemGrades
    means: Floats
    graded: Indices
    both: Floats
    now: Floats | None
    single: Floats | None
    grade_numbers: tuple[int, ...]
    problem_numbers: tuple[int, ...]
    draws: int
    seed: int

    @property
    def enough(self) -> NDArray[np.bool_]:
        """Whether each system has grades for as many problems as it takes."""
        return self.graded >= FEWEST_PROBLEMS

    @computed_once
    def by_system(self) -> tuple[SystemPrecision, ...]:
        """Every system, in the order given."""
        return tuple(self._system(row) for row in range(len(self.systems)))

    def _system(self, row: int) -> SystemPrecision:
        name, problems = self.systems[row], int(self.graded[row])
        mean = round(float(self.means[row]), DECIMALS) if problems else None
        if not self.enough[row]:
            return SystemPrecision(name, mean, problems, None, (), (), TOO_FEW)
        one = np.zeros(len(self.systems))
        one[row] = 1
        return SystemPrecision(name, mean, problems, *self._half_widths(one))

    def pair(self, first: str, second: str) -> PairPrecision:
        """Two systems by name; ValueError if there is no such system."""
        a, b = self.systems.index(first), self.systems.index(second)
        if not (self.enough[a] and self.enough[b]):
            reason = f"{self.systems[b if self.enough[a] else a]}: {TOO_FEW}"
            return PairPrecision(first, second, None, None, False, (), (), (), reason)
        contrast = np.zeros(len(self.systems))
        contrast[a] += 1
        contrast[b] -= 1
        difference = round(float(self.means[a] - self.means[b]), DECIMALS)
        half_width, by_grades, by_problems = self._half_widths(contrast)
        separated = abs(difference) > half_width
        needs = () if separated else tuple(self._need(contrast, difference, chance) for chance in CHANCES)
        return PairPrecision(first, second, difference, half_width, separated, by_grades, by_problems, needs)

    @computed_once
    def pairs(self) -> dict[str, list[Any]]:
        """All pairs as columns: numbers of both systems, difference, half-width, problems and grades needed.

        Needed at an even chance, None beyond reach; the differences of pairs with too few problems are None.
        """
        a, b = pair_indices(len(self.systems))
        difference = np.round(self.means[a] - self.means[b], DECIMALS)
        usable = self.enough[a] & self.enough[b]
        both = self._variances(self.both, a, b)
        half = np.round(Z * np.sqrt(both), DECIMALS)
        problems = problems_needed(difference, both, Z, self.grades.problems)
        in_reach = usable & (problems <= MOST_MULTIPLE * self.grades.problems)
        columns: dict[str, list[Any]] = {"first": a.tolist(), "second": b.tolist()}
        columns["difference"] = _known(difference, usable)
        columns["half_width"] = _known(half, usable)
        columns["separated"] = (usable & (np.abs(difference) > half)).tolist()
        columns["problems_needed"] = _known(problems, in_reach, whole=True)
        if self.now is None or self.single is None:
            return columns | {"grades_needed": [None] * len(a)}
        between, single = _parts(both, self._variances(self.now, a, b), self._variances(self.single, a, b))
        grades = grades_needed(difference, between, single, Z)
        return columns | {"grades_needed": _known(grades, usable & (grades <= MOST_GRADES), whole=True)}

    def _variances(self, covariance: Floats, a: Indices, b: Indices) -> Floats:
        """Variance of the differences of these pairs; never below 0 by rounding."""
        own = np.diag(covariance)
        return np.maximum(own[a] + own[b] - 2 * covariance[a, b], 0)

    def _half_widths(self, contrast: Floats) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
        """Now, by grades per item, by problems, of a linear combination of the means."""
        both = _quadratic(self.both, contrast)
        by_problems = [_half(both * self.grades.problems / number) for number in self.problem_numbers]
        by_grades: list[float] = []
        if (levels := self._levels(contrast)) is not None:
            between, single = levels
            by_grades = [_half(between + single / number) for number in self.grade_numbers]
        return _half(both), tuple(by_grades), tuple(by_problems)

    def _levels(self, contrast: Floats) -> tuple[float, float] | None:
        """Of a linear combination: what no grade takes away, and what one grade an item adds; None if unknown."""
        if self.now is None or self.single is None:
            return None
        variances = (np.array([_quadratic(each, contrast)]) for each in (self.both, self.now, self.single))
        between, single = _parts(*variances)
        return float(between[0]), float(single[0])

    def _need(self, contrast: Floats, difference: float, chance: float) -> Need:
        reach = Z + NormalDist().inv_cdf(chance)
        problems, problems_reason = self._problems(contrast, difference, reach)
        grades, grades_reason = self._grades(contrast, difference, reach)
        more_items = more_grades = None
        if problems is not None:
            per_problem = self.grades.items / self.grades.problems
            more_items = int(np.ceil(round((problems - self.grades.problems) * per_problem, 6)))
        if grades is not None:
            held = self.grades.grades_per_item[np.abs(contrast) @ self.grades.outputs > 0]
            more_grades = int(np.maximum(grades - held, 0).sum())
        return Need(chance, problems, more_items, grades, more_grades, problems_reason, grades_reason)

    def _problems(self, contrast: Floats, difference: float, reach: float) -> tuple[int | None, str | None]:
        if difference == 0:
            return None, SAME_ITEMS
        now, most = self.grades.problems, MOST_MULTIPLE * self.grades.problems
        both = np.array([_quadratic(self.both, contrast)])
        needed = float(problems_needed(np.array([difference]), both, reach, now)[0])
        return (int(needed), None) if needed <= most else (None, f"not within {most:,} problems")

    def _grades(self, contrast: Floats, difference: float, reach: float) -> tuple[int | None, str | None]:
        if (levels := self._levels(contrast)) is None:
            return None, NO_PAIRS
        if difference == 0:
            return None, SAME_ITEMS
        between, single = levels
        if reach**2 * between >= difference**2:
            return None, "no number of grades would do on so few problems"
        needed = float(grades_needed(np.array([difference]), np.array([between]), np.array([single]), reach)[0])
        return (int(needed), None) if needed <= MOST_GRADES else (None, f"not within {MOST_GRADES} grades an item")

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None; pairs as columns."""
        counts = self.grades.grades_per_item
        return {
            "systems": [asdict(system) for system in self.by_system],
            "pairs": self.pairs,
            "grade_numbers": list(self.grade_numbers),
            "problem_numbers": list(self.problem_numbers),
            "problems": self.grades.problems,
            "items": self.grades.items,
            "grades": int(counts.sum()),
            "grades_per_item": round(float(counts.mean()), DECIMALS) if len(counts) else None,
            "draws": self.draws,
            "seed": self.seed,
            "assumptions": ASSUMPTIONS,
        }


def measure_precision(
    grades: SystemGrades, *, most_grades: int | None = None, draws: int = 2_000, seed: int = 0
) -> Precision:
    """How precise the systems' means are, and what more grades or problems would make of it.

    A system's mean is that over its graded items. The draws resample the problems, the same for all systems;
    a mean moves in a draw by the sum of the drawn problems' residuals, the usual linearisation where systems lack
    some. most_grades: how far the curves go, by default to twice the most that an item has. Half-widths are 1.96
    standard deviations. Deterministic for a seed, whatever the order of the grades. Sources: Davison & Hinkley
    1997, section 3.8; Efron & Tibshirani 1993, chapter 6.
    """
    counts, variances = grades.grades_per_item, grades.item_variances()
    graded = np.asarray(grades.outputs.sum(axis=1)).astype(np.intp)
    weights = csr_array(diags_array(1 / np.maximum(graded, 1)) @ grades.outputs)
    item_means = grades.item_means()
    means = np.where(graded > 0, weights @ item_means, np.nan)
    residuals = _residuals(grades, weights, item_means, means)
    now = single = None
    if variances is not None:
        now, single = _noise(weights, variances / counts), _noise(weights, variances)
    top = most_grades or max(10, 2 * int(counts.max(initial=0)))
    numbers = {int(np.ceil(multiple * grades.problems)) for multiple in MULTIPLES}
    return Precision(
        systems=grades.systems,
        grades=grades,
        means=means,
        graded=graded,
        both=_covariance(residuals, draws=draws, seed=seed),
        now=now,
        single=single,
        grade_numbers=tuple(range(1, top + 1)),
        problem_numbers=tuple(sorted(numbers)),
        draws=draws,
        seed=seed,
    )


def _residuals(grades: SystemGrades, weights: csr_array, item_means: Floats, means: Floats) -> Floats:
    """What each problem adds to each system's mean beyond its share: shape (problems, systems), columns sum to 0."""
    cells = weights.tocoo()
    values = cells.data * (item_means[cells.col] - means[cells.row])
    shape = (grades.problems, len(grades.systems))
    place = grades.problem[cells.col] * shape[1] + cells.row
    summed = np.bincount(place, weights=values, minlength=shape[0] * shape[1])
    return summed.astype(np.float64).reshape(shape)


def _noise(weights: csr_array, variances: Floats) -> Floats:
    """Covariances of the means from independent errors of the items: an item of two systems moves both alike."""
    return np.asarray((weights @ diags_array(variances) @ weights.T).todense())


def _covariance(residuals: Floats, *, draws: int, seed: int) -> Floats:
    """Second moments of the draws' means around the means themselves; shape (systems, systems)."""
    problems, systems = residuals.shape
    if problems == 0:
        return np.zeros((systems, systems))
    exact = to_fixed_point(residuals, fraction_bits(residuals, problems))
    moves = np.empty((draws, systems))
    for rows, counts in draw_count_blocks(problems, draws, seed=seed):
        moves[rows] = counts @ exact
    # Coarse enough that sums of their products are exact, too; still far finer than anyone reads.
    _, exponent = np.frexp(float(np.abs(moves).max()) ** 2 * draws)
    moves = to_fixed_point(moves, (SIGNIFICAND_BITS - int(exponent)) // 2)
    return np.asarray(moves.T @ moves / draws)


def _parts(both: Floats, now: Floats, single: Floats) -> tuple[Floats, Floats]:
    """What no grade takes away, and what one grade an item adds, so that both make up what there is now.

    Otherwise as many grades as there are would seem to give another interval than there is, even a wider one.
    """
    share = np.divide(both, now, out=np.ones_like(both), where=now > both)
    return np.maximum(both - now, 0), single * share


def _quadratic(covariance: Floats, contrast: Floats) -> float:
    """Variance of the combination, from its few systems; never below 0 by rounding."""
    held = np.flatnonzero(contrast)
    return max(float(contrast[held] @ covariance[np.ix_(held, held)] @ contrast[held]), 0.0)


def _half(variance: float) -> float:
    return round(Z * float(np.sqrt(variance)), DECIMALS)


def _known(values: Floats, known: NDArray[np.bool_], *, whole: bool = False) -> list[Any]:
    """The values, whole numbers as such; None where they are not known."""
    convert = int if whole else float
    return [convert(value) if is_known else None for value, is_known in zip(values, known, strict=True)]
