"""What the grading templates are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup
from sqlalchemy.orm import Session

from app import words
from app.errors import InvalidInput
from app.ids import content_hash
from app.services.asked import Asked
from app.services.pace import Progress, progress
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import Given, keyed_by_value
from app.services.shown_items import ShownItem
from app.services.sitting import Sitting
from app.services.way.answering import Then
from app.storage.models import Instrument, Question, Study
from app.web.code_view import view_code, view_pair, visible_text
from app.web.markdown import render_markdown
from app.web.templating import templates
from app.words import N_

MESSAGE_COOKIE = "codejury-message"
# What most skips are for. Stored in English, so that they can be counted.
SKIP_REASONS = (
    N_("I can’t judge this"),
    N_("It is cut off or broken"),
    N_("It is unclear what was asked for"),
)


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """An answer to choose: what is sent, and what people read."""

    sent: str
    face: str
    key: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question with what explains it."""

    name: str
    text: str
    kind: str
    help: str
    help_html: Markup
    choices: tuple[ShownChoice, ...]


@dataclass(frozen=True, slots=True)
class ShownInstrument:
    """Questions that are asked together. ``is_quick``: one press answers and sends."""

    name: str
    is_quick: bool
    questions: tuple[ShownQuestion, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """What the team tells its annotators. ``key`` tells one text from another; MESSAGE_COOKIE keeps what was read."""

    text: str
    key: str

    @property
    def html(self) -> Markup:
        """As it is read. Made only where it is shown: each answer asks whether the message is another."""
        return render_markdown(self.text)


@dataclass(frozen=True, slots=True)
class FormProblem:
    """What is wrong with an answer, and where on the page its question stands."""

    place: int
    question: str
    message: str


@dataclass(frozen=True, slots=True)
class Entered:
    """What somebody sent by a form and could not be stored, to be shown again with what is wrong with it."""

    answers: dict[str, Given]
    errors: dict[str, str]
    problems: tuple[FormProblem, ...]

    @classmethod
    def of(cls, failure: InvalidInput, answers: dict[str, Given], questions: Sequence[Question]) -> "Entered":
        """The answers beside the problems that the service found in them."""
        errors = {problem.field: problem.message for problem in failure.problems if problem.field}
        problems = [
            FormProblem(place, question.text, errors[question.name])
            for place, question in enumerate(questions, start=1)
            if question.name in errors
        ]
        return cls(answers, errors, tuple(problems))


def base_context(session: Session, annotator_id: int, position: int | None = None) -> dict[str, Any]:
    """What every page of an annotator shows: the study, its questions, one's own progress (at the item shown)."""
    sitting = Sitting.of(session, annotator_id)
    study, done = sitting.study, progress(sitting)
    question = questions_of(session, study.id)[0]
    return {
        "study": study,
        "question": question,
        "choices": question.scale.get("choices", []),
        "instruments": shown_instruments(sitting),
        "instructions": render_markdown(study.instructions),
        "message": _message(study),
        "progress": done,
        "progress_line": done.line(position),
        "pseudonym": sitting.annotator.pseudonym,
        "stage": sitting.annotator.stage,
        # By a plain link the same person would come in as a new one.
        "is_named_by_link": sitting.annotator.source != "link",
        # Tells one annotator's waiting answers in a shared browser from another's; leads nowhere by itself.
        "owner": content_hash("outbox", str(study.seed), str(annotator_id))[:24],
    }


def shown_instruments(asked: Asked) -> list[ShownInstrument]:
    """What is asked, for the page's help."""
    return [_instrument(each, asked.questions(each.id)) for each in asked.instruments]


def item_context(shown: ShownItem) -> dict[str, Any]:
    """An item made ready for its template."""
    return {
        "item": shown,
        "view": _view(shown),
        "about": render_markdown(shown.instructions) if shown.opens else Markup(""),
        "intent": visible_text(shown.intent.strip()) if shown.intent and shown.intent.strip() else None,
        "context": visible_text(shown.context) if shown.context else None,
    }


def progress_json(progress: Progress) -> dict[str, str | int]:
    """What the script makes the line above an item from, whichever item shows.

    Under other names than when the script could not count on: pages of before then keep what they show.
    """
    return {
        "line": progress.pattern,
        "past": progress.earlier,
        "offset": progress.offset,
        "mine": progress.mine,
        "study": progress.study.graded,
    }


def message_json(study: Study, shown: str | None) -> dict[str, Any]:
    """The team's message for a page that shows another one, or none any more; nothing for a page that doesn't ask."""
    message = _message(study)
    key = message.key if message else ""
    if shown is None or shown == key:
        return {}
    html = templates.get_template("grading/_message_box.html").render(message=message) if message else ""
    return {"message": {"key": key, "html": html}}


def after_answer(item: str, then: Then) -> str | None:
    """Where the page goes after an answer that isn't simply followed by the next item."""
    return {"told": f"/way/told/{item}", "moved": "/way"}.get(then)


def item_html(shown: ShownItem) -> str:
    """The item as the script puts it into the page."""
    template = templates.get_template("grading/_item.html")
    return template.render(**item_context(shown), apart=True)


def _questions_apart(item: ShownItem) -> Markup:
    """What is asked of an item that shows later. As long as nothing is answered, that is alike for all of a kind."""
    if item.answers:
        return _questions_html(item.questions, item.answers)
    return _unanswered(tuple(item.questions), words.language().code)


@lru_cache(maxsize=64)
def _unanswered(questions: tuple[Question, ...], _language: str) -> Markup:
    return _questions_html(questions, {})


def _questions_html(questions: Sequence[Question], answers: Mapping[str, Given]) -> Markup:
    html = templates.get_template("grading/_questions.html").render(item={"questions": questions, "answers": answers})
    return Markup(html)  # noqa: S704 - the template escapes  # nosec B704


def is_quick(questions: Sequence[Question]) -> bool:
    """Whether one press answers all that is asked."""
    return len(questions) == 1 and questions[0].kind == "choice" and questions[0].required


templates.env.tests.update(keyed_by_value=keyed_by_value)
templates.env.globals.update(
    message_cookie=MESSAGE_COOKIE, skip_reasons=SKIP_REASONS, questions_apart=_questions_apart
)


def _view(shown: ShownItem) -> Any:
    language = "text" if shown.is_prose else shown.language
    if len(shown.texts) == 1:
        return view_code(shown.texts[0], language)
    return view_pair(shown.texts[0], shown.texts[1], language)


def _instrument(instrument: Instrument, questions: Sequence[Question]) -> ShownInstrument:
    return ShownInstrument(instrument.name, is_quick(questions), tuple(_question(each) for each in questions))


def _question(question: Question) -> ShownQuestion:
    choices = question.scale.get("choices", [])
    shown = tuple(
        ShownChoice(
            sent=each["name"] if question.kind == "labels" else f"{each['value']:g}",
            face=_face(question, each),
            key=each["key"],
            label=each["label"] or each.get("name", ""),
            description=each["description"],
        )
        for each in choices
    )
    return ShownQuestion(
        question.name, question.text, question.kind, question.help, render_markdown(question.help), shown
    )


def _face(question: Question, choice: dict[str, Any]) -> str:
    if question.kind == "labels":
        return str(choice["label"] or choice["name"])
    value = f"{choice['value']:g}"
    return f"{value} {choice['label']}".strip() if keyed_by_value(question) else str(choice["label"] or value)


def _message(study: Study) -> Message | None:
    if not study.message.strip():
        return None
    return Message(study.message, content_hash("message", study.message)[:16])
