"""study.json of an exported study or template: the settings, what is asked, and the names in the files of rows."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from app.errors import InvalidInput, Problem
from app.services.imports.cells import in_utc, name_of, text_of
from app.services.imports.sources import Bundle
from app.services.questionnaires.ready_made import HELPFULNESS, InstrumentDraft, QuestionDraft
from app.services.questionnaires.scales import KINDS, parse_scale
from app.services.study_options import StudyOptions
from app.words import N_, gettext

ABOUT = "study.json"
SLUG = r"^[a-z0-9-]{1,80}$"
NEWEST = 2  # the format that this CodeJury writes; 1 had one instrument and no history


def _whole(value: object) -> object:
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value) else value


def _date_and_time(value: object) -> object:
    if not isinstance(value, str) or not re.match(r"[0-9]{4}-", value):
        raise ValueError(gettext("Expected a time such as 2026-11-27T14:05:00Z."))
    return value


Text = Annotated[str, AfterValidator(text_of)]
Name = Annotated[str, AfterValidator(name_of)]
ShortName = Annotated[Name, Field(max_length=80)]
# Numbers are no times, not even as text: pydantic would take them for seconds since 1970.
At = Annotated[datetime, Field(strict=False), BeforeValidator(_date_and_time), AfterValidator(in_utc)]
# A large one stands as text, since many readers of JSON would round it.
Big = Annotated[int, BeforeValidator(_whole), Field(ge=-(2**63), lt=2**63)]


class Part(BaseModel):
    """One object of a bundle. What a later version adds is passed over."""

    model_config = ConfigDict(strict=True)


class QuestionAbout(Part):
    """What is asked of an item."""

    name: ShortName
    text: Text
    kind: Literal["choice", "labels", "number", "comment"] = "choice"
    help: Text = ""
    required: bool = True
    scale: dict[str, Any]

    @model_validator(mode="after")
    def _scale_is_one(self) -> "QuestionAbout":
        try:
            parse_scale(self.kind, self.scale)
        except InvalidInput as error:
            raise ValueError(error.message) from error
        return self

    def draft(self) -> QuestionDraft:
        """As a study is given it."""
        return QuestionDraft(self.name, self.text, self.scale, self.kind, self.help, self.required)


class InstrumentAbout(Part):
    """Questions that are asked together."""

    name: ShortName
    title: Annotated[Text, Field(max_length=200)]
    kind: Literal["output", "prompt", "pair"]
    instructions: Text = ""
    grades_per_item: Annotated[int, Field(ge=1, le=100)] | None = None
    questions: list[QuestionAbout]

    def draft(self) -> InstrumentDraft:
        """As a study is given it."""
        return InstrumentDraft(self.name, self.title, "", self.kind, tuple(each.draft() for each in self.questions))


class AnnotatorAbout(Part):
    """Who graded, by pseudonym (format 1)."""

    pseudonym: Name
    kind: Literal["person", "simulated", "imported"]


class MetricAbout(Part):
    """A metric whose scores were computed elsewhere, with the signature that analyses print."""

    name: ShortName
    label: ShortName
    signature: Annotated[Text, Field(min_length=1, max_length=500)]


class StudyAbout(Part):
    """All of it. Format 1 has ``questions`` in the place of instruments."""

    format: int = 1
    template: bool = False
    slug: Annotated[str, Field(pattern=SLUG)]
    title: Annotated[Text, Field(min_length=1, max_length=200)]
    description: Text = ""
    instructions: Text = ""
    notice: Text = ""
    message: Text = ""
    language: Annotated[Text, Field(max_length=40)] = "python"
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    grades_per_item: Annotated[int, Field(ge=1, le=100)]
    claim_minutes: Annotated[int, Field(ge=1, le=10_080)] = 60
    merge_identical: bool
    include_references: bool
    codebleu_variant: Literal["corrected", "published"]
    options: dict[str, Any] = {}
    perturbed_set: Annotated[str, Field(pattern=SLUG)] | None = None  # by its short name
    opened_at: At | None = None
    closed_at: At | None = None
    questions: list[QuestionAbout] = []
    instruments: list[InstrumentAbout] = []
    systems: list[Name]
    annotators: list[AnnotatorAbout] = []
    imported_metrics: list[MetricAbout]

    @model_validator(mode="after")
    def _is_complete(self) -> "StudyAbout":
        if self.format == 1 and not self.questions:
            raise ValueError("The study asks no question.")
        if self.format == 1 and any(each.kind != "choice" for each in self.questions):
            raise ValueError(f"A question of format 1 is a choice; other kinds ({', '.join(KINDS)}) came later.")
        StudyOptions.model_validate(self.options)
        names = [each.name for each in self.instruments]
        asked = [question.name for each in self.instruments for question in each.questions]
        for found in (names, asked, self.systems):
            if len(set(found)) < len(found):
                raise ValueError(f"A name stands twice: {next(name for name in found if found.count(name) > 1)!r}.")
        return self

    def settings(self) -> dict[str, Any]:
        """The columns of a study that the import sets; it begins as a draft, under a title of its own."""
        names = ("description", "instructions", "notice", "message", "language", "grades_per_item", "claim_minutes")
        more = ("merge_identical", "include_references", "codebleu_variant", "options", "opened_at", "closed_at")
        return {name: getattr(self, name) for name in (*names, *more)} | {"set_slug": self.perturbed_set}

    def drafts(self) -> list[InstrumentDraft]:
        """What the study asks."""
        if self.format == 1:
            questions = tuple(each.draft() for each in self.questions)
            return [InstrumentDraft(HELPFULNESS.name, HELPFULNESS.title, "", "output", questions)]
        return [each.draft() for each in self.instruments]


def read_about(bundle: Bundle) -> StudyAbout:
    """The settings; InvalidInput names what can't be used."""
    try:
        about = StudyAbout.model_validate_json(bundle.read(ABOUT))
    except ValidationError as error:
        problems = [Problem(in_words(each), file=ABOUT) for each in error.errors()[:50]]
        raise InvalidInput(gettext("The bundle's settings can't be used. Nothing was stored."), problems) from error
    if not 1 <= about.format <= NEWEST:
        raise InvalidInput(
            gettext(
                "The bundle was written by a later CodeJury (format %(format)s; this one reads up to %(newest)s).",
                format=about.format,
                newest=NEWEST,
            ),
            remedy=gettext("Import it with a CodeJury that is at least as new."),
        )
    return about


