"""A stored benchmark as tasks that samples can be run against."""

from sqlalchemy.orm import Session

from app.execution.human_eval import Task
from app.services.benchmarks.storing import rows_of
from app.storage.models import Benchmark


def tasks_of(session: Session, benchmark: Benchmark) -> dict[str, Task]:
    """The benchmark's tasks by their ids, in its order; of a perturbed set all that are changed, too."""
    return {
        each.key: Task(
            each.key,
            each.prompt,
            each.entry_point,
            each.tests,
            each.canonical_solution,
            each.helpers,
            benchmark.language,
            each.code_after,
        )
        for each in rows_of(session, benchmark)
    }
