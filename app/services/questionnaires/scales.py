"""The four kinds of question, what their scales hold, and how an answer is checked and stored.

choice   one of some values          0, 0.5, 1; stored as the value
number   a number of a range         0 to 100 in steps; stored as the value
labels   any of some names           stored as a JSON list of names, in the scale's order
comment  free text                   stored as it was typed
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeGuard

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.errors import InvalidInput
from app.storage.models import Question
from app.words import gettext, human_number

Given = int | float | str | list[str]  # an answer as it comes and goes on the wire

KINDS = ("choice", "labels", "number", "comment")
LONGEST_COMMENT = 10_000
# The page's own keys; a scale that took one of them would take it from everything else.
RESERVED_KEYS = frozenset("sfh?")


def _key(text: str) -> str:
    if text and (len(text) != 1 or not text.isprintable() or text.isspace()):
        raise ValueError(gettext("A key is one letter or digit."))
    if text.lower() in RESERVED_KEYS:
        raise ValueError(
            gettext("The key %(key)s does something else on the page (skip, flag, help).", key=repr(text))
        )
    return text.lower()


Key = Annotated[str, AfterValidator(_key)]
Words = Annotated[str, Field(max_length=500)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Choice(_Part):
    """One value of a choice."""

    value: Annotated[int | float, Field(allow_inf_nan=False, ge=-1_000_000, le=1_000_000)]
    key: Key = ""
    label: Words = ""
    description: Words = ""


class Label(_Part):
    """One name that may be given."""

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f]+$")]
    key: Key = ""
    label: Words = ""
    description: Words = ""


def _check_keys(keys: list[str]) -> None:
    given = [key for key in keys if key]
    for key in given:
        if given.count(key) > 1:
            raise ValueError(gettext("The key %(key)s stands for two answers.", key=repr(key)))


class ChoiceScale(_Part):
    """Values in rising order, each with its key and words. ``level``: how far apart two values are, for agreement."""

    choices: Annotated[list[Choice], Field(min_length=2, max_length=20)]
    level: Literal["nominal", "ordinal", "interval"] = "ordinal"

    @model_validator(mode="after")
    def _consistent(self) -> "ChoiceScale":
        values = [choice.value for choice in self.choices]
        if values != sorted(set(values)):
            raise ValueError(gettext("The values must rise, each standing once."))
        _check_keys([choice.key for choice in self.choices])
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        return float(self.choices[0].value), float(self.choices[-1].value)


class LabelsScale(_Part):
    """Names of which any number may be given, at least ``least`` of them."""

    choices: Annotated[list[Label], Field(min_length=1, max_length=30)]
    least: Annotated[int, Field(ge=0, le=30)] = 0

    @model_validator(mode="after")
    def _consistent(self) -> "LabelsScale":
        names = [label.name for label in self.choices]
        if len(set(names)) != len(names):
            raise ValueError(gettext("Two labels have the same name."))
        if self.least > len(names):
            raise ValueError(gettext("More labels are asked for than there are."))
        _check_keys([label.key for label in self.choices])
        return self


class NumberScale(_Part):
    """A number from ``low`` to ``high`` in steps, with words at both ends."""

    low: Annotated[float, Field(allow_inf_nan=False, ge=-1_000_000, le=1_000_000)] = 0
    high: Annotated[float, Field(allow_inf_nan=False, ge=-1_000_000, le=1_000_000)] = 100
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1
    low_label: Words = ""
    high_label: Words = ""

    @model_validator(mode="after")
    def _consistent(self) -> "NumberScale":
        if self.low >= self.high:
            raise ValueError(gettext("The range must go from a lower to a higher number."))
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high


class CommentScale(_Part):
    """Free text."""

    most: Annotated[int, Field(ge=1, le=LONGEST_COMMENT)] = 2_000


Scale = ChoiceScale | LabelsScale | NumberScale | CommentScale
SCALES: dict[str, type[ChoiceScale] | type[LabelsScale] | type[NumberScale] | type[CommentScale]] = {
    "choice": ChoiceScale,
    "labels": LabelsScale,
    "number": NumberScale,
    "comment": CommentScale,
}


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as a grade holds it."""

    value: float | None = None
    text: str | None = None


