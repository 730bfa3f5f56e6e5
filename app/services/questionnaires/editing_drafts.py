"""Drafts: an instrument as a form holds it, all of it text, and what such a draft means or has wrong with it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import Problem
from app.services.questionnaires.problems import problems_in
from app.services.questionnaires.ready_made import QuestionDraft
from app.services.questionnaires.scales import KINDS, SCALES, Choice, Label
from app.storage.models import Instrument, Question
from app.words import gettext

Draft = dict[str, Any]  # text, lists of drafts, drafts
MOST_QUESTIONS = 20


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)


class Head(_Part):
    """An instrument without its questions."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    kind: Literal["output", "prompt", "pair"] = "output"
    instructions: Annotated[str, Field(max_length=50_000)] = ""
    grades_per_item: Annotated[int, Field(ge=1, le=100)] | None = None


class _Asked(_Part):
    """A question without its scale."""

    id: int | None = None
    name: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f]*$")] = ""
    text: Annotated[str, Field(min_length=1, max_length=5_000)]
    kind: Literal["choice", "labels", "number", "comment"] = "choice"
    help: Annotated[str, Field(max_length=5_000)] = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """A question as it was edited: ``id`` of the row that it changes, None for a new one; its place in the draft.

    A name that was left empty is made from the question's text when it is stored.
    """

    id: int | None
    place: int
    draft: QuestionDraft


@dataclass(slots=True)
class Reading:
    """What a draft means. ``head`` and ``questions`` hold what is right; ``problems`` tell of all that is not."""

    head: Head | None = None
    questions: list[Edited] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_instrument(draft: Mapping[str, Any]) -> Reading:
    """The instrument that the draft describes, with each problem at its place ("questions.0.scale.choices.2.key")."""
    reading = Reading()
    try:
        reading.head = Head.model_validate(_filled(draft, ("grades_per_item",)))
    except ValidationError as error:
        reading.problems += problems_in(error)
    drafts = list_in(draft, "questions")
    if not 1 <= len(drafts) <= MOST_QUESTIONS:
        words = gettext("An instrument asks from 1 to %(number)s questions.", number=MOST_QUESTIONS)
        reading.problems.append(Problem(words, field="questions"))
    for place, each in enumerate(drafts[:MOST_QUESTIONS]):
        question = _read_question(each, place, reading.problems)
        if question:
            reading.questions.append(question)
    reading.problems += _same_names(reading.questions)
    return reading


def _read_question(draft: Draft, place: int, problems: list[Problem]) -> Edited | None:
    where = f"questions.{place}"
    try:
        asked = _Asked.model_validate(_filled(draft, ("id",)))
    except ValidationError as error:
        problems += problems_in(error, where)
        asked = None
    kind = draft.get("kind", "choice")
    scale = _read_scale(kind, dict(_of(draft, "scale")), f"{where}.scale", problems) if kind in KINDS else None
    if asked is None or scale is None:
        return None
    return Edited(
        asked.id, place, QuestionDraft(asked.name, asked.text, scale, asked.kind, asked.help, asked.required)
    )


def _read_scale(kind: str, draft: Draft, where: str, problems: list[Problem]) -> Draft | None:
    """The scale as it is stored; a choice's values in rising order."""
    before = len(problems)
    if kind in ("choice", "labels"):
        draft["choices"] = _read_rows(kind, list_in(draft, "choices"), f"{where}.choices", problems)
    if len(problems) > before:
        return None
    known = SCALES[kind].model_fields
    try:
        filled = _filled({name: value for name, value in draft.items() if name in known}, known)
        return SCALES[kind].model_validate(filled).model_dump()
    except ValidationError as error:
        problems += problems_in(error, where)
        return None


def _read_rows(kind: str, drafts: list[Draft], where: str, problems: list[Problem]) -> list[Draft]:
    model = Choice if kind == "choice" else Label
    rows: list[Draft] = []
    for place, each in enumerate(drafts):
        known = {name: text for name, text in _stripped(each).items() if name in model.model_fields}
        try:
            rows.append(model.model_validate(_filled(known, ("value",))).model_dump())
        except ValidationError as error:
            problems += problems_in(error, f"{where}.{place}")
    for part in ("value" if kind == "choice" else "name", "key"):
        problems += _repeated(part, [str(_stripped(each).get(part, "")) for each in drafts], where)
    return sorted(rows, key=lambda row: row["value"]) if kind == "choice" and len(rows) == len(drafts) else rows


