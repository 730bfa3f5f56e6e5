"""Lines of JSON as this study would take them: an example for whoever pastes practice and checks."""

import json
from typing import Any

from sqlalchemy.orm import Session

from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import ChoiceScale, LabelsScale, NumberScale, scale_of
from app.storage.models import Instrument, Question, Study


def example_lines(session: Session, study: Study) -> list[str]:
    """One for each instrument; each question that can have a right answer has one."""
    instruments = instruments_of(session, study.id)
    return [
        json.dumps(_example(session, each, named=len(instruments) > 1), ensure_ascii=False) for each in instruments
    ]


def _example(session: Session, instrument: Instrument, *, named: bool) -> dict[str, Any]:
    questions = questions_of(session, instrument.study_id, instrument.id)
    answers = {question.name: right for question in questions if (right := _right(question)) is not None}
    return (
        {"role": "practice"}
        | ({"instrument": instrument.name} if named else {})
        | {"intent": "…", "text": "…"}
        | ({"original": "…"} if instrument.kind == "pair" else {})
        | {"answers": answers, "feedback": "…"}
    )


def _right(question: Question) -> Any:
    """Of values two, of a number its upper half, of labels the first; a comment has no right answer."""
    scale = scale_of(question)
    if isinstance(scale, ChoiceScale):
        return [_plain(each.value) for each in scale.choices[-2:]]
    if isinstance(scale, LabelsScale):
        return [scale.choices[0].name]
    if isinstance(scale, NumberScale):
        steps = round((scale.high - scale.low) / scale.step)
        return {"least": _plain(scale.low + steps // 2 * scale.step), "most": _plain(scale.high)}
    return None


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
