"""A benchmark's canonical solutions as a file of completions, which a replayed model writes: a model that is always
right, for ceilings."""

import json
from io import BytesIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import InvalidInput
from app.services.benchmarks.which import is_asked
from app.services.imports.uploads import KeptUpload, UploadedFile, keep
from app.storage.models import Benchmark, BenchmarkProblem
from app.words import gettext


def canonical_lines(session: Session, benchmark: Benchmark) -> list[str]:
    """A line of JSON for each row that models are asked and that has a solution, in their order; InvalidInput where
    no row has one."""
    wanted = select(BenchmarkProblem.key, BenchmarkProblem.canonical_solution).where(
        BenchmarkProblem.benchmark_id == benchmark.id, BenchmarkProblem.canonical_solution.is_not(None), is_asked()
    )
    lines = [
        json.dumps({"task_id": key, "completion": solution}, ensure_ascii=False) + "\n"
        for key, solution in session.execute(wanted.order_by(BenchmarkProblem.position))
    ]
    if not lines:
        raise InvalidInput(
            gettext("This benchmark has no canonical solutions."),
            remedy=gettext("Import it with them: most layouts have a column canonical_solution."),
        )
    return lines


def keep_canonical(session: Session, settings: Settings, benchmark: Benchmark) -> KeptUpload:
    """The canonical solutions, stored as a file of completions."""
    content = "".join(canonical_lines(session, benchmark)).encode()
    return keep(settings, [UploadedFile(f"{benchmark.slug}-canonical.jsonl", BytesIO(content))])
