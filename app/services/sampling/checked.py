"""Choices as somebody typed them: checked, and what can't be used named as the page calls it."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from app.errors import InvalidInput
from app.words import N_, gettext

Spec = TypeVar("Spec", bound=BaseModel)
Fields = Mapping[str, tuple[str, str]]  # of each field its label, and a message with %(field)s: what it takes

SEED = N_("%(field)s: enter a whole number from 0 to 9,223,372,036,854,775,807.")  # what a database's column holds


class WrongChoices(InvalidInput):
    """What can't be used, in words; ``by_field`` for forms, "" holding for what is no field of the page."""

    def __init__(self, message: str, by_field: dict[str, str]) -> None:
        super().__init__(message)
        self.by_field = by_field


def checked(model: type[Spec], values: dict[str, Any], fields: Fields, refusal: str) -> Spec:
    """The choices; WrongChoices with ``refusal``, a message with %(reasons)s, names what can't be used."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        names = dict.fromkeys(str(each["loc"][0]) for each in error.errors())
        wrong = {name: _in_words(name, fields) for name in names}
        by_field = {name if name in fields else "": words for name, words in wrong.items()}
        raise WrongChoices(gettext(refusal, reasons=" ".join(wrong.values())), by_field) from error


def _in_words(field: str, fields: Fields) -> str:
    if field not in fields:
        return gettext("%(field)s is none of the choices.", field=repr(field))
    label, words = fields[field]
    return gettext(words, field=gettext(label))
