"""Time and memory of "Is it enough?": intervals of all systems and pairs, projected, and the ranking over time.

    python -m benchmarks.enough           5 systems over 472 problems, the size of the CoNaLa study
    python -m benchmarks.enough --large   500 systems over 5,000 problems, three grades an item

CPU seconds of this one process; memory is its peak, less what the generated grades take before.
"""

import argparse
import resource
from time import process_time

import numpy as np

from app.statistics.precision import measure_precision
from app.statistics.ranking_stability import measure_stability
from app.statistics.system_grades import collect_grades


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="500 systems over 5,000 problems")
    size, problems, each = (500, 5000, 3) if parser.parse_args().large else (5, 472, 4)
    rng = np.random.default_rng(0)
    systems = [f"s{system:03d}" for system in range(size)]
    names = [f"p{problem:04d}/{system}" for system in systems for problem in range(problems)]
    order = rng.permutation(len(names) * each)
    items = [names[at % len(names)] for at in order]
    quality = rng.uniform(0.3, 0.7, size)
    labels = rng.binomial(4, quality[order % len(names) // problems]).astype(float)
    owners, problem_of = {name: [name[6:]] for name in names}, {name: name[:5] for name in names}
    before, start = megabytes(), process_time()
    grades = collect_grades(items, labels, systems=systems, systems_of=owners, problem_of=problem_of, scale=(0, 4))  # type: ignore[arg-type]
    collected = process_time()
    precision = measure_precision(grades)
    pairs, by_system = precision.pairs, precision.by_system
    precise = process_time()
    stability = measure_stability(grades, np.array(pairs["separated"]))
    stable = process_time()
    print(
        f"{len(by_system)} systems, {len(pairs['first']):,} pairs, {problems:,} problems, {len(items):,} grades: "
        f"collecting {collected - start:.2f}, precision with {precision.draws:,} draws {precise - collected:.2f}, "
        f"stability at {len(stability.checkpoints)} checkpoints {stable - precise:.2f} CPU s; "
        f"peak memory {megabytes():.0f} MB ({before:.0f} MB before)"
    )


if __name__ == "__main__":
    main()