def _repeated(part: str, texts: list[str], where: str) -> Iterator[Problem]:
    """Rows whose value, name or key an earlier row has already."""
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        earlier = first.setdefault(_compared(part, text), place) if text else place
        if earlier != place:
            yield Problem(_taken(part, earlier + 1), field=f"{where}.{place}.{part}")


def _compared(part: str, text: str) -> str:
    if part == "value":
        try:
            return repr(float(text))
        except ValueError:
            return text
    return text.lower() if part == "key" else text


def _taken(part: str, row: int) -> str:
    if part == "key":
        return gettext("Answer %(number)s has this key already.", number=row)
    if part == "value":
        return gettext("Answer %(number)s has this value already.", number=row)
    return gettext("Answer %(number)s has this name already.", number=row)


def _same_names(questions: Sequence[Edited]) -> list[Problem]:
    first: dict[str, int] = {}
    problems = []
    for each in questions:
        earlier = first.setdefault(each.draft.name, each.place)
        if earlier != each.place and each.draft.name:
            words = gettext("Question %(number)s has this name already.", number=earlier + 1)
            problems.append(Problem(words, field=f"questions.{each.place}.name"))
    return problems


def shaped(draft: Mapping[str, Any]) -> Draft:
    """As much of what was sent as has the shape of an instrument."""
    questions = []
    for each in list_in(draft, "questions"):
        scale = _of(each, "scale")
        choices = [texts_in(row) for row in list_in(scale, "choices")]
        questions.append(texts_in(each) | {"scale": texts_in(scale) | ({"choices": choices} if choices else {})})
    return texts_in(draft) | {"questions": questions}


def texts_in(draft: Mapping[str, Any]) -> Draft:
    """The draft's own texts, without what hangs below it."""
    return {name: value for name, value in draft.items() if isinstance(value, str)}


def instrument_draft(instrument: Instrument, questions: Iterable[Question]) -> Draft:
    """The draft that shows an instrument as it is stored."""
    return {
        "title": instrument.title,
        "kind": instrument.kind,
        "instructions": instrument.instructions,
        "grades_per_item": text_of(instrument.grades_per_item),
        "questions": [{"id": str(each.id), **question_draft(each)} for each in questions],
    }


def question_draft(question: Question | QuestionDraft) -> Draft:
    """The draft of a question."""
    return {
        "name": question.name,
        "text": question.text,
        "kind": question.kind,
        "help": question.help,
        "scale": _as_text(question.scale),
        **({"required": "yes"} if question.required else {}),
    }


def blank_question(kind: str) -> Draft:
    """A new question of that kind, with the rows that it needs at least."""
    rows: dict[str, Draft] = {
        "choice": {"level": "ordinal", "choices": [{"value": "0", "key": "0"}, {"value": "1", "key": "1"}]},
        "labels": {"least": "0", "choices": [{"name": "", "key": "1"}, {"name": "", "key": "2"}]},
        "number": {"low": "0", "high": "100", "step": "1"},
        "comment": {"most": "2000"},
    }
    return {"kind": kind, "scale": rows[kind], **({} if kind in ("labels", "comment") else {"required": "yes"})}


def list_in(draft: Mapping[str, Any], name: str) -> list[Draft]:
    """The drafts under that name; whatever else stands there is none."""
    found = draft.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _of(draft: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = draft.get(name)
    return found if isinstance(found, dict) else {}


def _filled(draft: Mapping[str, Any], names: Iterable[str]) -> Draft:
    """The draft without those of the named fields that are empty, so that defaults hold or they are missed."""
    return {name: value for name, value in draft.items() if not (name in set(names) and value == "")}


def _stripped(draft: Mapping[str, Any]) -> Draft:
    return {name: value.strip() if isinstance(value, str) else value for name, value in draft.items()}


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_text(each) for name, each in value.items()}
    return [_as_text(each) for each in value] if isinstance(value, list) else text_of(value)


def text_of(value: Any) -> str:
    """A number as a person writes it: 1 and not 1.0, yet every digit of 0.1234567."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
