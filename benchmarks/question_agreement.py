"""All coefficients of one question with 10,000-draw intervals, beside loops over the draws in the same run.

    python -m benchmarks.question_agreement [ITEMS]

Ours: Fleiss, three alphas, percent agreement, both majorities, and three kappas of every pair of annotators. The
loops: the krippendorff package (ordinal alpha only), and Fleiss' kappa as statsmodels writes it, each on a few draws
and scaled up. CPU seconds of one process, the best of several runs, so that a busy machine counts little.
"""

import sys
from collections.abc import Callable
from time import process_time

import krippendorff
import numpy as np

from app.statistics.question_agreement import measure_question

DRAWS, FEW = 10_000, 30
ANNOTATORS, GRADES = 16, 5
LABELS = np.arange(5)


def generated_grades(items: int) -> tuple[list[str], list[str], list[float]]:
    """Five grades of sixteen annotators on 0-4 for each item, at most one step from its truth."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, (items, 1))
    grades = np.clip(truth + rng.integers(-1, 2, (items, GRADES)), 0, 4)
    who = [annotator for _ in range(items) for annotator in rng.choice(ANNOTATORS, GRADES, replace=False)]
    names = [f"i{item:06d}" for item in range(items) for _ in range(GRADES)]
    return names, [f"a{annotator:02d}" for annotator in who], grades.ravel().astype(float).tolist()


def seconds(call: Callable[[], object], runs: int = 5) -> float:
    taken = []
    for _ in range(runs):
        start = process_time()
        call()
        taken.append(process_time() - start)
    return min(taken)


def fleiss(table: np.ndarray) -> float:
    """statsmodels' inter_rater.fleiss_kappa, for equal numbers of grades."""
    raters = table.sum(axis=1).max()
    shares = table.sum(axis=0) / table.sum()
    observed = (((table * table).sum(axis=1) - raters) / (raters * (raters - 1.0))).mean()
    expected = (shares * shares).sum()
    return float((observed - expected) / (1 - expected))


def loop(table: np.ndarray, coefficient: Callable[[np.ndarray], float]) -> Callable[[], object]:
    def run() -> list[float]:
        rng = np.random.default_rng(0)
        return [coefficient(table[rng.integers(0, len(table), len(table))]) for _ in range(FEW)]

    return run


def ordinal(table: np.ndarray) -> float:
    found: float = krippendorff.alpha(value_counts=table, value_domain=LABELS, level_of_measurement="ordinal")
    return found


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    rows = generated_grades(items)
    found = measure_question(*rows)
    ours = seconds(lambda: measure_question(*rows))
    print(
        f"CodeJury: {items:,} items, {len(rows[0]):,} grades, {DRAWS:,} draws of four coefficients, three shares and "
        f"{len(found.pairs)} pairs of annotators ({found.pair_draws:,} draws): {ours:.2f} CPU s"
    )
    table = (np.array(rows[2]).reshape(items, GRADES, 1) == LABELS).sum(axis=1)
    for name, coefficient in (("krippendorff, ordinal alpha", ordinal), ("Fleiss' kappa as in statsmodels", fleiss)):
        theirs = seconds(loop(table, coefficient), runs=3) * DRAWS / FEW
        print(f"{name} alone, looped: {theirs:.1f} CPU s ({FEW} draws, scaled): {theirs / ours:.1f} times ours")


if __name__ == "__main__":
    main()
