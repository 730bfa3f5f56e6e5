"""Answers as pages send them: by a script in JSON, or by a plain form with a field for each question."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictFloat, StrictInt, ValidationError
from starlette.datastructures import FormData

from app.errors import InvalidInput
from app.services.questionnaires.scales import Given
from app.storage.models import Question
from app.web.body_limit import allow_more
from app.web.forms import is_storable
from app.web.parameters import LAST_ROW
from app.words import gettext

# A comment of 10,000 letters, of which each may be written as twelve bytes, and room for more of them.
MOST_BYTES = 512 << 10
PREFIX = "answer-"

SubmissionId = Annotated[str, Field(pattern="^[0-9A-Za-z-]{8,64}$")]
# As sent, so that a word or a truth value is refused; whether the scale has the number is the service's business.
GradeValue = Annotated[StrictInt, Field(ge=-LAST_ROW, le=LAST_ROW)] | StrictFloat
LabelNames = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=30)]


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError(gettext("This text holds a character that can't be stored."))
    return text


Comment = Annotated[str, Field(max_length=10_000), AfterValidator(_storable)]
Note = Annotated[str, Field(max_length=2000), AfterValidator(_storable)]
# The questionnaire that the page showed; a page of before there were versions says none.
Version = Annotated[int, Field(ge=1, le=LAST_ROW)] | None
Milliseconds = Annotated[int, Field(ge=0, le=2**53)]  # the largest whole number that a script can tell apart


LIST_OF_ANSWERS = "/grade/answers"
# The list that an answer was opened from, with its filters: an address of this one page, and of no other.
# Pages of before there were filters in it say "answers".
ReturnTo = Annotated[
    str,
    Field(max_length=8000, pattern=r"^(answers|/grade/answers(\?[A-Za-z0-9_.~%+=&-]*)?)?$"),
    AfterValidator(lambda text: LIST_OF_ANSWERS if text == "answers" else text),
]

Known = Annotated[list[Annotated[str, Field(max_length=32)]], Field(max_length=10)]  # the items on a page
MessageKey = Annotated[str, Field(pattern="^([0-9a-f]{16})?$")] | None  # the team's message on a page


class Timing(BaseModel):
    """What the browser measured; see app.storage.active_time. Stored as it came."""

    model_config = ConfigDict(extra="forbid")

    shown_at: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
    first_key_ms: Milliseconds | None = None
    submit_ms: Milliseconds
    hidden_ms: Milliseconds = 0
    idle_ms: Milliseconds = 0
    changes: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class Answer(BaseModel):
    """What the script sends."""

    model_config = ConfigDict(extra="forbid")

    submission_id: SubmissionId
    kind: Literal["grade", "skip", "flag"]
    value: GradeValue | None = None  # the answer to the first question, from pages of before there were several
    answers: dict[str, GradeValue | LabelNames | Comment] = Field(default_factory=dict, max_length=50)
    note: Note = ""
    revision: int = Field(ge=0, le=1_000_000)
    version: Version = None
    by: Literal["key", "button"] = "button"
    timing: Timing | None = None
    active_ms: Milliseconds | None = None  # from pages of before there was a timing
    have: Known | None = None  # asks for what the page lacks, too
    message: MessageKey = None  # asks for the team's message, if it is another

    @property
    def details(self) -> dict[str, Any]:
        """What is kept beside the answer."""
        details: dict[str, Any] = {"by": self.by}
        if self.active_ms is not None:
            details["active_ms"] = self.active_ms
        return details | (self.timing.model_dump() if self.timing else {})


Model = TypeVar("Model", bound=BaseModel)


def read_sent(model: type[Model], sent: Any) -> Model:
    """What a script sent, once it is known who it is; refused in the words in which FastAPI refuses it."""
    if sent is None:
        raise RequestValidationError([{"type": "missing", "loc": ("body",), "msg": "Field required"}])
    try:
        return model.model_validate(sent, from_attributes=True)
    except ValidationError as error:
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from None


class AnswerForm(BaseModel):
    """What a page without script sends beside the answers; the pressed button names the action."""

    submission_id: SubmissionId
    revision: int = Field(ge=0, le=1_000_000)
    version: Version = None
    value: float | None = None
    action: Literal["grade", "skip", "flag"] = "grade"
    note: Note = ""
    other: Note = ""
    back_to: ReturnTo = ""


async def _posted(request: Request) -> FormData:
    allow_more(request, MOST_BYTES)
    return await request.form(max_files=0, max_fields=2000)


PostedAnswers = Annotated[FormData, Depends(_posted)]


def read_fields(form: FormData) -> AnswerForm:
    """The form's own fields; InvalidInput when they are not as our pages send them."""
    try:
        return AnswerForm.model_validate({name: form[name] for name in AnswerForm.model_fields if name in form})
    except ValueError as error:
        raise InvalidInput(
            gettext("Some of what was sent is missing or not of the right kind."),
            remedy=gettext("Load the page again."),
        ) from error


def entered_answers(form: FormData, questions: Iterable[Question]) -> dict[str, Given]:
    """What was entered, by the questions' names; what is no number stays text, which no scale takes."""
    found = {}
    for question in questions:
        texts = [text for text in form.getlist(PREFIX + question.name) if isinstance(text, str)]
        if not all(map(is_storable, texts)):
            raise InvalidInput(gettext("An answer holds a character that can't be stored."))
        answer = _READERS[question.kind](texts, question)
        if answer is not None:
            found[question.name] = answer
    return found


def _number(texts: list[str], question: Question) -> Given | None:
    text = texts[0].strip() if texts else ""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def _labels(texts: list[str], question: Question) -> Given | None:
    # Nothing chosen is an answer where nothing need be chosen: none of them applies.
    return texts if texts or not question.scale.get("least") else None


def _comment(texts: list[str], question: Question) -> Given | None:
    text = texts[0].replace("\r\n", "\n") if texts else ""
    return text if text.strip() else None


_READERS = {"choice": _number, "number": _number, "labels": _labels, "comment": _comment}
