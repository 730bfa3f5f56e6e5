"""One value per item made from its grades, for each question whose answers are numbers."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.analysis import latest_analysis
from app.services.analysis.inputs import load_grades
from app.services.exports.formats import Row
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import bounds_of
from app.statistics.consensus import ConsensusMethod, find_consensus
from app.storage.models import Annotator, Grade, Instrument, Item, Problem, Question, Study

CONSENSUS_COLUMNS = ("question", "instrument", "problem", "item", "method", "value", "grades")
SEPARATOR = "\x1f"  # between problem and item, as in an analysis
Grades = tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]]  # tasks, workers, labels


def consensus_rows(session: Session, study: Study) -> Iterator[Row]:
    """The consensus by the newest analysis' method (a choice's; of a number it is the mean), where there is one."""
    analysis = latest_analysis(session, study)
    chosen = ConsensusMethod(analysis.parameters["consensus"]) if analysis else ConsensusMethod.M_MSR
    for instrument in instruments_of(session, study.id):
        for question in questions_of(session, study.id, instrument.id):
            if bounds_of(question):
                method = chosen if question.kind == "choice" else ConsensusMethod.MEAN
                yield from _rows(_grades_of(session, study, instrument, question), instrument, question, method)


def _rows(grades: Grades, instrument: Instrument, question: Question, method: ConsensusMethod) -> Iterator[Row]:
    consensus = find_consensus(*grades, method)
    counts = Counter(grades[0])
    for task, value in sorted(consensus.values.items()):
        problem, item = task.split(SEPARATOR)
        place = {"question": question.name, "instrument": instrument.name, "problem": problem, "item": item}
        yield place | {"method": method.value, "value": value, "grades": counts[task]}


def _grades_of(session: Session, study: Study, instrument: Instrument, question: Question) -> Grades:
    """Grades that count: of outputs as an analysis reads them, else of all items that the instrument is about."""
    if instrument.kind == "output":
        found = load_grades(session, study, question.name)
        return found.tasks, found.workers, found.labels
    rows: Any = session.execute(
        select(Problem.key, Item.identity, Annotator.pseudonym, Grade.value)
        .join(Item, Item.id == Grade.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .where(Grade.question_id == question.id, Grade.surplus.is_(False), Grade.value.is_not(None))
        .where(Item.role == "main", Annotator.excluded_at.is_(None))
    )
    ordered = sorted((f"{key}{SEPARATOR}{item}", worker, value) for key, item, worker, value in rows)
    tasks, workers, labels = zip(*ordered, strict=True) if ordered else ((), (), ())
    return tasks, workers, labels
