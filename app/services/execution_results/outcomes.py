"""A study's outputs of problems that have tests, each with its newest verdict."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.execution.protocol import Verdict
from app.services.execution.requests import KIND
from app.services.execution_results.samples import COUNTED_NAMES, NOT_EXECUTED, Wall
from app.storage.models import Execution, Item, Output, Problem, Run, Study, System


@dataclass(frozen=True, slots=True)
class ExecutedOutput:
    """One output. task: its item by content, as grades name it. verdict: None where it was not executed yet."""

    id: int
    item_id: int
    problem: str
    system: str
    task: str
    verdict: str | None
    reason: str
    wall: Wall

    @property
    def passed(self) -> bool | None:
        """None where no verdict speaks for or against it."""
        return self.verdict == Verdict.PASSED if self.verdict in COUNTED_NAMES else None


def study_stamp(session: Session, study: Study) -> tuple[Any, ...]:
    """Changes whenever a run has executed outputs of the study: nothing else does."""
    runs = select(Run.id, Run.done, Run.state).where(Run.study_id == study.id, Run.kind == KIND)
    return tuple(tuple(row) for row in session.execute(runs.order_by(Run.id)))


def executed_outputs(session: Session, study: Study) -> list[ExecutedOutput]:
    """In the study's order of problems and systems."""
    rows = session.execute(
        select(
            Output.id,
            Output.item_id,
            Problem.key,
            System.name,
            Item.identity,
            Execution.verdict,
            Execution.reason,
            Execution.tier,
            Execution.strength,
        )
        .join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
        .join(Item, Item.id == Output.item_id)
        .outerjoin(Execution, Execution.output_id == Output.id)
        .where(Problem.study_id == study.id, Problem.tests.is_not(None), Problem.tests != "")
        .order_by(Problem.position, Problem.id, System.position, System.id)
    )
    return [
        ExecutedOutput(number, item, key, system, f"{key}\x1f{identity}", verdict, reason or "", (tier, strength))
        for number, item, key, system, identity, verdict, reason, tier, strength in rows
    ]


def verdict_counts(outputs: Sequence[ExecutedOutput]) -> Counter[str]:
    """How many have which verdict; those not executed yet by that name."""
    return Counter(each.verdict or NOT_EXECUTED for each in outputs)


def walls_of(outputs: Sequence[ExecutedOutput]) -> list[Wall]:
    """What stood around the programs whose verdicts count, each once."""
    return sorted({each.wall for each in outputs if each.passed is not None}, key=str)
