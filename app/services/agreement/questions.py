"""Which of a study's questions can be measured, and as what."""

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.ready_made import NATURALNESS, SIMILARITY
from app.services.questionnaires.scales import ChoiceScale, LabelsScale, NumberScale, scale_of
from app.storage.models import Instrument, Question, Study


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and its scale. values: of a choice; bounds: None of labels; labels: of labels only.

    level: how far apart two answers are: nominal, ordinal or interval.
    """

    id: int
    instrument_id: int
    instrument: str
    item_kind: str  # output, prompt or pair
    name: str
    text: str
    kind: str
    level: str
    bounds: tuple[float, float] | None
    values: tuple[float, ...]
    labels: tuple[str, ...]

    @property
    def about(self) -> dict[str, Any]:
        """What a document says of it: nothing that differs from database to database."""
        known = asdict(self)
        return {name: known[name] for name in known if name not in ("id", "instrument_id")}


def asked_questions(session: Session, study: Study) -> list[AskedQuestion]:
    """The study's questions in their order; comments are left out: nothing can be counted in them."""
    instruments = {each.id: each for each in instruments_of(session, study.id)}
    questions = questions_of(session, study.id)
    return [_asked(each, instruments[each.instrument_id]) for each in questions if each.kind != "comment"]


def _asked(question: Question, instrument: Instrument) -> AskedQuestion:
    scale = scale_of(question)
    level = scale.level if isinstance(scale, ChoiceScale) else "interval"
    return AskedQuestion(
        id=question.id,
        instrument_id=instrument.id,
        instrument=instrument.name,
        item_kind=instrument.kind,
        name=question.name,
        text=question.text,
        kind=question.kind,
        level="nominal" if isinstance(scale, LabelsScale) else level,
        bounds=scale.bounds if isinstance(scale, ChoiceScale | NumberScale) else None,
        values=tuple(float(each.value) for each in scale.choices) if isinstance(scale, ChoiceScale) else (),
        labels=tuple(each.name for each in scale.choices) if isinstance(scale, LabelsScale) else (),
    )


def questions_about_outputs(questions: list[AskedQuestion]) -> list[AskedQuestion]:
    """Those by whose grades systems have means."""
    return [each for each in questions if each.item_kind == "output" and each.bounds]


def survey_questions(questions: list[AskedQuestion]) -> tuple[AskedQuestion | None, AskedQuestion | None]:
    """The two questions of a robustness study's survey: naturalness of prompts, semantic similarity of pairs."""

    def named(name: str, item_kind: str) -> AskedQuestion | None:
        return next((q for q in questions if (q.name, q.item_kind, q.kind) == (name, item_kind, "choice")), None)

    return named(NATURALNESS.questions[0].name, "prompt"), named(SIMILARITY.questions[0].name, "pair")
