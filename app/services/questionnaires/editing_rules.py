"""What may change about a question that has grades: its words, help and keys, and its scale may grow.

An answer that could be given before can be given after, and means the same.
"""

import math
from collections.abc import Iterable, Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Problem
from app.services.questionnaires.editing_drafts import Edited
from app.services.questionnaires.scales import (
    ChoiceScale,
    CommentScale,
    LabelsScale,
    NumberScale,
    Scale,
    parse_scale,
    scale_of,
)
from app.storage.models import Grade, GradeEvent, Question
from app.words import gettext


def graded_among(session: Session, question_ids: Iterable[int]) -> set[int]:
    """Those of the questions that somebody answered, even if the answer was withdrawn since."""
    ids = list(question_ids)
    return {
        question_id
        for column in (Grade.question_id, GradeEvent.question_id)
        for question_id in session.scalars(select(column).where(column.in_(ids)).distinct())
        if question_id is not None
    }


def refusals(question: Question, edited: Edited) -> Iterator[Problem]:
    """Why the change can't be made to a question that has grades; nothing where it can."""
    where = f"questions.{edited.place}"
    if edited.draft.kind != question.kind:
        yield Problem(gettext("The kind of a question that has grades stays."), field=f"{where}.kind")
        return
    if edited.draft.name not in ("", question.name):
        words = gettext("The name of a question that has grades stays: %(name)s.", name=question.name)
        yield Problem(words, field=f"{where}.name")
    lost = _lost(scale_of(question), parse_scale(edited.draft.kind, edited.draft.scale))
    if lost:
        yield Problem(lost, field=f"{where}.scale")


def _lost(before: Scale, after: Scale) -> str:
    """What could be answered before and can't be any more, in words; empty where nothing is lost."""
    if isinstance(before, ChoiceScale) and isinstance(after, ChoiceScale):
        return _lost_choices(before, after)
    if isinstance(before, LabelsScale) and isinstance(after, LabelsScale):
        return _lost_labels(before, after)
    if isinstance(before, NumberScale) and isinstance(after, NumberScale):
        return _lost_numbers(before, after)
    if isinstance(before, CommentScale) and isinstance(after, CommentScale) and after.most < before.most:
        return gettext("It has grades: a comment may get longer, not shorter.")
    return ""


def _lost_choices(before: ChoiceScale, after: ChoiceScale) -> str:
    gone = {each.value for each in before.choices} - {each.value for each in after.choices}
    if not gone:
        return ""
    values = ", ".join(f"{value:g}" for value in sorted(gone))
    return gettext("It has grades: values may be added, but these must stay: %(values)s.", values=values)


def _lost_labels(before: LabelsScale, after: LabelsScale) -> str:
    kept = {each.name for each in after.choices}
    gone = [each.name for each in before.choices if each.name not in kept]
    if gone:
        return gettext("It has grades: labels may be added, but these must stay: %(names)s.", names=", ".join(gone))
    if after.least > before.least:
        return gettext("It has grades: how many labels are needed may fall, not rise.")
    return ""


def _lost_numbers(before: NumberScale, after: NumberScale) -> str:
    wider = after.low <= before.low and before.high <= after.high
    if wider and _divides(after.step, before.low - after.low) and _divides(after.step, before.step):
        return ""
    return gettext(
        "It has grades: the range may grow, and the steps may get finer, so that each earlier answer still fits."
    )


def _divides(step: float, length: float) -> bool:
    steps = length / step
    return math.isclose(steps, round(steps), abs_tol=1e-9)
