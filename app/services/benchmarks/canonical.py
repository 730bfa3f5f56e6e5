"""A benchmark's canonical solutions as a file of completions, which a replayed model writes: a model that is always
right, for ceilings."""

import json
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.benchmarks.which import is_asked
from app.storage.models import Benchmark, BenchmarkProblem


def canonical_lines(session: Session, benchmark: Benchmark) -> Iterator[str]:
    """A line of JSON for each row that models are asked and that has a solution, in their order."""
    wanted = select(BenchmarkProblem.key, BenchmarkProblem.canonical_solution).where(
        BenchmarkProblem.benchmark_id == benchmark.id, BenchmarkProblem.canonical_solution.is_not(None), is_asked()
    )
    for key, solution in session.execute(wanted.order_by(BenchmarkProblem.position)):
        yield json.dumps({"task_id": key, "completion": solution}, ensure_ascii=False) + "\n"
