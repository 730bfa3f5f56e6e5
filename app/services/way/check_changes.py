"""Change a practice item or check: what is right about it, and where among the practice it comes."""

from typing import Any, Literal

from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services import audit
from app.services.questionnaires.instruments import questions_of
from app.services.way.check_roles import ROLES
from app.services.way.expected import PLACE, check_expected
from app.services.way.practice import practice_items
from app.storage.models import Item, Study
from app.words import gettext


def check_of(session: Session, study: Study, item_id: int) -> Item:
    """One of the study's practice items and checks that are in use."""
    item = session.get(Item, item_id)
    if item is None or item.study_id != study.id or item.role not in ROLES or not item.gradable:
        raise NotFound(gettext("There is no such item."))
    return item


def change_expected(
    session: Session, actor: str, study: Study, item: Item, *, answers: dict[str, Any], feedback: str
) -> None:
    """Other right answers. Answers that people gave are compared with them from now on."""
    before = item.expected or {}
    questions = questions_of(session, study.id, item.instrument_id)
    after = before | {"answers": check_expected(questions, answers), "feedback": feedback}
    changes = {
        name: {"before": before.get(name), "after": after[name]}
        for name in ("answers", "feedback")
        if before.get(name) != after[name]
    }
    if changes:
        item.expected = after
        session.flush()
        audit.record(session, actor, "check changed", study.id, item=item.id, role=item.role, changes=changes)


def move(session: Session, actor: str, study: Study, item: Item, way: Literal["up", "down"]) -> None:
    """One place earlier or later among the practice of its instrument. At an end it stays; checks have no order."""
    order = [each for each, _ in practice_items(session, study) if each.instrument_id == item.instrument_id]
    before = order.index(item) if item in order else -1
    after = before + (1 if way == "down" else -1)
    if before < 0 or not 0 <= after < len(order):
        return
    order.insert(after, order.pop(before))
    for number, each in enumerate(order, start=1):
        each.expected = (each.expected or {"answers": {}}) | {PLACE: number}
    session.flush()
    changes = {"place": {"before": before + 1, "after": after + 1}}
    audit.record(session, actor, "practice moved", study.id, item=item.id, changes=changes)
