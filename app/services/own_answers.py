"""One's own answers, to look through and to change: what was shown, what was answered, found by filters."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Select, case, func, or_, select
from sqlalchemy.orm import Session

from app.services.questionnaires.scales import as_given, keyed_by_value
from app.services.running_text import is_running_text
from app.services.shown_items import texts_of
from app.storage.models import Assignment, Grade, Instrument, Item, Problem, Question
from app.words import gettext

LONGEST_TITLE = 120
# How code often begins, whatever it does.
PREAMBLE = ("import ", "from ", "#", "//", "package ", "using ", '"""', "'''")

Rows = Select[Assignment, Item, Problem, Instrument]


@dataclass(frozen=True, slots=True)
class Filters:
    """Which answers are wanted; what is empty leaves all in. ``answer``: a question's name, a colon, the answer."""

    instrument: str = ""
    answer: str = ""
    state: Literal["", "graded", "skipped", "flagged"] = ""
    text: str = ""

    @property
    def any(self) -> bool:
        """Whether anything is left out."""
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in words: of a choice what stands on its button, the value or else the key, and the label."""

    question: str
    value: str
    words: str


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """A line of the list. ``title``: of what was asked for; ``detail``: of the text itself, where both were shown.

    What is no code is words, which go in the direction of their own language.
    """

    id: str
    position: int
    title: str
    detail: str
    title_is_code: bool
    detail_is_code: bool
    state: str
    skip_reason: str | None
    flagged: bool
    answers: tuple[Answer, ...]


def answered(
    session: Session, annotator_id: int, filters: Filters, *, before: int | None, limit: int
) -> list[AnsweredItem]:
    """One's own answers, the latest first; ``before`` is the position where the last page ended."""
    statement = (
        select(Assignment, Item, Problem, Instrument)
        .join(Item, Item.id == Assignment.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Assignment.annotator_id == annotator_id, Assignment.state.in_(("graded", "skipped")))
        .order_by(Assignment.position.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(Assignment.position < before)
    rows = session.execute(_filtered(statement, filters)).all()
    answers = _answers(session, annotator_id, [item.id for _, item, _, _ in rows])
    lines = _telling([_shown(*row) for row in rows], filters.text)
    return [
        AnsweredItem(
            id=assignment.public_id,
            position=assignment.position,
            title=title,
            detail=detail,
            title_is_code=is_code and not (instrument.kind == "output" and _has_text(problem.intent)),
            detail_is_code=is_code,
            state=assignment.state,
            skip_reason=assignment.skip_reason,
            flagged=assignment.flag_note is not None,
            answers=tuple(answers[item.id]),
        )
        for (assignment, item, problem, instrument), (title, detail) in zip(rows, lines, strict=True)
        for is_code in (not is_running_text(session, instrument, texts_of(item, assignment)),)
    ]


def _filtered(statement: Rows, filters: Filters) -> Rows:
    if filters.instrument:
        statement = statement.where(Instrument.name == filters.instrument)
    if filters.state == "flagged":
        statement = statement.where(Assignment.flag_note.is_not(None))
    elif filters.state:
        statement = statement.where(Assignment.state == filters.state)
    if filters.text:
        # In what was shown; the intent behind a prompt or a pair wasn't.
        intent = case((Instrument.kind == "output", Problem.intent), else_="")
        shown = (intent, Item.text, func.coalesce(Item.original, ""))
        statement = statement.where(or_(*(text.icontains(filters.text, autoescape=True) for text in shown)))
    if filters.answer:
        statement = _with_answer(statement, *filters.answer.rpartition(":")[::2])
    return statement


def _with_answer(statement: Rows, question: str, answer: str) -> Rows:
    same = (
        select(Grade.id)
        .join(Question, Question.id == Grade.question_id)
        .where(Grade.annotator_id == Assignment.annotator_id, Grade.item_id == Assignment.item_id)
        .where(Question.name == question)
    )
    number = _number(answer)
    # Labels are stored as a JSON list of names.
    label = Grade.text.contains(json.dumps(answer, ensure_ascii=False), autoescape=True)
    of_labels = (Question.kind == "labels") & label
    matches = of_labels if number is None else of_labels | (Grade.value == number)
    return statement.where(same.where(matches).exists())


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _answers(session: Session, annotator_id: int, item_ids: Sequence[int]) -> dict[int, list[Answer]]:
    rows = session.execute(
        select(Grade, Question)
        .join(Question, Question.id == Grade.question_id)
        .where(Grade.annotator_id == annotator_id, Grade.item_id.in_(item_ids))
        .order_by(Question.position, Question.id)
    )
    found: dict[int, list[Answer]] = defaultdict(list)
    for grade, question in rows:
        found[grade.item_id].append(_in_words(question, grade))
    return found


def _in_words(question: Question, grade: Grade) -> Answer:
    given = as_given(question, grade.value, grade.text)
    if question.kind == "choice":
        choice = next((each for each in question.scale["choices"] if each["value"] == grade.value), None)
        if choice is None or keyed_by_value(question):
            return Answer(question.text, f"{grade.value:g}", choice["label"] if choice else "")
        return Answer(question.text, choice["key"], choice["label"] or f"{grade.value:g}")
    if question.kind == "labels":
        labels = {choice["name"]: choice["label"] or choice["name"] for choice in question.scale["choices"]}
        words = ", ".join(labels.get(name, name) for name in _names(given))
        return Answer(question.text, "", words or gettext("none of the labels"))
    return Answer(question.text, f"{given:g}" if isinstance(given, float) else "", _first_line(grade.text or ""))


def _names(given: object) -> Iterable[str]:
    return given if isinstance(given, list) else ()


def _shown(assignment: Assignment, item: Item, problem: Problem, instrument: Instrument) -> tuple[str, str]:
    """Two texts as they were shown: an intent beside a pair would tell which side is the original."""
    texts = texts_of(item, assignment)
    if instrument.kind == "output":
        return (problem.intent or "", texts[0]) if _has_text(problem.intent) else (texts[0], "")
    return texts[0], texts[1] if len(texts) > 1 else ""


def _has_text(text: str | None) -> bool:
    return bool(text and text.strip())


def _telling(shown: Sequence[tuple[str, str]], wanted: str) -> list[tuple[str, str]]:
    """A line of each text by which it is told from the others on the page, or in which the wanted words are."""
    sides = [[_lines(texts[side]) for texts in shown] for side in (0, 1)]
    columns = [_most_telling(one, other, wanted.casefold()) for one, other in (sides, sides[::-1])]
    return list(zip(*columns, strict=True))


def _most_telling(texts: Sequence[list[str]], others: Sequence[list[str]], wanted: str) -> list[str]:
    """Of each text a line; of a pair one in which the two differ, since that is what was judged."""
    held_by = Counter(line for lines in texts for line in set(lines))

    def rank(line: str, other: list[str]) -> tuple[bool, bool, int, bool]:
        is_wanted = bool(wanted) and wanted in line.casefold()
        return (not is_wanted, line in other, held_by[line], line.startswith(PREAMBLE))

    return [
        _shortened(min(lines, key=lambda line: rank(line, other), default=""))
        for lines, other in zip(texts, others, strict=True)
    ]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _first_line(text: str) -> str:
    return _shortened(text.strip().split("\n", 1)[0])


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}…"
