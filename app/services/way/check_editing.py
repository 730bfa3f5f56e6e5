"""Practice items and checks as an admin makes them: from stored items, or from lines of JSON."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from app.errors import AppError, Conflict, InvalidInput, NotFound
from app.errors import Problem as Trouble
from app.ids import content_hash
from app.services import audit
from app.services.counting import lent_items
from app.services.excerpts import first_line, in_one_line
from app.services.imports.storable import BadValue, check_storable
from app.services.ordering import place
from app.services.questionnaires.instruments import instrument_named, instruments_of, questions_of
from app.services.way.check_items import copy_of
from app.services.way.check_roles import ROLES
from app.services.way.expected import check_expected, in_words, practice_place
from app.storage.models import Assignment, Instrument, Item, Problem, Study
from app.words import gettext

FOUND = 20
LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A practice item or check on the admin's list; ``title`` and ``text`` tell it from others in a line each."""

    item: Item
    problem: Problem
    instrument: Instrument
    right: list[tuple[str, str]]
    feedback: str
    shown: int
    title: str
    text: str


class CheckLine(BaseModel):
    """A line of an import. ``problem``: the key of a stored one; else ``intent`` makes one of its own."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["practice", "loud", "silent"]
    instrument: str | None = None
    problem: str | None = None
    intent: Annotated[str, Field(max_length=LONGEST)] | None = None
    text: Annotated[str, Field(max_length=LONGEST)]
    original: Annotated[str, Field(max_length=LONGEST)] | None = None
    answers: dict[str, Any]
    feedback: Annotated[str, Field(max_length=5_000)] = ""


def check_rows(session: Session, study: Study) -> list[CheckRow]:
    """All of the study's practice items and checks that are in use, in order."""
    shown = select(func.count()).where(Assignment.item_id == Item.id).scalar_subquery()
    rows = session.execute(
        select(Item, Problem, Instrument, shown)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Instrument.study_id == study.id, Item.role.in_(ROLES), Item.gradable)
        .order_by(Instrument.position, Instrument.id, Item.id)
    )
    return [_row(session, *row) for row in sorted(rows, key=_in_order)]


def _in_order(row: Any) -> tuple[int, int, bool, int, int]:
    """Practice first, as people get it."""
    item, _, instrument, _ = row
    return instrument.position, instrument.id, item.role != "practice", *practice_place(item)


def _row(session: Session, item: Item, problem: Problem, instrument: Instrument, shown: int) -> CheckRow:
    expected = item.expected or {"answers": {}}
    texts = {question.name: question.text for question in questions_of(session, item.study_id, instrument.id)}
    right = [(texts.get(name, name), in_words(accepted)) for name, accepted in expected["answers"].items()]
    lines = first_line(problem.intent or item.text), in_one_line(item.text) if problem.intent else ""
    return CheckRow(item, problem, instrument, right, expected.get("feedback", ""), shown, *lines)


def find_items(
    session: Session, study: Study, words: str, start: int = 0
) -> tuple[list[tuple[Item, Problem, Instrument]], int | None]:
    """Some of the study's items, those whose problem or text holds the words; and where the next ones begin.

    What is in use already isn't among them: one copy might teach another answer than the next one expects.
    """
    used = lent_items([each.id for each in instruments_of(session, study.id)])
    like = f"%{words.replace('!', '!!').replace('%', '!%').replace('_', '!_')}%"
    holds = or_(*(column.ilike(like, escape="!") for column in (Problem.key, Problem.intent, Item.text)))
    rows = session.execute(
        select(Item, Problem, Instrument)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Item.study_id == study.id, Item.role == "main", Item.id.not_in(used), *([holds] if words else []))
        .order_by(Problem.position, Instrument.position, Item.id)
        .offset(start)
        .limit(FOUND + 1)
    ).all()
    found = [(item, problem, instrument) for item, problem, instrument in rows[:FOUND]]
    return found, start + FOUND if len(rows) > FOUND else None


def stored_item(session: Session, study: Study, item_id: int) -> Item:
    """One of the study's main items."""
    item = session.get(Item, item_id)
    if item is None or item.study_id != study.id or item.role != "main":
        raise NotFound(gettext("There is no such item."))
    return item


