"""How long robustness over a perturbed set takes: python -m benchmarks.robustness_results [SAMPLES]

Three models with one sample (or more) for each row of a set of 164 problems with 100 changed prompts each, in two
categories. The document when nothing is known yet; once verdicts and single models are kept and other models are
chosen; and once the document itself is kept. The goal is well under a second for whoever comes back.
"""

import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.perturbations import Category, Form
from app.services.perturbing.recipes import IMPORTED, Recipe, ReleasedFile
from app.services.perturbing.requests import add_set
from app.services.robustness_results.document import robustness_results
from app.services.robustness_results.views import Wanted, view_of
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Execution, Generation

PROBLEMS, TRANSFORMATIONS, SEEDS, MODELS = 164, 10, 5, 3  # of each category
CATEGORIES = (Category.DOCSTRING, Category.FUNCTION_NAME)
PIECES = [
    (f"{category}/T{number}", category, seed)
    for category in CATEGORIES
    for number in range(TRANSFORMATIONS)
    for seed in range(SEEDS)
]
PLAIN = {"canonical_solution": "    pass\n", "tests": "", "helpers": "", "form": "whole", "code_after": ""}


def make_set(session: Session) -> Benchmark:
    """Every change changes every prompt."""
    files = [
        ReleasedFile(file=f"{name}_{seed}", transformation=name, category=category, form=Form.WHOLE, seed=seed)
        for name, category, seed in PIECES
    ]
    made = add_set(session, "Set", Recipe(mode=IMPORTED, files=tuple(files)), file_hash="0" * 64)
    nominal = [_row(made, f"p/{n}", n) for n in range(PROBLEMS)]
    session.execute(insert(BenchmarkProblem), nominal)
    origins = session.scalars(select(BenchmarkProblem.id).order_by(BenchmarkProblem.position)).all()
    places = [(place, origin, piece) for piece in PIECES for place, origin in enumerate(origins)]
    rows = [
        _row(made, f"p/{place} · {name} · {seed}", PROBLEMS + number)
        | {"origin_id": origin, "transformation": name, "category": str(category), "perturbation_seed": seed}
        for number, (place, origin, (name, category, seed)) in enumerate(places)
    ]
    session.execute(insert(BenchmarkProblem), rows)
    return made


def _row(made: Benchmark, key: str, position: int) -> dict[str, object]:
    return {"benchmark_id": made.id, "key": key, "position": position, "prompt": key, "entry_point": "f", **PLAIN}


def add_model(session: Session, made: Benchmark, label: str, samples: int, seed: int) -> None:
    """Half of the samples pass."""
    generation = Generation(benchmark_id=made.id, label=label, spec={"backend": "replay", "name": label})
    generation.sampling, generation.samples, generation.cut_rule = {}, samples, "none"
    session.add(generation)
    session.flush()
    rows = session.scalars(select(BenchmarkProblem.id)).all()
    text = {"seed": 0, "raw": "", "text": "", "finish": "stop", "prompt_tokens": 1, "tokens": 1, "seconds": 0.0}
    written = [
        {"generation_id": generation.id, "problem_id": row, "sample": sample, **text}
        for row in rows
        for sample in range(samples)
    ]
    session.execute(insert(Completion), written)
    completions = list(session.scalars(select(Completion.id).where(Completion.generation_id == generation.id)))
    passes = np.random.default_rng(seed).random(len(completions)) < 0.5
    _judge(session, "completion_id", completions, passes.tolist())


def _judge(session: Session, owner: str, numbers: list[int], passes: list[bool]) -> None:
    known: dict[str, object] = {
        "input_hash": "",
        "reason": "",
        "stderr": "",
        "stdout": "",
        "limits": {},
        "runtime": "",
    }
    known |= {"cpu_seconds": 0.0, "wall_seconds": 0.0, "memory_bytes": 0, "created_at": utc_now()}
    rows = [
        {owner: number, "verdict": "passed" if passed else "failed", **known}
        for number, passed in zip(numbers, passes, strict=True)
    ]
    session.execute(insert(Execution), rows)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/codejury.sqlite3"
        migrate.upgrade(url)
        database = Database(url)
        with database.write() as session:
            made = make_set(session)
            rows = list(session.scalars(select(BenchmarkProblem.id)))
            _judge(session, "benchmark_problem_id", rows, [True] * len(rows))
            for number in range(MODELS):
                add_model(session, made, f"model {number}", samples, number)
        with database.read() as session:
            made = session.scalars(select(Benchmark)).one()
            first = session.scalars(select(Generation.id).order_by(Generation.id)).first() or 0
            tell("nothing known, three models", lambda: robustness_results(session, made))
            tell("other models chosen, verdicts and models kept", lambda: robustness_results(session, made, [first]))
            tell("three models again, with a pair and what breaks", lambda: view_of(session, made, Wanted()))
            tell("all kept", lambda: view_of(session, made, Wanted()))


def tell(name: str, call: Callable[[], object]) -> None:
    start = time.perf_counter()
    call()
    print(f"{name}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
