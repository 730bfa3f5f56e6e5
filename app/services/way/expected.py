"""Right answers of practice and checks: what an answer is compared with, and how an admin marks it.

``Item.expected`` is {"answers": {question: accepted}, "feedback": Markdown}; accepted is one answer, a list of
answers, or for a number {"least": …, "most": …}. Of labels it is the list of names, all of them and no others.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from app.errors import InvalidInput
from app.services.questionnaires.scales import Given, check_answer, keyed_by_value
from app.storage.models import Item, Question
from app.words import gettext

LAST = 2**31
PLACE = "place"  # among an instrument's practice, from 1; items that nobody moved come after those, as they were made


def practice_place(item: Item) -> tuple[int, int]:
    """What practice is ordered by."""
    return (item.expected or {}).get(PLACE, LAST), item.id


def is_right(question: Question, accepted: Any, given: Given | None) -> bool:
    """Whether the answer is one of the accepted ones."""
    if given is None:
        return False
    if question.kind == "labels":
        return isinstance(given, list) and set(given) == set(accepted)
    if isinstance(accepted, Mapping):
        return isinstance(given, int | float) and accepted["least"] <= given <= accepted["most"]
    return given in (accepted if isinstance(accepted, list) else [accepted])


def all_right(questions: Iterable[Question], expected: Mapping[str, Any], given: Mapping[str, Given]) -> bool:
    """Whether every question that has a right answer got it."""
    answers = expected["answers"]
    asked = [question for question in questions if question.name in answers]
    return all(is_right(question, answers[question.name], given.get(question.name)) for question in asked)


def check_expected(questions: Iterable[Question], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The right answers if the questions can have them; InvalidInput says which can't."""
    known = {question.name: question for question in questions}
    if unknown := sorted(set(answers) - set(known)):
        raise InvalidInput(gettext("There is no question called %(names)s here.", names=", ".join(unknown)))
    if not answers:
        raise InvalidInput(
            gettext("No right answer is given."), remedy=gettext("Give the right answer to at least one question.")
        )
    for name, accepted in answers.items():
        for each in _each(known[name], accepted):
            check_answer(known[name], each)
    return dict(answers)


def _each(question: Question, accepted: Any) -> list[Any]:
    if question.kind == "comment":
        raise InvalidInput(gettext("A comment has no right answer: %(question)s", question=question.text))
    if isinstance(accepted, Mapping):
        if set(accepted) != {"least", "most"} or question.kind != "number":
            raise InvalidInput(gettext("A range is for numbers, and has a least and a most."))
        if not all(isinstance(accepted[end], int | float) for end in ("least", "most")):
            raise InvalidInput(gettext("The least and the most of a range are numbers."))
        if not accepted["least"] <= accepted["most"]:
            raise InvalidInput(gettext("A range goes from a lower to a higher number."))
        return [accepted["least"], accepted["most"]]
    if question.kind == "labels" or not isinstance(accepted, list):
        return [accepted]
    return accepted


def read_marked(question: Question, marked: Iterable[str]) -> Any:
    """What an admin marked: values, labels, or of a number one or both ends. None where any answer is right."""
    texts = [text for text in marked if text.strip()]
    if question.kind == "labels" or not texts:
        return texts or None
    values = [_number(text) for text in texts]
    if len(values) == 1:
        return values[0]
    return {"least": values[0], "most": values[1]} if question.kind == "number" else values


def _number(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        raise InvalidInput(gettext("%(text)s is no number.", text=repr(text))) from None
    return int(number) if number.is_integer() else number


def marked_as(accepted: Any) -> list[str]:
    """How an admin would mark it: read_marked gives it back."""
    if isinstance(accepted, Mapping):
        return [f"{accepted[end]:g}" for end in ("least", "most")]
    values = accepted if isinstance(accepted, list) else [accepted]
    return [value if isinstance(value, str) else f"{value:g}" for value in values]


def answer_in_words(question: Question, accepted: Any) -> str:
    """Answers as the question's own page names them: the words of a choice or label, and the key that gives it."""
    if isinstance(accepted, Mapping) or question.kind not in ("choice", "labels"):
        return in_words(accepted)
    name = "value" if question.kind == "choice" else "name"
    faces = {choice[name]: _face(question, choice, in_words(choice[name])) for choice in question.scale["choices"]}
    values = accepted if isinstance(accepted, list) else [accepted]
    return ", ".join(faces.get(value, in_words(value)) for value in values) or gettext("none of the labels")


def _face(question: Question, choice: Mapping[str, Any], name: str) -> str:
    words, key = choice["label"] or name, choice["key"]
    if question.kind == "choice" and keyed_by_value(question):  # the number stands on the button
        return name if words == name else gettext("%(number)s (%(words)s)", number=name, words=words)
    return gettext("%(words)s (key %(key)s)", words=words, key=key) if key else words


def in_words(accepted: Any) -> str:
    """The accepted answers, for people."""
    if isinstance(accepted, Mapping):
        least, most = (f"{accepted[end]:g}" for end in ("least", "most"))
        return gettext("%(least)s to %(most)s", least=least, most=most)
    values = accepted if isinstance(accepted, list) else [accepted]
    words = ", ".join(f"{value:g}" if isinstance(value, int | float) else str(value) for value in values)
    return words or gettext("none of the labels")