def use_item(
    session: Session, actor: str, study: Study, original: Item, *, role: str, answers: dict[str, Any], feedback: str
) -> Item:
    """A practice item or check that looks like a stored item. The stored one is graded by nobody meanwhile."""
    questions = questions_of(session, study.id, original.instrument_id)
    expected = {"answers": check_expected(questions, answers), "feedback": feedback}
    identity = content_hash(role, original.identity)
    item = copy_of(original, role=role, identity=identity)
    return _keep(session, actor, study, item, expected)


def import_lines(session: Session, actor: str, study: Study, text: str) -> int:
    """Items from lines of JSON; InvalidInput lists what is wrong by line. Returns how many there were."""
    troubles: list[Trouble] = []
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for number, line in lines:
        try:
            _import_line(session, actor, study, _parse(line))
        except AppError as failure:
            troubles.append(Trouble(failure.message, row=number))
    if troubles:
        raise InvalidInput(gettext("Some lines can’t be used. Nothing was stored."), troubles)
    if not lines:
        raise InvalidInput(gettext("There are no lines."), remedy=gettext("Paste at least one."))
    return len(lines)


def _parse(line: str) -> CheckLine:
    try:
        return CheckLine.model_validate(json.loads(line))
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(gettext("This is no JSON object.")) from error


def _import_line(session: Session, actor: str, study: Study, line: CheckLine) -> None:
    for text in (line.text, line.original, line.intent, line.feedback):
        try:
            check_storable(text or "")
        except BadValue as bad:
            raise InvalidInput(bad.message) from bad
    instrument = (
        instrument_named(session, study, line.instrument) if line.instrument else instruments_of(session, study.id)[0]
    )
    if (instrument.kind == "pair") != (line.original is not None):
        raise InvalidInput(gettext("A pair has an original, and nothing else has one."))
    expected = {
        "answers": check_expected(questions_of(session, study.id, instrument.id), line.answers),
        "feedback": line.feedback,
    }
    problem = _problem(session, study, line)
    identity = content_hash(line.role, line.text, line.original or "")
    item = Item(
        study_id=study.id,
        instrument_id=instrument.id,
        problem_id=problem.id,
        identity=identity,
        text=line.text,
        original=line.original,
        role=line.role,
        shuffle=place(study.seed, problem.key, identity),
    )
    _keep(session, actor, study, item, expected)


def _problem(session: Session, study: Study, line: CheckLine) -> Problem:
    """The stored problem of that key, or one of the line's own, which holds no output."""
    key = line.problem or f"check:{content_hash(line.intent or '')[:16]}"
    mine = select(Problem).where(Problem.study_id == study.id, Problem.key == key)
    problem = session.scalar(mine)
    if problem is None and line.problem:
        raise InvalidInput(gettext("There is no problem %(key)s.", key=repr(line.problem)))
    if problem is None:
        last = session.scalar(select(func.max(Problem.position)).where(Problem.study_id == study.id))
        problem = Problem(
            study_id=study.id, key=key, position=(last if last is not None else -1) + 1, intent=line.intent
        )
        session.add(problem)
        session.flush()
    return problem


def _keep(session: Session, actor: str, study: Study, item: Item, expected: dict[str, Any]) -> Item:
    same = session.scalar(
        select(Item).where(
            Item.instrument_id == item.instrument_id,
            Item.problem_id == item.problem_id,
            Item.identity == item.identity,
        )
    )
    if same is not None and same.gradable:
        raise Conflict(gettext("This is one already."))
    if same is None:
        session.add(item)
    kept = same or item
    kept.expected, kept.gradable = expected, True
    session.flush()
    audit.record(session, actor, "check added", study.id, item=kept.id, role=kept.role, expected=expected)
    return kept


def remove(session: Session, actor: str, study: Study, item_id: int) -> None:
    """Show the item to nobody any more. Answers that it got stay."""
    item = session.get(Item, item_id, with_for_update={"key_share": True})
    if item is None or item.study_id != study.id or item.role not in ROLES:
        raise NotFound(gettext("There is no such item."))
    if item.gradable:
        item.gradable = False
        audit.record(session, actor, "check removed", study.id, item=item.id, role=item.role)
