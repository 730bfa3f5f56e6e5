"""Outcomes as rows: one for each program, the newest."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.execution.protocol import Outcome
from app.services.execution.programs import Target
from app.services.execution.targets import NOT_COUNTED, owner_column, pieces
from app.services.imports.storable import legible
from app.services.imports.store_material import insert_all
from app.storage.models import Execution, Output, Problem

Judged = tuple[Target, Outcome]


def store_outcomes(session: Session, judged: Sequence[Judged], run_id: int) -> None:
    """Put these in place of what was known of the same programs."""
    if not judged:
        return
    owner = owner_column(judged[0][0].owner)
    session.execute(delete(Execution).where(owner.in_([target.owner_id for target, _ in judged])))
    insert_all(session, Execution, [_row(target, outcome, run_id) for target, outcome in judged])


def _row(target: Target, outcome: Outcome, run_id: int) -> dict[str, Any]:
    owners = dict.fromkeys(("completion_id", "benchmark_problem_id", "output_id"))
    return {
        **owners,
        target.owner: target.owner_id,
        "input_hash": target.input_hash,
        "verdict": str(outcome.verdict),
        "reason": legible(outcome.reason),
        "stderr": legible(outcome.stderr),
        "stdout": legible(outcome.stdout),
        "tier": None if outcome.tier is None else str(outcome.tier),
        "strength": None if outcome.strength is None else str(outcome.strength),
        "cpu_seconds": outcome.cpu_seconds,
        "wall_seconds": outcome.wall_seconds,
        "memory_bytes": outcome.memory_bytes,
        "limits": asdict(outcome.limits),
        "runtime": outcome.runtime,
        "run_id": run_id,
        "created_at": utc_now(),
    }


def adopt_from_completions(session: Session, study_id: int, targets: Sequence[Target], run_id: int) -> set[int]:
    """Outputs that are samples which were run already get those verdicts, if the inputs are the same to the letter:
    run again, a program at its time limit might get another one. The ids of these outputs."""
    wanted = {each.owner_id: each for each in targets}
    rows = session.execute(
        select(Output.id, Execution)
        .join(Execution, Execution.completion_id == Output.completion_id)
        .join(Problem, Problem.id == Output.problem_id)
        .where(Problem.study_id == study_id, Execution.verdict.not_in(NOT_COUNTED))
    ).all()
    same = {output: known for output, known in rows if _is_of(known, wanted.get(output))}
    for chunk in pieces(same):
        session.execute(delete(Execution).where(Execution.output_id.in_(chunk)))
    insert_all(session, Execution, [_again(known, output, run_id) for output, known in same.items()])
    return set(same)


def _is_of(known: Execution, target: Target | None) -> bool:
    return target is not None and known.input_hash == target.input_hash


def _again(known: Execution, output_id: int, run_id: int) -> dict[str, Any]:
    """The same verdict as that of an output."""
    values = {column.key: getattr(known, column.key) for column in Execution.__table__.columns if column.key != "id"}
    return values | {"completion_id": None, "output_id": output_id, "run_id": run_id, "created_at": utc_now()}
