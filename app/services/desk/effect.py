"""What excluding or restoring somebody changes: agreement, and the mean of each system, before and after."""

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from app.services.analysis.inputs import GradeRows, OutputGrid, load_grades, load_grid
from app.statistics.agreement import AgreementCoefficient, measure_agreement
from app.statistics.consensus import Consensus, ConsensusMethod, find_consensus
from app.storage.models import Annotator, Study

DRAWS = 1000
COEFFICIENTS = ("fleiss_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval")


@dataclass(frozen=True, slots=True)
class Side:
    """Results with some people's grades. systems: of each its mean, and from how many outputs.

    method: of the consensus; the mean where M-MSR finds none, for the ``reason``.
    """

    grades: int
    coefficients: dict[str, AgreementCoefficient]
    method: str
    reason: str | None
    systems: dict[str, tuple[float | None, int]]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "grades": self.grades,
            "coefficients": {name: asdict(value) for name, value in self.coefficients.items()},
            "method": self.method,
            "reason": self.reason,
            "systems": {name: {"mean": mean, "outputs": outputs} for name, (mean, outputs) in self.systems.items()},
        }


def measure_effect(session: Session, study: Study, annotator: Annotator, question: str | None) -> tuple[Side, Side]:
    """Before and after: with the grades that count now, and with those that would."""
    is_one = Annotator.id == annotator.id
    counted = Annotator.excluded_at.is_(None)
    then = counted & ~is_one if annotator.excluded_at is None else counted | is_one
    grid = load_grid(session, study)
    before, after = (_side(session, study, grid, question, people) for people in (counted, then))
    return before, after


def _side(
    session: Session, study: Study, grid: OutputGrid, question: str | None, people: ColumnElement[bool]
) -> Side:
    grades = load_grades(session, study, question, people=people)
    agreement = measure_agreement(grades.tasks, grades.labels, draws=DRAWS, seed=study.seed)
    consensus, reason = _consensus(grades)
    return Side(
        grades=len(grades.labels),
        coefficients={name: getattr(agreement, name) for name in COEFFICIENTS},
        method=consensus.method.value,
        reason=reason,
        systems={
            name: _mean([consensus.values[task] for task in row if task in consensus.values])
            for name, row in zip(grid.systems, grid.tasks, strict=True)
        },
    )


def _consensus(grades: GradeRows) -> tuple[Consensus, str | None]:
    found = find_consensus(grades.tasks, grades.workers, grades.labels)
    if found.reason is None:
        return found, None
    return find_consensus(grades.tasks, grades.workers, grades.labels, ConsensusMethod.MEAN), found.reason.value


def _mean(values: list[float]) -> tuple[float | None, int]:
    return (round(sum(values) / len(values), 6), len(values)) if values else (None, 0)
