"""What a study still lacks for its first analysis, and what can be chosen for one."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.charts.theme import LABELS
from app.services.questionnaires.instruments import compared_questions
from app.services.scoring import DEFAULT_METRICS, OWN_METRICS, imported_metrics
from app.storage.models import Annotator, Grade, Output, Problem, Reference, Study, System
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Readiness:
    """systems, metrics, questions: what can be chosen. missing: each lack in words, with what to do.

    usual_metrics: the names of those that an analysis takes where nobody chooses.
    """

    systems: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]  # name, label
    usual_metrics: tuple[str, ...]
    questions: tuple[str, ...]
    missing: tuple[str, ...]


def check_readiness(session: Session, study: Study) -> Readiness:
    """What there is and what is missing."""
    systems = tuple(
        session.scalars(select(System.name).where(System.study_id == study.id).order_by(System.position, System.id))
    )
    imported = imported_metrics(session, study)
    questions = tuple(each.name for each in compared_questions(session, study.id))
    metrics = (*((name, LABELS.get(name, name)) for name in OWN_METRICS), *imported.items())
    usual = (*DEFAULT_METRICS, *imported)
    return Readiness(systems, metrics, usual, questions, tuple(_missing(session, study, systems, bool(imported))))


def _missing(session: Session, study: Study, systems: tuple[str, ...], has_imported: bool) -> list[str]:
    of_study = Problem.study_id == study.id
    outputs = select(Output.id).join(Problem, Problem.id == Output.problem_id).where(of_study)
    references = select(Reference.id).join(Problem, Problem.id == Reference.problem_id).where(of_study)
    grades = select(Grade.id).join(Annotator, Annotator.id == Grade.annotator_id)
    missing = []
    if not _any(session, outputs):
        missing.append(gettext("Outputs: nothing has been imported yet."))
    elif len(systems) < 2:
        missing.append(gettext("A second system: comparing needs at least two."))
    if not _any(session, references) and not has_imported:
        missing.append(
            gettext("References, which the metrics compare with, or scores of metrics computed elsewhere.")
        )
    if not _any(session, grades.where(Annotator.study_id == study.id)):
        missing.append(gettext("Grades: nobody has graded yet."))
    return missing


def _any(session: Session, statement: object) -> bool:
    return session.execute(statement.limit(1)).first() is not None  # type: ignore[attr-defined]
