"""Robustness of a whole category with its intervals, and automatic checks held against people.

    python -m benchmarks.robustness [PROBLEMS]

A category of 20 transformations with 5 seeds each, 100 samples of each of 164 problems, three k, every transformation
by itself too; then two models compared, the curve over s, and three checks on 500 graded items. CPU seconds of one
process, the best of several runs, so that a busy machine counts little.
"""

import sys
from collections.abc import Callable
from time import process_time

import numpy as np

from app.statistics.robustness import measure_robustness
from app.statistics.robustness_checks import checks_against_people
from app.statistics.robustness_comparison import compare_robustness
from app.statistics.robustness_curves import robustness_over_seeds
from app.statistics.robustness_runs import PerturbedRuns, Variant
from app.statistics.survey import SurveyGrades

TRANSFORMATIONS, SEEDS, SAMPLES, ITEMS, GRADES = 20, 5, 100, 500, 5
KS = (1, 10, 100)


def generated_runs(problems: int, seed: int = 0) -> PerturbedRuns:
    """Half of the nominal samples pass; each perturbed prompt costs a twentieth of them."""
    rng = np.random.default_rng(seed)
    variants = tuple(Variant(f"t{name:02d}", each) for name in range(TRANSFORMATIONS) for each in range(SEEDS))
    nominal = rng.random((problems, SAMPLES)) < rng.random((problems, 1))
    perturbed = nominal[:, np.newaxis] & (rng.random((problems, len(variants), SAMPLES)) < 0.95)
    changed = rng.random((problems, len(variants))) < 0.9
    return PerturbedRuns("docstring", tuple(f"p{n}" for n in range(problems)), variants, nominal, perturbed, changed)


def generated_grades() -> tuple[SurveyGrades, dict[str, dict[str, float]]]:
    """Five grades of each item, and the scores of three checks."""
    rng = np.random.default_rng(0)
    names = [f"i{item:04d}" for item in range(ITEMS)]
    grades = rng.choice([0, 0.5, 1], (ITEMS, GRADES))
    scores = {check: dict(zip(names, rng.random(ITEMS).tolist(), strict=True)) for check in ("a", "b", "c")}
    return SurveyGrades(np.repeat(names, GRADES).tolist(), grades.ravel().tolist()), scores


def seconds(call: Callable[[], object], runs: int = 3) -> float:
    taken = []
    for _ in range(runs):
        start = process_time()
        call()
        taken.append(process_time() - start)
    return min(taken)


def main() -> None:
    problems = int(sys.argv[1]) if len(sys.argv) > 1 else 164
    runs, others = generated_runs(problems), generated_runs(problems, seed=1)
    grades, scores = generated_grades()
    work: dict[str, Callable[[], object]] = {
        "a category, 1,000 draws": lambda: measure_robustness(runs, KS, draws=1_000),
        "a category, 10,000 draws": lambda: measure_robustness(runs, KS),
        "two models, 10,000 draws": lambda: compare_robustness(runs, others),
        "the curve over s, 10,000 draws": lambda: robustness_over_seeds(runs, KS),
        "three checks on 500 items, 10,000 draws": lambda: checks_against_people(grades, scores),
    }
    for name, call in work.items():
        print(f"{name}: {seconds(call):.2f} s")


if __name__ == "__main__":
    main()
