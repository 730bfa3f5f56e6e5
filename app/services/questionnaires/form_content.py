"""What a form holds, as it is stored in its versions: a consent, or questions about the person."""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.errors import InvalidInput
from app.services.questionnaires.problems import problems_in
from app.words import gettext, human_number

Answer = int | float | str
FIELD_KINDS = ("text", "long", "number", "choice", "scale")
LENGTHS = {"text": 500, "long": 5_000}  # of an answer, where the field doesn't say
MOST_POINTS = 11

_BLANK = re.compile(r"(?<!\])\[[^\[\]\n]+\](?![(\[:])")

Words = Annotated[str, Field(min_length=1, max_length=500)]
Prose = Annotated[str, Field(max_length=50_000)]  # Markdown
Bound = Annotated[float, Field(allow_inf_nan=False, ge=-1_000_000, le=1_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class ConsentForm(_Part):
    """What is agreed to, in Markdown, and the words on both buttons."""

    text: Annotated[Prose, Field(min_length=1)]
    agree: Words = "I agree"
    decline: Words = "I don’t agree"

    @property
    def blanks(self) -> list[str]:
        """What still stands in brackets, as in the starting text: a team has to fill it in. Links aren't meant."""
        return list(dict.fromkeys(_BLANK.findall(self.text)))


class FormField(_Part):
    """One question about the person.

    ``options``: of a choice its answers; of a scale the words at its points: none, both ends', or every point's.
    ``least`` and ``most``: of a number its range, of a scale its ends, of a text how long an answer is (letters).
    """

    name: Annotated[str, Field(max_length=80, pattern=r"^[a-z0-9][a-z0-9_-]*$")]
    label: Words
    kind: Literal["text", "long", "number", "choice", "scale"] = "text"
    required: bool = True
    options: Annotated[list[Words], Field(max_length=100)] = []
    least: Bound | None = None
    most: Bound | None = None
    help: Annotated[str, Field(max_length=5_000)] = ""  # Markdown

    @model_validator(mode="after")
    def _consistent(self) -> "FormField":
        if len(set(self.options)) != len(self.options):
            raise ValueError(gettext("Two of its answers are the same."))
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(gettext("The least must not be above the most."))
        if self.kind == "choice" and len(self.options) < 2:
            raise ValueError(gettext("A choice needs at least two answers."))
        if self.kind == "scale":
            self._check_scale()
        return self

    def _check_scale(self) -> None:
        ends = (self.least, self.most)
        if any(end is None or not end.is_integer() for end in ends) or not 2 <= len(self.points) <= MOST_POINTS:
            words = gettext(
                "A scale goes from one whole number to another, with at most %(most)s points.", most=MOST_POINTS
            )
            raise ValueError(words)
        if len(self.options) not in (0, 2, len(self.points)):
            raise ValueError(gettext("A scale has words for both ends, for every point, or for none."))

    @property
    def input_name(self) -> str:
        """What the field is called in the page and in what the page sends."""
        return f"answer-{self.name}"

    @property
    def points(self) -> range:
        """The points of a scale."""
        return range(int(self.least or 0), int(self.most or 0) + 1)

    @property
    def longest(self) -> int:
        """How many letters a text may have."""
        return LENGTHS["long"] if self.most is None and self.kind == "long" else int(self.most or LENGTHS["text"])

    def words_at(self, point: int) -> str:
        """The words at a point of the scale; empty where it has none."""
        named = self.points if len(self.options) == len(self.points) else (self.points[0], self.points[-1])
        return dict(zip(named, self.options, strict=False)).get(point, "")

    def read(self, sent: str) -> Answer | None:
        """The answer as it is stored, None where there is none; ValueError says what is expected."""
        text = sent.replace("\r\n", "\n").strip()
        if "\0" in text:
            raise ValueError(gettext("The answer holds a character that can’t be stored (NUL)."))
        if not text:
            if self.required:
                raise ValueError(gettext("This needs an answer."))
            return None
        return self._number(text) if self.kind in ("number", "scale") else self._text(text)

    def _text(self, text: str) -> str:
        if self.kind == "choice" and text not in self.options:
            raise ValueError(gettext("Choose one of the answers."))
        if self.kind != "choice" and len(text) > self.longest:
            raise ValueError(gettext("Use at most %(number)s letters.", number=human_number(self.longest)))
        return text

    def _number(self, text: str) -> int | float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(gettext("Enter a number."))
        if self.kind == "scale" and number not in self.points:
            raise ValueError(gettext("Choose one of the points."))
        if self.least is not None and number < self.least:
            raise ValueError(gettext("The least is %(number)s.", number=format(self.least, "g")))
        if self.most is not None and number > self.most:
            raise ValueError(gettext("The most is %(number)s.", number=format(self.most, "g")))
        return int(number) if number.is_integer() else number


class FieldsForm(_Part):
    """Questions about the person, with an introduction in Markdown."""

    intro: Prose = ""
    fields: Annotated[list[FormField], Field(min_length=1, max_length=50)]

    @model_validator(mode="after")
    def _consistent(self) -> "FieldsForm":
        names = [field.name for field in self.fields]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(gettext("Two questions are called “%(name)s”.", name=name))
        return self


Form = ConsentForm | FieldsForm


def parse_form(kind: str, content: Mapping[str, Any], *, strict: bool | None = None) -> Form:
    """The form; InvalidInput has a problem for each thing wrong, ``field`` being its place ("fields.1.label").

    ``strict``: a number that stands as text is wrong, too, as in a version that was stored already.
    """
    try:
        return (ConsentForm if kind == "consent" else FieldsForm).model_validate(content, strict=strict)
    except ValidationError as error:
        raise InvalidInput(
            gettext("Nothing is saved yet: some of it can’t be used as it is."), problems_in(error)
        ) from error