# By pydantic's kind of error: its own words speak of inputs, items and validation.
WORDS = {
    "missing": N_("It is missing."),
    "extra_forbidden": N_("Nothing of this name belongs here."),
    "too_long": N_("It has %(actual_length)s characters; at most %(max_length)s are accepted."),
    "string_too_long": N_("It has more than %(max_length)s characters."),
    "too_short": N_("It is empty."),
    "string_too_short": N_("It is empty."),
    "string_pattern_mismatch": N_("It holds a character that can’t stand here."),
    "bool_type": N_("Expected true or false."),
    "string_type": N_("Expected text."),
    "int_type": N_("Expected a whole number."),
    "float_type": N_("Expected a number."),
    "list_type": N_("Expected a list."),
    "dict_type": N_("Expected an object with named values."),
    "greater_than_equal": N_("The least is %(ge)s."),
    "less_than_equal": N_("The most is %(le)s."),
    "less_than": N_("It must be below %(lt)s."),
}


def in_words(error: Any) -> str:
    """A finding of pydantic with the place where it is."""
    place = ".".join(str(part) for part in error["loc"])
    known, context = WORDS.get(error["type"]), error.get("ctx", {})
    try:
        message = gettext(known, **context) if known else str(error["msg"])
    except KeyError:  # a bound that this kind doesn't tell
        message = str(error["msg"])
    message = message.removeprefix("Value error, ").replace("Input should be", gettext("It must be"), 1).rstrip(".")
    return f"{place}: {message}." if place else f"{message}."
