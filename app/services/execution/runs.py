"""The run: programs through the sandbox, their verdicts stored chunk by chunk."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.execution.protocol import Runner, Verdict
from app.services.benchmarks.which import is_asked
from app.services.execution.opening import open_for
from app.services.execution.programs import Target
from app.services.execution.scoring import store_execution_scores
from app.services.execution.storing import Judged, adopt_from_completions, store_outcomes
from app.services.execution.targets import outstanding, subject_of, verdicts
from app.services.runs import RunContext, Store, handler
from app.storage.models import BenchmarkProblem, Execution, Study
from app.words import gettext, human_number

SECONDS_A_CHUNK = 1.0
LARGEST_CHUNK = 500
LISTED = 200  # solutions that don't pass, in a run's result

Open = Callable[[Settings], Runner]


@handler("execution")
def run_executions(context: RunContext) -> Store:
    """Run what has no current verdict."""
    return execute_outstanding(context, open_for)


def execute_outstanding(context: RunContext, open_runner: Open) -> Store:
    """The same with a runner of the caller's choice."""
    subject = subject_of(context)
    with context.database.read() as session:
        targets = subject.load(session)
        left = outstanding(session, targets, since_run=context.run_id if context.payload.get("again") else None)
    left = _without_adopted(context, left)
    if left:
        _run(context, open_runner, left, len(targets), subject.unit)
    return lambda session: _finish(session, context, targets)


def _without_adopted(context: RunContext, left: list[Target]) -> list[Target]:
    if context.study_id is None or not left:
        return left
    with context.write() as session:
        adopted = adopt_from_completions(session, context.study_id, left, context.run_id)
    return [each for each in left if each.owner_id not in adopted]


def _run(context: RunContext, open_runner: Open, left: list[Target], total: int, unit: str) -> None:
    done = total - len(left)
    with closing(open_runner(context.settings)) as runner:
        context.progress(done, total, unit=unit, message=gettext("Running programs"))
        for chunk in _chunks(context, runner, left):
            with context.write() as session:
                store_outcomes(session, chunk, context.run_id)
            done += len(chunk)
            context.progress(done, total, unit=unit, message=gettext("Running programs"))
            context.give_way()


def _chunks(context: RunContext, runner: Runner, left: list[Target]) -> Iterator[list[Judged]]:
    """Verdicts of about a second at a time."""
    chunk: list[Judged] = []
    began = time.monotonic()
    outcomes = runner.run_all(each.program for each in left)
    for each, outcome in zip(left, outcomes, strict=True):
        context.check()
        chunk.append((each, outcome))
        if len(chunk) >= LARGEST_CHUNK or time.monotonic() - began >= SECONDS_A_CHUNK:
            yield chunk
            chunk, began = [], time.monotonic()
    if chunk:
        yield chunk


def _finish(session: Session, context: RunContext, targets: list[Target]) -> dict[str, Any]:
    """What came of it, in words; a study gets its scores."""
    if context.study_id is not None:
        store_execution_scores(session, session.get_one(Study, context.study_id), context.run_id)
    counts = verdicts(session, targets)
    result: dict[str, Any] = {"programs": len(targets), "verdicts": dict(counts)}
    lines = _counted(counts, len(targets))
    if "benchmark" in context.payload:
        result["not_passing"] = not_passing(session, context.payload["benchmark"])[:LISTED]
        if not targets:
            lines = [gettext("This benchmark has no canonical solutions.")]
        lines += [f"{each['key']}: {each['verdict']}: {each['reason']}" for each in result["not_passing"]]
    return result | {"message": "\n".join(lines)}


def _counted(counts: Counter[str], total: int) -> list[str]:
    """On a line how many passed, on another what became of the others: lines are put into other languages singly."""
    passed = counts[Verdict.PASSED]
    others = [f"{human_number(n)} {verdict}" for verdict, n in sorted(counts.items()) if verdict != Verdict.PASSED]
    told = gettext("%(passed)s of %(total)s passed.", passed=human_number(passed), total=human_number(total))
    return [told, ", ".join(others)] if others else [told]


def not_passing(session: Session, benchmark_id: int) -> list[dict[str, str]]:
    """The benchmark's problems whose canonical solution does not pass, or has not been run, and why."""
    rows = session.execute(
        select(BenchmarkProblem.key, Execution.verdict, Execution.reason)
        .outerjoin(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id == benchmark_id, BenchmarkProblem.canonical_solution.is_not(None))
        .where((Execution.verdict != "passed") | Execution.verdict.is_(None), is_asked())
        .order_by(BenchmarkProblem.position)
    )
    return [{"key": key, "verdict": verdict or "not_run", "reason": reason or ""} for key, verdict, reason in rows]
