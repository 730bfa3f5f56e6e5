"""What the pages of the questionnaire's editor are given: what was typed, what is wrong with it, how it looks."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services.previewed_items import as_shown, first_item
from app.services.questionnaires.editing_drafts import read_instrument
from app.storage.models import Instrument, Question
from app.web.forms import FormState
from app.web.grading_pages import item_context
from app.web.nested_forms import Draft, flat
from app.words import N_, gettext

_ROW = re.compile(r"^(questions|fields)\.(\d+)(?:\.scale\.choices\.(\d+))?")
_ASKED = N_("what is asked")
_FIELDS = {
    "title": N_("title"),
    "text": N_("text"),
    "value": N_("value"),
    "name": N_("name"),
    "key": N_("key"),
    "label": N_("label"),
    "description": N_("description"),
    "help": N_("help"),
    "options": N_("answers"),
    "least": N_("the least"),
    "most": N_("the most"),
    "low": N_("from"),
    "high": N_("to"),
    "step": N_("in steps of"),
    "low_label": N_("words at the low end"),
    "high_label": N_("words at the high end"),
}


@dataclass
class Editor:
    """A form in the middle of being edited.

    ``state`` is that of what is stored, as the form knew it when it was opened; ``focus`` the place to go on at.
    """

    draft: Draft
    state: str = ""
    focus: str = ""
    done: str = ""
    failure: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def form(self) -> FormState:
        """The fields for the form's macros."""
        return FormState(dict(flat(self.draft)), self.errors)

    @property
    def summary(self) -> list[tuple[str, str, str]]:
        """Each problem: the field, where that is in words, what is wrong."""
        return [(place, in_words(place), message) for place, message in self.errors.items()]

    def refuse(self, failure: InvalidInput) -> None:
        """Keep what is wrong, to show it beside its fields."""
        self.failure = " ".join(filter(None, [failure.message, failure.remedy]))
        for problem in failure.problems:
            self.errors.setdefault(problem.field or "", problem.message)


def in_words(place: str) -> str:
    """Where a field is: "Question 2, answer 3, key"."""
    return ", ".join(filter(None, [_row_in_words(place), _field_in_words(place)]))


def _row_in_words(place: str) -> str:
    found = _ROW.match(place)
    if not found:
        return ""
    question = int(found[2]) + 1
    if found[3] is None:
        return gettext("Question %(number)s", number=question)
    return gettext("Question %(number)s, answer %(answer)s", number=question, answer=int(found[3]) + 1)


def shown_first(session: Session, instrument: Instrument) -> dict[str, Any] | None:
    """The instrument's first item in the study's order, as annotators see it but for its picture, if it has one."""
    item = first_item(session, [instrument])
    return item_context(replace(as_shown(session, item), has_image=False)) if item else None


def _field_in_words(place: str) -> str:
    name = place.rpartition(".")[2]
    is_asked = name == "text" or re.fullmatch(r"fields\.\d+\.label", place)
    words = _ASKED if is_asked and _ROW.match(place) else _FIELDS.get(name)
    return gettext(words) if words else ""


def previewed(draft: Draft) -> dict[str, Any]:
    """What annotators would see of an instrument: those of its questions that are right, and how many are not yet."""
    reading = read_instrument(draft)
    questions = [
        Question(
            name=each.draft.name or f"question-{each.place}",
            text=each.draft.text,
            kind=each.draft.kind,
            help=each.draft.help,
            required=each.draft.required,
            scale=each.draft.scale,
        )
        for each in reading.questions
    ]
    asked = draft.get("questions")
    return {
        "instructions": reading.head.instructions if reading.head else "",
        "questions": questions,
        "answers": {},
        "unready": (len(asked) if isinstance(asked, list) else 0) - len(questions),
    }
