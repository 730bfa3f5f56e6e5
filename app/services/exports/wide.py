"""The published study's form: a row per problem with each system's output and its grades by annotator."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services.exports.chunks import REFERENCE, item_names, problem_chunks
from app.services.exports.formats import Row
from app.services.exports.grade_table import plain_number
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import bounds_of
from app.storage.models import Annotator, Grade, Item, Output, Problem, Question, Reference, Study, System
from app.words import gettext

INTENT, SNIPPET, GRADE = "intent", "snippet", "grade-"
KEY = "problem_key"  # the published form has none; its readers ask for the names they know


def wide_lines(session: Session, study: Study, question: Question) -> Iterator[bytes]:
    """A JSON list, a row at a time, as the field's notebooks and CodeJury's import read it."""
    yield b"["
    for number, row in enumerate(wide_rows(session, study, question)):
        yield (b",\n" if number else b"\n") + json.dumps(row, ensure_ascii=False, allow_nan=False).encode()
    yield b"\n]\n"


def wide_rows(session: Session, study: Study, question: Question) -> Iterator[Row]:
    """One row per problem: intent, snippet (its references), ``<system>``, ``grade-<system>``: {annotator: grade}.

    The grades are those that count: no surplus, nobody who was excluded, main items. Of the first reference they are
    ``grade-snippet``, as published; of the others ``grade-snippet 2`` and so on.
    """
    for problems in problem_chunks(session, study):
        rows = dict(_material(session, problems))
        for problem, system, worker, value in _grades(session, problems, question):
            rows[problem].setdefault(GRADE + system, {})[worker] = plain_number(value or 0.0)
        yield from rows.values()


def wide_question(session: Session, study: Study, name: str | None) -> Question:
    """The question asked for, or the first one; InvalidInput where it isn't about outputs, or has no numbers."""
    of_outputs = wide_questions(session, study)
    found = next((each for each in of_outputs if name in (None, each.name)), None)
    if found is None:
        listed = ", ".join(each.name for each in of_outputs) or "none"
        raise InvalidInput(
            gettext("This form needs a question about outputs whose answers are numbers."),
            remedy=gettext("There are: %(listed)s.", listed=listed),
        )
    return found


def wide_questions(session: Session, study: Study) -> list[Question]:
    """The questions that this form can hold: about outputs, with numbers for answers."""
    instruments = [each for each in instruments_of(session, study.id) if each.kind == "output"]
    asked = [question for each in instruments for question in questions_of(session, study.id, each.id)]
    return [each for each in asked if bounds_of(each)]


def _material(session: Session, problems: Any) -> Iterator[tuple[str, Row]]:
    references: dict[int, list[str]] = {}
    texts = select(Reference.problem_id, Reference.text).where(Reference.problem_id.in_(problems))
    for problem_id, text in session.execute(texts.order_by(Reference.problem_id, Reference.position)):
        references.setdefault(problem_id, []).append(text)
    outputs: dict[int, Row] = {}
    rows = select(Output.problem_id, System.name, Output.text).join(System, System.id == Output.system_id)
    for problem_id, system, text in session.execute(
        rows.where(Output.problem_id.in_(problems)).order_by(System.position, System.id)
    ):
        outputs.setdefault(problem_id, {})[system] = text
    ordered = select(Problem.id, Problem.key, Problem.intent).where(Problem.id.in_(problems))
    for problem_id, key, intent in session.execute(ordered.order_by(Problem.position, Problem.id)):
        row = {INTENT: intent, SNIPPET: references.get(problem_id, []), KEY: key}
        yield key, row | outputs.get(problem_id, {})


def _grades(session: Session, problems: Any, question: Question) -> Iterator[tuple[str, str, str, float | None]]:
    """Problem, system (or snippet), annotator, grade: an item that is several systems' output gives one for each."""
    names = item_names(session, problems)
    rows = session.execute(
        select(Grade.item_id, Annotator.pseudonym, Grade.value)
        .join(Item, Item.id == Grade.item_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .where(Item.problem_id.in_(problems), Item.role == "main", Grade.question_id == question.id)
        .where(Grade.surplus.is_(False), Annotator.excluded_at.is_(None), Grade.value.is_not(None))
        .order_by(Item.id, Annotator.id)
    )
    for item, worker, value in rows:
        name = names[item]
        for system in name.systems:
            yield name.problem, system, worker, value
        if name.reference:
            yield name.problem, name.reference.replace(REFERENCE, SNIPPET, 1), worker, value
