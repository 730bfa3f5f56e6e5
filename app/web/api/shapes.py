"""What comes in and goes out as JSON: strict on the way in, documented on the way out."""

import json
from collections.abc import Iterator
from typing import Any, TypeVar

from fastapi import Depends, HTTPException, Request
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from app.errors import InvalidInput, Problem
from app.services.imports.strict_json import JSONProblem, decode, skip_space
from app.web.body_limit import allow_more
from app.web.forms import MOST_PROSE, is_storable
from app.words import gettext

PARTS_DEEP = 20


class Incoming(BaseModel):
    """What a program sends; a name that isn't known is refused, since it may be a misspelled one."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Outgoing(BaseModel):
    """What a program gets."""


class Reader:
    """The dependency that reads a body. It runs after the route's permission, so strangers can't make it work.

    FastAPI's own way reads before it asks who sends, takes the last of two equal names, and lets NaN pass.
    """

    def __init__(self, model: type[BaseModel]) -> None:
        self.model = model

    async def __call__(self, request: Request) -> BaseModel:
        allow_more(request, MOST_PROSE)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise HTTPException(415, "Send the body as application/json.")
        value = _value(await request.body())
        try:
            return self.model.model_validate(value)
        except ValidationError as error:
            raise _invalid([_problem(_words(each), each["loc"]) for each in error.errors()]) from None


Model = TypeVar("Model", bound=BaseModel)


def body(model: type[Model]) -> Any:
    """The body as that model: ``wanted: Annotated[NewStudy, body(NewStudy)]``."""
    return Depends(Reader(model))


def _value(sent: bytes) -> Any:
    """The JSON, read strictly and storable."""
    if not sent.strip():
        raise _invalid([Problem(gettext("The body is empty: send a JSON object."))])
    try:
        text = sent.decode("utf-8")
        value, end = decode(text, skip_space(text, 0))
        if skip_space(text, end) != len(text):
            raise JSONProblem(gettext("Something follows the value."))
    except UnicodeDecodeError as error:
        raise _invalid([Problem(gettext("Not UTF-8 at byte %(number)s.", number=error.start + 1))]) from None
    except JSONProblem as error:
        raise _invalid([Problem(str(error))]) from None
    for place, part in _texts(value, ()):
        if not is_storable(part):
            words = gettext("It holds a character that can’t be stored (NUL, or half of a surrogate pair).")
            raise _invalid([_problem(words, place)])
    return value


def _texts(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text in the value, names too."""
    if len(place) > PARTS_DEEP:
        raise _invalid([Problem(gettext("The value is nested too deeply."))])
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield place, name
            yield from _texts(each, (*place, name if is_storable(name) else "?"))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _texts(each, (*place, number))


def _words(error: ErrorDetails) -> str:
    """As pydantic says it, unless it speaks of our classes."""
    if error["type"] in ("model_type", "model_attributes_type", "dict_type"):
        return gettext("Send a JSON object here: names with values, in braces.")
    return error["msg"]


def _problem(words: str, place: tuple[str | int, ...]) -> Problem:
    plain = words.removeprefix("Value error, ")
    return Problem(plain, field=".".join(str(part) for part in place) or None)


def _invalid(problems: list[Problem]) -> InvalidInput:
    return InvalidInput(gettext("Some of what was sent is missing or not of the right kind."), problems)


def json_text(value: BaseModel) -> str:
    """As it goes out: what pydantic writes, without NaN, which is no JSON."""
    return json.dumps(value.model_dump(mode="json"), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