def parse_scale(kind: str, scale: dict[str, Any]) -> Scale:
    """The scale of a question; InvalidInput says what is wrong with it."""
    if kind not in SCALES:
        raise InvalidInput(
            gettext("There is no kind of question %(kind)s.", kind=repr(kind)),
            remedy=gettext("Choose one of: %(names)s.", names=", ".join(KINDS)),
        )
    try:
        return SCALES[kind].model_validate(scale)
    except ValidationError as error:
        first = error.errors()[0]
        message = str(first["msg"]).removeprefix("Value error, ")
        raise InvalidInput(
            gettext("The scale can't be used: %(reason)s", reason=message),
            remedy=gettext("Correct it and save again."),
        ) from error


def scale_of(question: Question) -> Scale:
    """The question's scale."""
    return parse_scale(question.kind, question.scale)


def bounds_of(question: Question) -> tuple[float, float] | None:
    """Lowest and highest value; None where answers aren't numbers."""
    scale = scale_of(question)
    return scale.bounds if isinstance(scale, ChoiceScale | NumberScale) else None


def is_on_scale(question: Question, number: float) -> bool:
    """Whether the number is an answer to the question."""
    try:
        check_answer(question, number)
    except InvalidInput:
        return False
    return True


def scale_words(question: Question) -> str:
    """The scale in a few words."""
    scale = scale_of(question)
    if isinstance(scale, ChoiceScale):
        return ", ".join(f"{choice.value:g}" for choice in scale.choices)
    if isinstance(scale, NumberScale):
        return gettext("%(low)s to %(high)s in steps of %(step)s", **_ends(scale))
    return (
        ", ".join(label.name for label in scale.choices) if isinstance(scale, LabelsScale) else gettext("free text")
    )


def _ends(scale: NumberScale) -> dict[str, str]:
    return {name: f"{getattr(scale, name):g}" for name in ("low", "high", "step")}


def keyed_by_value(question: Question) -> bool:
    """Whether each answer's key is the number that it stands for, as in 0 to 4."""
    return all(choice["key"] in ("", f"{choice['value']:g}") for choice in question.scale["choices"])


def check_answer(question: Question, given: Given) -> Stored:
    """The answer as it is stored; InvalidInput says which answers there are."""
    return _CHECKS[question.kind](question, scale_of(question), given)


def as_given(question: Question, value: float | None, text: str | None) -> Given | None:
    """A stored answer as it went over the wire."""
    if question.kind == "labels":
        return None if text is None else list(json.loads(text))
    return text if question.kind == "comment" else value


def _check_choice(question: Question, scale: Any, given: Given) -> Stored:
    values = [choice.value for choice in scale.choices]
    if not _is_number(given) or given not in values:
        listed = ", ".join(f"{value:g}" for value in values)
        raise InvalidInput(_called(question) + gettext("An answer is one of %(listed)s.", listed=listed))
    return Stored(value=float(given))


def _check_number(question: Question, scale: Any, given: Given) -> Stored:
    words = gettext("An answer is a number from %(low)s to %(high)s in steps of %(step)s.", **_ends(scale))
    wrong = _called(question) + words
    if not _is_number(given) or not scale.low <= given <= scale.high:
        raise InvalidInput(wrong)
    steps = (given - scale.low) / scale.step
    if not math.isclose(steps, round(steps), abs_tol=1e-9):
        raise InvalidInput(wrong)
    return Stored(value=float(given))


def _check_labels(question: Question, scale: Any, given: Given) -> Stored:
    names = [label.name for label in scale.choices]
    if not isinstance(given, list) or not set(given) <= set(names):
        raise InvalidInput(_called(question) + gettext("An answer is some of: %(names)s.", names=", ".join(names)))
    if len(set(given)) < scale.least:
        raise InvalidInput(_called(question) + gettext("Choose at least %(least)s.", least=scale.least))
    return Stored(text=json.dumps([name for name in names if name in given], ensure_ascii=False))


def _check_comment(question: Question, scale: Any, given: Given) -> Stored:
    if not isinstance(given, str):
        raise InvalidInput(_called(question) + gettext("A comment is text."))
    if len(given) > scale.most:
        raise InvalidInput(
            _called(question) + gettext("A comment has at most %(most)s characters.", most=human_number(scale.most))
        )
    return Stored(text=given)


def _is_number(given: object) -> TypeGuard[int | float]:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _called(question: Question) -> str:
    return f"{question.text} " if question.text else ""


_CHECKS: dict[str, Callable[[Question, Any, Given], Stored]] = {
    "choice": _check_choice,
    "number": _check_number,
    "labels": _check_labels,
    "comment": _check_comment,
}
