"""Change what a study asks. Each change has its audit event; once the study has opened it is a new version, too.

Whoever changes holds the study against other writers (``study_settings.lock``).
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, Literal

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput, NotFound, Problem
from app.ids import content_hash
from app.services import audit
from app.services.questionnaires.editing_changes import Change, change, changes_between
from app.services.questionnaires.editing_drafts import Edited, Reading
from app.services.questionnaires.editing_names import free_name, slug
from app.services.questionnaires.editing_rules import graded_among, refusals
from app.services.questionnaires.instruments import add_instrument, instruments_of, questions_of
from app.services.questionnaires.ready_made import InstrumentDraft
from app.services.questionnaires.versions import instrument_content, latest_version, publish_questionnaire
from app.storage.models import Assignment, Instrument, Item, Output, Question, Reference, Study
from app.words import gettext


def instrument_with_id(session: Session, study: Study, instrument_id: int) -> Instrument:
    """The study's instrument."""
    instrument = session.get(Instrument, instrument_id)
    if instrument is None or instrument.study_id != study.id:
        raise NotFound(gettext("This study has no such instrument. Somebody may have removed it."))
    return instrument


def content_of(session: Session, instrument: Instrument) -> dict[str, Any]:
    """All that can be edited of an instrument, as data."""
    content = instrument_content(instrument, questions_of(session, instrument.study_id, instrument.id))
    return content | {"grades_per_item": instrument.grades_per_item}


def state_of(session: Session, instrument: Instrument) -> str:
    """A hash of the instrument as it is stored, by which a form knows whether somebody else changed it meanwhile."""
    return content_hash(json.dumps(content_of(session, instrument), sort_keys=True))


def add(session: Session, actor: str, study: Study, draft: InstrumentDraft) -> Instrument:
    """One more instrument at the end, ready-made or blank; names that are taken get a number."""
    order = instruments_of(session, study.id)
    taken = question_names(session, study)
    questions = []
    for each in draft.questions:
        questions.append(replace(each, name=free_name(each.name, taken)))
        taken.add(questions[-1].name)
    name = free_name(draft.name, {each.name for each in order})
    instrument = add_instrument(session, study, replace(draft, name=name, questions=tuple(questions)))
    instrument.position = max((each.position for each in order), default=-1) + 1
    session.flush()
    added = {"instrument": change(None, name)}
    _record(session, actor, study, "instrument added", added, content=content_of(session, instrument))
    return instrument


def save(session: Session, actor: str, study: Study, instrument: Instrument, reading: Reading) -> None:
    """Store the instrument as it was edited; InvalidInput has a problem for each thing in the way, at its place."""
    rows = {each.id: each for each in questions_of(session, study.id, instrument.id)}
    graded = graded_among(session, rows)
    problems = [*reading.problems, *_in_the_way(session, study, instrument, reading, rows)]
    problems += [] if reading.problems else _gone(reading, rows, graded)
    for each in reading.questions:
        if each.id in graded and each.id in rows:
            problems += refusals(rows[each.id], each)
    if problems or reading.head is None:
        raise InvalidInput(gettext("Nothing is saved yet: some of it can’t be used as it is."), problems)
    before = content_of(session, instrument)
    for field, value in reading.head.model_dump().items():
        setattr(instrument, field, value)
    fixed = {each: rows[each].name for each in graded}
    names = _names(reading.questions, fixed, question_names(session, study, apart_from=instrument))
    _store(session, instrument, reading.questions, names, rows)
    if changes := changes_between(before, content_of(session, instrument)):
        _record(session, actor, study, "instrument changed", changes, instrument=instrument.name)


def move(session: Session, actor: str, study: Study, instrument: Instrument, way: Literal["up", "down"]) -> None:
    """Change places with the instrument before or after it."""
    order = instruments_of(session, study.id)
    before = [each.name for each in order]
    here = order.index(instrument)
    there = here + (1 if way == "down" else -1)
    if not 0 <= there < len(order):
        return
    order[here], order[there] = order[there], order[here]
    for position, each in enumerate(order):
        each.position = position
    session.flush()
    changes = {"order of instruments": change(before, [each.name for each in order])}
    _record(session, actor, study, "instruments reordered", changes)


def remove(session: Session, actor: str, study: Study, instrument: Instrument) -> None:
    """Take an instrument away with its items, while nobody has been handed any of them."""
    refusal = why_it_stays(session, study, instrument)
    if refusal:
        raise Conflict(refusal)
    before = content_of(session, instrument)
    session.execute(delete(Item).where(Item.instrument_id == instrument.id))
    session.execute(delete(Question).where(Question.instrument_id == instrument.id))
    session.delete(instrument)
    session.flush()
    removed = {"instrument": change(before["name"], None)}
    _record(session, actor, study, "instrument removed", removed, content=before)


