"""A table in the form of WMT's campaigns: user, system, segment, type, score, start and end in seconds since 1970."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.exports.chunks import ItemName, item_names, problem_chunks
from app.services.exports.formats import Row
from app.services.exports.grade_table import plain_number
from app.storage.models import Annotator, Assignment, Grade, Item, Problem, Question, Study

WMT_COLUMNS = ("user", "system", "segment", "type", "score", "start", "end")
# What the campaigns call a bad output that is to be found out, a repeated one, and practice; see _type.
TYPES = {"silent": "BAD", "loud": "BAD", "repeat": "CHK", "practice": "TUT"}


def wmt_rows(session: Session, study: Study, question: Question) -> Iterator[Row]:
    """A row for each system whose output was graded; without surplus, and without people who were excluded."""
    for problems in problem_chunks(session, study):
        names = item_names(session, problems)
        for item, worker, value, started, ended in session.execute(_grades(problems, question)):
            name = names[item]
            row = {"user": worker, "segment": name.problem, "type": _type(name), "score": plain_number(value)}
            times = {"start": round(started.timestamp(), 3), "end": round(ended.timestamp(), 3)}
            for system in name.systems or (name.system or name.role,):
                yield {**row, "system": system, **times}


def _type(name: ItemName) -> str:
    return TYPES.get(name.role) or ("TGT" if name.systems else "REF")


def _grades(problems: Sequence[int], question: Question) -> Any:
    shown = (Assignment.annotator_id == Grade.annotator_id) & (Assignment.item_id == Grade.item_id)
    return (
        select(Grade.item_id, Annotator.pseudonym, Grade.value, Assignment.claimed_at, Grade.created_at)
        .join(Item, Item.id == Grade.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .join(Assignment, shown)
        .where(Item.problem_id.in_(problems), Grade.question_id == question.id, Grade.value.is_not(None))
        .where(Grade.surplus.is_(False), Annotator.excluded_at.is_(None))
        .order_by(Problem.position, Item.id, Annotator.id)
    )
