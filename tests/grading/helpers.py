"""Steps that the grading tests share."""

from collections.abc import Sequence
from uuid import uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.ids import new_token
from app.services import annotators, assignments, grading, invitation_links
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, Grade, Item, Study
from tests.factories import make_study


def open_study(database: Database, **settings: object) -> int:
    """An open study; its id."""
    with database.write() as session:
        return make_study(session, state="open", **settings).id


def add_annotators(database: Database, study_id: int, count: int) -> list[int]:
    """So many people who came by one invitation."""
    with database.write() as session:
        study = session.get_one(Study, study_id)
        token = invitation_links.create_invitation(session, "test", study)
        return [annotators.join(session, token, new_token()).id for _ in range(count)]


def answer(session: Session, assignment: Assignment, value: float | None, **more: object) -> grading.Receipt:
    """Grade (or with None: skip) the assignment, as its annotator."""
    fields: dict[str, object] = {"submission_id": str(uuid4()), "kind": "skip" if value is None else "grade"}
    fields["answers"] = {} if value is None else {"helpfulness": value}
    submission = grading.Submission(assignment=assignment.public_id, **(fields | more))  # type: ignore[arg-type]
    return grading.submit(session, assignment.annotator_id, submission)


def grade_everything(database: Database, annotator_id: int, value: float = 3) -> list[int]:
    """Grade until nothing is left; the items in the order in which they came."""
    order = []
    while True:
        with database.write() as session:
            claims = assignments.upcoming(session, annotator_id)
            if not claims:
                return order
            order.append(claims[0].item_id)
            answer(session, claims[0], value)


def check_invariants(session: Session, study: Study) -> None:
    """What must hold after every test: limits, loads and grades agree with each other."""
    held = _counts(session, select(Assignment.item_id, func.count(Assignment.slot)).group_by(Assignment.item_id))
    kept = _counts(session, select(Grade.item_id, func.count()).where(~Grade.surplus).group_by(Grade.item_id))
    for item in session.scalars(select(Item).where(Item.study_id == study.id)):
        assert item.load == held.get(item.id, 0), "load counts the held slots"
        assert item.load <= study.grades_per_item
        assert kept.get(item.id, 0) <= study.grades_per_item
    graded = select(func.count()).select_from(Assignment).where(Assignment.state == "graded")
    assert session.scalar(graded) == session.scalar(select(func.count()).select_from(Grade))


def problems_of(session: Session, item_ids: Sequence[int]) -> list[int]:
    """The problem of each item, in the given order."""
    problem = dict(session.execute(select(Item.id, Item.problem_id)).all())
    return [problem[item_id] for item_id in item_ids]


def annotator(session: Session, annotator_id: int) -> Annotator:
    """The annotator's row."""
    return session.get_one(Annotator, annotator_id)


def _counts(session: Session, statement: object) -> dict[int, int]:
    return dict(session.execute(statement).all())  # type: ignore[call-overload]
