"""Whether the versions of forms in an exported study are what they say: forms of their kind, under their own hash."""

from pydantic import ConfigDict, ValidationError

from app.errors import InvalidInput
from app.services.imports.storable import BadValue
from app.services.imports.study_bundle_about import InstrumentAbout, Part, QuestionAbout, Text, in_words
from app.services.imports.study_bundle_rows import FormLine
from app.services.questionnaires.form_content import parse_form
from app.services.questionnaires.versions import content_sha256
from app.words import gettext

MOST_TOLD = 5


class _Question(QuestionAbout):
    model_config = ConfigDict(extra="forbid")

    help: Text
    required: bool


class _Instrument(InstrumentAbout):
    model_config = ConfigDict(extra="forbid")

    instructions: Text
    questions: list[_Question]  # type: ignore[assignment]


class _Questionnaire(Part):
    """What ``versions.questionnaire_content`` writes."""

    model_config = ConfigDict(extra="forbid")

    instructions: Text
    instruments: list[_Instrument]


def check_form(line: FormLine) -> None:
    """BadValue where the content is no form of that kind, or isn't what the hash was made of."""
    if found := _wrong_in(line):
        raise BadValue(
            gettext("The content is no %(kind)s: %(what)s", kind=line.kind, what=" ".join(found[:MOST_TOLD])),
            gettext("Export the study again."),
        )
    if line.sha256 != content_sha256(line.kind, line.content):
        raise BadValue(
            gettext("The content is not the one that sha256 names: one of them was changed."),
            gettext("Export the study again."),
        )


def _wrong_in(line: FormLine) -> list[str]:
    try:
        if line.kind == "questionnaire":
            _Questionnaire.model_validate(line.content)
        elif line.content:  # without any, the study asks this form no more
            parse_form(line.kind, line.content, strict=True)
    except ValidationError as error:
        return [in_words(each) for each in error.errors()]
    except InvalidInput as error:
        return [f"{each.field}: {each.message}" if each.field else each.message for each in error.problems]
    return []
