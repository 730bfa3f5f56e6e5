"""Whether the answers of an exported study are answers to what it asks, and are those that its history ends with."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Subquery, func, select
from sqlalchemy.orm import Session, aliased

from app.errors import InvalidInput, Problem
from app.services.imports.storable import BadValue
from app.services.imports.study_bundle_about import InstrumentAbout
from app.services.questionnaires.scales import as_given, check_answer
from app.storage.models import Annotator, Grade, GradeEvent, Question, Study
from app.words import gettext

STEPS = ("grade", "change", "withdraw", "import")  # after which an answer stands, or stands no more
MOST_TOLD = 50


class Asked:
    """The questions by name, each with the instrument that asks it."""

    def __init__(self, instruments: Iterable[InstrumentAbout] = ()) -> None:
        self._questions: dict[str, tuple[str, Question]] = {
            each.name: (instrument.name, Question(name=each.name, text="", kind=each.kind, scale=each.scale))
            for instrument in instruments
            for each in instrument.questions
        }
        # Most answers are one of a few; a scale can only grow, so the newest holds for all.
        self._check = lru_cache(maxsize=1_000)(self._check_answer)

    def check(self, instrument: str, question: str, value: float | None, text: str | None) -> None:
        """BadValue where the instrument doesn't ask this, or the answer isn't on the question's scale."""
        of_instrument, _ = self._questions.get(question, ("", None))
        if of_instrument != instrument:
            raise BadValue(
                gettext("%(instrument)s asks no question %(name)s.", instrument=instrument, name=repr(question))
            )
        self._check(question, value, text)

    def _check_answer(self, name: str, value: float | None, text: str | None) -> None:
        question = self._questions[name][1]
        is_text = question.kind in ("labels", "comment")
        if (value is None) != is_text or (text is None) == is_text:
            raise BadValue(
                gettext("The answer to %(name)s stands in text, and has no number.", name=name)
                if is_text
                else gettext("The answer to %(name)s is a number, and has no text.", name=name)
            )
        try:
            given = as_given(question, value, text)
            check_answer(question, "" if given is None else given)
        except (InvalidInput, ValueError) as error:
            message = error.message if isinstance(error, InvalidInput) else gettext("It is no JSON list of labels.")
            raise BadValue(f"{name}: {message}") from error


@dataclass(frozen=True, slots=True)
class Files:
    """How messages call the files that contradict each other."""

    grades: str
    events: str


def check_history(session: Session, study: Study, files: Files) -> None:
    """Refuse grades that differ from the last step of their history; those without one stand as they are."""
    last, step = _last_steps(study), aliased(GradeEvent)
    numbered = (
        select(Grade.id, func.row_number().over(order_by=Grade.id).label("row"))
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .where(Annotator.study_id == study.id)
        .subquery()
    )
    differ = (
        (step.kind == "withdraw") | Grade.value.is_distinct_from(step.value) | Grade.text.is_distinct_from(step.text)
    )
    rows = session.scalars(
        select(numbered.c.row)
        .join(Grade, Grade.id == numbered.c.id)
        .join(
            last,
            (last.c.annotator_id == Grade.annotator_id)
            & (last.c.item_id == Grade.item_id)
            & (last.c.question_id == Grade.question_id),
        )
        .join(step, step.id == last.c.step)
        .where(differ)
        .order_by(numbered.c.row)
        .limit(MOST_TOLD)
    ).all()
    if rows:
        message = gettext("It is another answer than the last one in %(events)s.", events=files.events)
        raise InvalidInput(
            gettext("The grades contradict their history. Nothing was stored."),
            [Problem(message, row=row, file=files.grades) for row in rows],
            remedy=gettext("Export the study again."),
        )


def _last_steps(study: Study) -> Subquery:
    """By annotator, item and question: the last step that made or took back an answer."""
    return (
        select(GradeEvent.annotator_id, GradeEvent.item_id, GradeEvent.question_id)
        .add_columns(func.max(GradeEvent.id).label("step"))
        .join(Annotator, Annotator.id == GradeEvent.annotator_id)
        .where(Annotator.study_id == study.id, GradeEvent.kind.in_(STEPS))
        .group_by(GradeEvent.annotator_id, GradeEvent.item_id, GradeEvent.question_id)
        .subquery()
    )
