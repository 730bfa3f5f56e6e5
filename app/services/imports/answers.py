"""A row of a table of grades as the answer that is stored: checked against the question's scale."""

import json

from app.errors import InvalidInput
from app.services.imports.cells import number_of
from app.services.imports.material import GradeRow
from app.services.imports.storable import BadValue
from app.services.questionnaires.scales import Given, Stored, check_answer, is_on_scale, scale_words
from app.storage.models import Question
from app.words import gettext


def shown_answer(answer: Stored) -> str:
    """In words, for a message."""
    return repr(answer.text) if answer.value is None else f"{answer.value:g}"


def answer_of(row: GradeRow, question: Question) -> Stored:
    """The answer as it is stored: of labels and comments from the text, else from the label, a number."""
    if question.kind == "comment":
        return _checked(question, _text_of(row))
    if question.kind == "labels":
        return _checked(question, _names_of(row))
    try:
        number = number_of(row.label)
    except BadValue as error:
        raise BadValue(error.message, error.remedy, field="label") from error
    if not is_on_scale(question, number):
        scale = scale_words(question)
        raise BadValue(
            gettext(
                "The grade %(grade)s is not on the scale of %(question)s (%(scale)s).",
                grade=format(number, "g"),
                question=repr(question.name),
                scale=scale,
            ),
            field="label",
        )
    return Stored(value=number)


def _checked(question: Question, given: Given) -> Stored:
    try:
        return check_answer(question, given)
    except InvalidInput as error:
        raise BadValue(error.message, error.remedy, field="text") from error


def _text_of(row: GradeRow) -> str:
    if row.text is not None:
        return row.text
    return row.label if isinstance(row.label, str) else ""


def _names_of(row: GradeRow) -> list[str]:
    given = row.label if isinstance(row.label, list) else _text_of(row)
    try:
        names = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        example = '["incomplete"]'
        raise BadValue(
            gettext("Chosen labels are written as a JSON list, such as %(example)s.", example=example), field="text"
        )
    return names
