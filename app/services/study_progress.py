"""How far a study is: what it holds, how many grades it has, who gave them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from app.storage.models import Annotator, Grade, Instrument, Invitation, Item, Output, Problem, SignIn, Study, System


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Counts of one study. ``held`` are the grades towards ``wanted``: no more per item than the study asks for."""

    problems: int = 0
    systems: int = 0
    outputs: int = 0
    items: int = 0
    graded: int = 0
    held: int = 0
    wanted: int = 0
    annotators: int = 0

    @property
    def percent(self) -> int:
        """Done of wanted in percent, rounded down: 100 means all."""
        return 100 * self.held // self.wanted if self.wanted else 0


def progress_of(session: Session, studies: Sequence[Study]) -> dict[int, StudyProgress]:
    """The counts of each study by its number."""
    ids = [study.id for study in studies]
    problems = _counts(session, Problem, ids)
    systems = _counts(session, System, ids)
    people = _counts(session, Annotator, ids)
    outputs = _outputs(session, ids)
    items = _items(session, ids)
    progress = {}
    for study in studies:
        item_count, graded, held, wanted = items.get(study.id, (0, 0, 0, 0))
        progress[study.id] = StudyProgress(
            problems=problems.get(study.id, 0),
            systems=systems.get(study.id, 0),
            outputs=outputs.get(study.id, 0),
            items=item_count,
            graded=graded,
            held=held,
            wanted=wanted,
            annotators=people.get(study.id, 0),
        )
    return progress


def _counts(session: Session, table: type[Problem | System | Annotator], ids: list[int]) -> dict[int, int]:
    rows = select(table.study_id, func.count()).where(table.study_id.in_(ids)).group_by(table.study_id)
    return dict(session.execute(rows).all())


def _outputs(session: Session, ids: list[int]) -> dict[int, int]:
    rows = (
        select(Problem.study_id, func.count(Output.id))
        .join(Output, Output.problem_id == Problem.id)
        .where(Problem.study_id.in_(ids))
        .group_by(Problem.study_id)
    )
    return dict(session.execute(rows).all())


def _items(session: Session, ids: list[int]) -> dict[int, tuple[int, int, int, int]]:
    """Per study: gradable items, people's grades of items in all, those that count towards the goal, and the goal."""
    graders = (
        select(Grade.item_id, func.count(func.distinct(Grade.annotator_id)).label("people"))
        .join(Item, Item.id == Grade.item_id)
        .where(Item.study_id.in_(ids))
        .group_by(Grade.item_id)
        .subquery()
    )
    people = func.coalesce(graders.c.people, 0)
    target = func.coalesce(Instrument.grades_per_item, Study.grades_per_item)
    counted = case((people < target, people), else_=target)
    rows = (
        select(Item.study_id, func.count(Item.id), func.sum(people), func.sum(counted), func.sum(target))
        .join(Study, Study.id == Item.study_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .outerjoin(graders, graders.c.item_id == Item.id)
        .where(Item.study_id.in_(ids), Item.gradable, Item.role == "main")
        .group_by(Item.study_id)
    )
    found = session.execute(rows)
    return {study: (items, int(graded), int(held), int(wanted)) for study, items, graded, held, wanted in found}


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """A line of the admin's own list: the only place where a name stands beside a pseudonym."""

    id: int
    pseudonym: str
    name: str | None
    kind: str
    grades: int
    last_seen: datetime | None
    stopped_at: datetime | None
    invitation: str | None  # the label of the link that brought them; None for imported and simulated ones


def annotator_rows(session: Session, study: Study) -> list[AnnotatorRow]:
    """The study's annotators in the order in which they came."""
    grades = (
        select(func.count(func.distinct(Grade.item_id))).where(Grade.annotator_id == Annotator.id).scalar_subquery()
    )
    seen = select(func.max(SignIn.last_seen_at)).where(SignIn.annotator_id == Annotator.id).scalar_subquery()
    rows = (
        select(Annotator, grades, seen, Invitation.label)
        .outerjoin(Invitation, Invitation.id == Annotator.invitation_id)
        .where(Annotator.study_id == study.id)
        .order_by(Annotator.id)
    )
    return [
        AnnotatorRow(each.id, each.pseudonym, each.name, each.kind, count, last_seen, each.stopped_at, label)
        for each, count, last_seen, label in session.execute(rows)
    ]
