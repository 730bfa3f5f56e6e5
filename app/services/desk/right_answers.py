"""Whether an answer to practice or a check is right.

``Item.expected`` is {"answers": {question: accepted}, "feedback": Markdown}; accepted is one answer, a list of
answers, or for a number {"least": …, "most": …}. Of labels it is the list of names, all of them and no others.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from app.services.questionnaires.scales import Given
from app.storage.models import Question


def all_right(questions: Iterable[Question], expected: Mapping[str, Any], given: Mapping[str, Given]) -> bool:
    """Whether every question that has a right answer got it."""
    answers = expected["answers"]
    asked = [question for question in questions if question.name in answers]
    return all(is_right(question, answers[question.name], given.get(question.name)) for question in asked)


def is_right(question: Question, accepted: Any, given: Given | None) -> bool:
    """Whether the answer is one of the accepted ones."""
    if given is None:
        return False
    if question.kind == "labels":
        return isinstance(given, list) and set(given) == set(accepted)
    if isinstance(accepted, Mapping):
        return isinstance(given, int | float) and accepted["least"] <= given <= accepted["most"]
    return given in (accepted if isinstance(accepted, list) else [accepted])
