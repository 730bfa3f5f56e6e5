"""Forms: what was posted, checked by a pydantic model; errors go back beside their fields with the values kept."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Self, TypeVar

from fastapi import Depends, Request
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from app.errors import AppError, InvalidInput
from app.services.code_languages import known_language
from app.web.body_limit import allow_more
from app.words import gettext, in_locale


class FormModel(BaseModel):
    """The fields of a form. Unknown fields are refused, and text that a database can't hold."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, data: Any) -> Any:
        for name, value in data.items():
            if isinstance(value, str) and not is_storable(value):
                raise ValueError(
                    gettext("The field %(name)s holds a character that can't be stored.", name=repr(name))
                )
        return data


def is_storable(text: str) -> bool:
    """Whether both databases can hold the text: no NUL, no lone surrogates."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _empty_to_none(value: Any) -> Any:
    return None if value == "" else value


# For a field that may be left empty: ``Annotated[Annotated[int, Field(ge=1)] | None, EmptyIsNone]``.
EmptyIsNone = BeforeValidator(_empty_to_none)


def _known_language(text: str) -> str:
    try:
        return known_language(text)
    except InvalidInput as error:
        raise ValueError(error.in_words()) from None


# The language that code is in, however it is written; its one name.
CodeLanguage = Annotated[str, AfterValidator(_known_language)]

# Text of several lines: browsers send line ends as CRLF, whatever they were.
_one_line_end = AfterValidator(lambda text: text.replace("\r\n", "\n"))
Prose = Annotated[str, _one_line_end]
# The same as it was typed, its ends too. (A constraint that comes after a validator would be lost.)
Verbatim = Annotated[str, StringConstraints(strip_whitespace=False), _one_line_end]


async def _posted(request: Request) -> dict[str, str]:
    form = await request.form(max_files=0, max_fields=100)
    return {name: value for name, value in form.items() if isinstance(value, str)}


async def _long_posted(request: Request) -> dict[str, str]:
    allow_more(request, MOST_PROSE)
    return await _posted(request)


Posted = Annotated[dict[str, str], Depends(_posted)]
# For the form that holds a study's instructions: 50,000 letters, of which each may be written as twelve bytes.
LongPosted = Annotated[dict[str, str], Depends(_long_posted)]
MOST_PROSE = 1 << 20


@dataclass
class FormState:
    """What a form shows: its values and, after a failed try, its errors by field ("" holds for the whole form)."""

    values: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, failure: AppError, posted: dict[str, str]) -> Self:
        """The state after a service refused: problems with a field belong to it."""
        problems = failure.problems if isinstance(failure, InvalidInput) else []
        errors = {problem.field or "": problem.message for problem in problems}
        return cls(_shown(posted), errors or {"": " ".join(filter(None, [failure.message, failure.remedy]))})


class FormInvalid(Exception):
    """The form can't be used as it is; show ``state``."""

    def __init__(self, state: FormState) -> None:
        super().__init__(str(state.errors))
        self.state = state


Model = TypeVar("Model", bound=FormModel)


def read_form(model: type[Model], posted: dict[str, str]) -> Model:
    """The checked form; FormInvalid carries the errors and the values."""
    try:
        return model.model_validate(posted)
    except ValidationError as failure:
        errors: dict[str, str] = {}
        for each in failure.errors():
            name = str(each["loc"][0]) if each["loc"] else ""
            known = name in model.model_fields
            errors.setdefault(name if known else "", error_in_words(each))
        raise FormInvalid(FormState(_shown(posted), errors)) from None


def error_in_words(error: ErrorDetails) -> str:
    """The commonest errors in plain words, others as they come."""
    context, name = error.get("ctx", {}), str(error["loc"][0]) if error["loc"] else ""
    words = {
        "missing": gettext("This is needed."),
        "extra_forbidden": gettext("The form has no field %(name)s.", name=repr(name)),
        "string_too_short": gettext("This is needed.")
        if context.get("min_length") == 1
        else gettext("This is too short."),
        "string_too_long": gettext("Use at most %(number)s characters.", number=context.get("max_length")),
        "int_parsing": gettext("Enter a whole number."),
        "int_parsing_size": gettext("This number is too large."),
        "float_parsing": gettext("Enter a number."),
        "finite_number": gettext("Enter a number."),
        "greater_than": gettext("It must be more than %(number)s.", number=_limit(context.get("gt"))),
        "less_than": gettext("It must be less than %(number)s.", number=_limit(context.get("lt"))),
        "greater_than_equal": gettext("The least is %(number)s.", number=_limit(context.get("ge"))),
        "less_than_equal": gettext("The most is %(number)s.", number=_limit(context.get("le"))),
        "literal_error": gettext("Choose one of the answers."),
        "bool_parsing": gettext("Choose one of the answers."),
        "string_pattern_mismatch": gettext("This is not written as the field asks for."),
    }
    return words.get(error["type"]) or error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")


def _limit(number: float | None) -> str:
    """A whole number without a point: a field of numbers with fractions has 5.0 for its limit of 5."""
    return in_locale(str(int(number) if isinstance(number, float) and number.is_integer() else number))


def _shown(posted: dict[str, str]) -> dict[str, Any]:
    """Values to show again: never a password, and nothing that can't be written."""
    return {name: value for name, value in posted.items() if "password" not in name and is_storable(value)}