def why_it_stays(session: Session, study: Study, instrument: Instrument) -> str:
    """Why the instrument can't be removed; empty where it can."""
    if len(instruments_of(session, study.id)) == 1:
        return gettext("A study asks something: its only instrument stays.")
    items = select(Item.id).where(Item.instrument_id == instrument.id)
    questions = [each.id for each in questions_of(session, study.id, instrument.id)]
    if graded_among(session, questions) or session.scalar(select(exists().where(Assignment.item_id.in_(items)))):
        return gettext("People have been handed items of this instrument: it stays, and so do their grades.")
    if any(session.scalar(select(exists().where(each.item_id.in_(items)))) for each in (Output, Reference)):
        return gettext("The study’s outputs hang on this instrument: it stays. Its questions can be changed.")
    return ""


def item_counts(session: Session, study: Study) -> dict[int, int]:
    """How many items each of the study's instruments has, by its id."""
    counted = select(Item.instrument_id, func.count().label("number")).where(Item.study_id == study.id)
    return {row.instrument_id: row.number for row in session.execute(counted.group_by(Item.instrument_id))}


def question_names(session: Session, study: Study, *, apart_from: Instrument | None = None) -> set[str]:
    """The names that the study's questions have, apart from those of one instrument."""
    names = select(Question.name).where(Question.study_id == study.id)
    return set(session.scalars(names.where(Question.instrument_id != apart_from.id) if apart_from else names))


def _in_the_way(
    session: Session, study: Study, instrument: Instrument, reading: Reading, rows: dict[int, Question]
) -> Iterator[Problem]:
    """What the form can't know by itself."""
    if reading.head and reading.head.kind != instrument.kind and item_counts(session, study).get(instrument.id):
        yield Problem(gettext("What an item is stays once there are any."), field="kind")
    elsewhere = question_names(session, study, apart_from=instrument)
    for each in reading.questions:
        if each.id is not None and each.id not in rows:
            words = gettext("Somebody removed this question meanwhile. Copy it as a new one, then remove this one.")
            yield Problem(words, field=f"questions.{each.place}.text")
        if each.draft.name in elsewhere:
            words = gettext("Another instrument of this study has a question of this name.")
            yield Problem(words, field=f"questions.{each.place}.name")


def _gone(reading: Reading, rows: dict[int, Question], graded: Collection[int]) -> list[Problem]:
    kept = {each.id for each in reading.questions}
    return [
        Problem(gettext("The question “%(name)s” has grades: it stays.", name=rows[each].name), field="questions")
        for each in sorted(set(graded) - kept)
    ]


def _names(edited: list[Edited], fixed: dict[int, str], taken: set[str]) -> list[str]:
    """A name for each question: its own, the one that grades already go by, or one made from its words."""
    taken = taken | {each.draft.name for each in edited} | set(fixed.values())
    names = []
    for each in edited:
        name = each.draft.name or fixed.get(each.id or 0) or free_name(slug(each.draft.text), taken)
        names.append(name)
        taken.add(name)
    return names


def _store(
    session: Session, instrument: Instrument, edited: list[Edited], names: list[str], rows: dict[int, Question]
) -> None:
    """Change, add and remove rows so that they are what was edited, in its order."""
    for question_id in rows.keys() - {each.id for each in edited}:
        session.delete(rows.pop(question_id))
    for question in rows.values():
        question.name = f"~{question.id}"  # two may take each other's name
    session.flush()
    for position, (each, name) in enumerate(zip(edited, names, strict=True)):
        new = Question(study_id=instrument.study_id, instrument_id=instrument.id)
        question, draft = rows.get(each.id or 0, new), each.draft
        question.position, question.name, question.kind = position, name, draft.kind
        question.text, question.help, question.required = draft.text, draft.help, draft.required
        question.scale = draft.scale
        session.add(question)
    session.flush()


def _record(
    session: Session, actor: str, study: Study, action: str, changes: dict[str, Change], **details: Any
) -> None:
    """The audit event, and once people may have read the questionnaire its new version."""
    if study.opened_at is not None:
        before, after = latest_version(session, study, "questionnaire"), publish_questionnaire(session, study)
        if before is None or before.id != after.id:
            changes = changes | {"version": change(before.number if before else None, after.number)}
    audit.record(session, actor, action, study.id, changes=changes, **details)
