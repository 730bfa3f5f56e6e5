"""What a study asks: its instruments, their questions, the versions of its forms that are shown now.

It hardly ever changes and each grade asks for it, so a web process remembers it as long as the study's edition, which
the database raises with each change, stays the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import inspect
from sqlalchemy.orm import Session

from app.once import computed_once
from app.services.kept import kept_while
from app.services.questionnaires.forms import CurrentForm, current_form
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.versions import Shown, shown_questionnaire
from app.services.study_options import StudyOptions, options_of
from app.storage.base import Base
from app.storage.models import Instrument, Question, Study

Row = TypeVar("Row", bound=Base)


@dataclass(frozen=True, slots=True)
class Content:
    """Instruments in the order of grading; by instrument, the questions in the order of asking; forms shown now."""

    instruments: Sequence[Instrument]
    questions: Mapping[int, Sequence[Question]]
    questionnaire: Shown | None
    consent: CurrentForm | None

    @classmethod
    def of(cls, session: Session, study: Study) -> "Content":
        """As this transaction sees it. The rows are copies that no session knows: they may outlive it."""
        instruments = [_copy(each) for each in instruments_of(session, study.id)]
        questions: dict[int, list[Question]] = {each.id: [] for each in instruments}
        for question in questions_of(session, study.id):
            questions[question.instrument_id].append(_copy(question))
        return cls(
            instruments, questions, shown_questionnaire(session, study), current_form(session, study, "consent")
        )


class Asked:
    """What a study asks, as it stands in this transaction."""

    def __init__(self, session: Session, study: Study) -> None:
        self.session = session
        self.study = study

    @computed_once
    def content(self) -> Content:
        """Its instruments, questions and forms."""
        return Content.of(self.session, self.study)

    @computed_once
    def options(self) -> StudyOptions:
        """The settings of the annotator's way."""
        return options_of(self.study)

    @property
    def instruments(self) -> Sequence[Instrument]:
        """In the order in which they are graded."""
        return self.content.instruments

    def instrument(self, instrument_id: int) -> Instrument:
        """One of them."""
        return next(each for each in self.instruments if each.id == instrument_id)

    def questions(self, instrument_id: int) -> Sequence[Question]:
        """An instrument's questions, in the order in which they are asked."""
        return self.content.questions[instrument_id]

    @property
    def questionnaire(self) -> Shown | None:
        """The questionnaire's version that pages show now."""
        return self.content.questionnaire


class Remembered(Asked):
    """The same for a transaction that read the study's row itself and changes nothing of what the study asks."""

    @computed_once
    def content(self) -> Content:
        """As long as the study's edition stays the same, what any earlier request read."""
        key, edition = ("what a study asks", self.study.id), self.study.edition
        return kept_while(self.session, key, edition, lambda: Content.of(self.session, self.study))


def _copy(row: Row) -> Row:
    kind = type(row)
    return kind(**{column.key: getattr(row, column.key) for column in inspect(kind).column_attrs})
