"""Choices as somebody typed them: checked, and what can't be used named as the page calls it."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from app.errors import InvalidInput
from app.words import gettext

Spec = TypeVar("Spec", bound=BaseModel)
Fields = Mapping[str, tuple[str, str]]  # of each field its label, and a message with %(field)s: what it takes


def checked(model: type[Spec], values: dict[str, Any], fields: Fields, refusal: str) -> Spec:
    """The choices; InvalidInput with ``refusal``, a message with %(reasons)s, names what can't be used."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        wrong = dict.fromkeys(_in_words(str(each["loc"][0]), fields) for each in error.errors())
        raise InvalidInput(gettext(refusal, reasons=" ".join(wrong))) from error


def _in_words(field: str, fields: Fields) -> str:
    if field not in fields:
        return gettext("%(field)s is none of the choices.", field=repr(field))
    label, words = fields[field]
    return gettext(words, field=gettext(label))
