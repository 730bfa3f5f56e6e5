"""Ask for programs to be run. What was run already, and hasn't changed, is not run again."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict
from app.services.runs import enqueue
from app.storage.models import Benchmark, Generation, Output, Problem, Run, Study
from app.words import gettext

KIND = "execution"


def request_benchmark_execution(
    session: Session, benchmark: Benchmark, *, again: bool = False, user_id: int | None = None, queue: str = "cpu"
) -> Run:
    """Run the benchmark's canonical solutions; ``again``: those that have a verdict, too."""
    payload = {"benchmark": benchmark.id} | ({"again": True} if again else {})
    return enqueue(session, KIND, payload, user_id=user_id, queue=queue)


def unfinished_benchmark_execution(
    session: Session, benchmark: Benchmark, *, user_id: int | None = None, queue: str = "cpu"
) -> Run | None:
    """The run of the canonical solutions that waits or goes on, asked for again where it failed or was cancelled;
    None where it is done."""
    last = session.get(Run, benchmark.run_id) if benchmark.run_id is not None else None
    if last is None or last.state == "done":
        return None
    if last.state in ("queued", "running"):
        return last
    run = request_benchmark_execution(session, benchmark, user_id=user_id, queue=queue)
    benchmark.run_id = run.id
    return run


def request_generation_execution(
    session: Session,
    generation: Generation,
    *,
    again: bool = False,
    user_id: int | None = None,
    queue: str = "cpu",
    priority: int = 0,
) -> Run:
    """Run a generation's completions; ``again``: those that have a verdict, too. ``priority``: see ``Run``."""
    payload = {"generation": generation.id} | ({"again": True} if again else {})
    return enqueue(session, KIND, payload, user_id=user_id, queue=queue, priority=priority)


def request_study_execution(session: Session, study: Study, *, user_id: int | None = None, queue: str = "cpu") -> Run:
    """Run the outputs of all problems that have tests; Conflict where there is none."""
    tested = select(Output.id).join(Problem, Problem.id == Output.problem_id)
    tested = tested.where(Problem.study_id == study.id, Problem.tests.is_not(None), Problem.tests != "")
    if session.scalar(tested.limit(1)) is None:
        raise Conflict(
            gettext("No problem of this study has both tests and outputs."),
            remedy=gettext("Import outputs with a column tests, or make the study from a benchmark."),
        )
    return enqueue(session, KIND, {}, study_id=study.id, user_id=user_id, queue=queue)
