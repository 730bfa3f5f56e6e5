"""One annotator's request: the rows that everything in it asks for, each loaded once and only when it is needed.

Each grade passes here, so statements are put together once, at import: building one costs more than running it.
"""

from collections import defaultdict
from functools import cached_property

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.services.claims import lock_annotator
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.versions import Shown, shown_questionnaire
from app.services.study_options import StudyOptions, options_of
from app.storage.engine import locks_rows
from app.storage.models import Annotator, Instrument, Question, Study

_BOTH = (
    select(Study, Annotator)
    .join(Annotator, Annotator.study_id == Study.id)
    .where(Annotator.id == bindparam("annotator_id"))
)


class Asked:
    """What a study asks, as it stands in this transaction."""

    def __init__(self, session: Session, study: Study) -> None:
        self.session = session
        self.study = study

    @cached_property
    def options(self) -> StudyOptions:
        """The settings of the annotator's way."""
        return options_of(self.study)

    @cached_property
    def instruments(self) -> list[Instrument]:
        """In the order in which they are graded."""
        return instruments_of(self.session, self.study.id)

    def instrument(self, instrument_id: int) -> Instrument:
        """One of them."""
        return next(each for each in self.instruments if each.id == instrument_id)

    def questions(self, instrument_id: int) -> list[Question]:
        """An instrument's questions, in the order in which they are asked."""
        return self._questions[instrument_id]

    @cached_property
    def _questions(self) -> dict[int, list[Question]]:
        found: dict[int, list[Question]] = defaultdict(list)
        for question in questions_of(self.session, self.study.id):
            found[question.instrument_id].append(question)
        return found

    @cached_property
    def questionnaire(self) -> Shown | None:
        """The questionnaire's version that pages show now."""
        return shown_questionnaire(self.session, self.study)


class Sitting(Asked):
    """An annotator before what the study asks."""

    def __init__(self, session: Session, study: Study, annotator: Annotator) -> None:
        super().__init__(session, study)
        self.annotator = annotator

    @classmethod
    def of(cls, session: Session, annotator_id: int) -> "Sitting":
        """To look at."""
        study, annotator = session.execute(_BOTH, {"annotator_id": annotator_id}).one()
        return cls(session, study, annotator)

    @classmethod
    def held(cls, session: Session, annotator_id: int) -> "Sitting":
        """To write: the annotator is held until the commit.

        A study with quotas is held first, so that two claims can't both take a stratum's last place.
        """
        sitting = cls.of(session, annotator_id)
        if locks_rows(session):
            if sitting.options.quotas:
                session.refresh(sitting.study, with_for_update={"key_share": True})
            return cls(session, sitting.study, lock_annotator(session, annotator_id))
        return sitting
