"""Rows for tests, made directly: small, with every column that a test doesn't care about filled in."""

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import content_hash, new_opaque_id
from app.services.ordering import place
from app.services.questionnaires.instruments import output_instrument
from app.services.studies import create_study
from app.storage.models import (
    Annotator,
    Assignment,
    Grade,
    GradeEvent,
    Item,
    Output,
    Problem,
    Reference,
    Study,
    System,
)


def make_study(
    session: Session,
    *,
    problems: int = 3,
    systems: int = 2,
    title: str = "A study",
    seed: int = 7,
    **settings: object,
) -> Study:
    """A study with its problems, a reference each, and one output of every system, all different."""
    study = create_study(session, title, seed=seed, **settings)
    rows = [System(study_id=study.id, name=f"system-{n}", position=n) for n in range(systems)]
    session.add_all(rows)
    session.flush()
    for number in range(problems):
        problem = Problem(study_id=study.id, key=f"p{number}", position=number, intent=f"Return {number}")
        session.add(problem)
        session.flush()
        session.add(Reference(problem_id=problem.id, position=0, text=f"return {number}"))
        for system in rows:
            add_output(session, study, problem, system, f"return {number}  # {system.name}")
    session.flush()
    return study


def add_output(session: Session, study: Study, problem: Problem, system: System, text: str) -> Output:
    """One output and its item."""
    identity = content_hash(text)
    item = Item(
        study_id=study.id,
        instrument_id=output_instrument(session, study).id,
        problem_id=problem.id,
        identity=identity,
        text=text,
        shuffle=place(study.seed, problem.key, identity),
    )
    session.add(item)
    session.flush()
    output = Output(problem_id=problem.id, system_id=system.id, item_id=item.id, text=text)
    session.add(output)
    session.flush()
    return output


def add_grade(session: Session, annotator: Annotator, item_id: int, question_id: int, value: float) -> None:
    """A current grade, its event, and the assignment that counts in the item's load, as an import makes them."""
    now = utc_now()
    key = {"annotator_id": annotator.id, "item_id": item_id, "question_id": question_id}
    session.add(Grade(**key, value=value, created_at=now, updated_at=now))
    session.add(GradeEvent(**key, kind="grade", value=value))
    _add_assignment(session, annotator, item_id)
    session.flush()


def _add_assignment(session: Session, annotator: Annotator, item_id: int) -> None:
    mine = Assignment.annotator_id == annotator.id
    if session.scalar(select(Assignment.id).where(mine, Assignment.item_id == item_id)) is not None:
        return
    last = session.scalar(select(func.max(Assignment.position)).where(mine)) or 0
    now = utc_now()
    times = {"claimed_at": now, "lease_until": now, "finished_at": now}
    which = {"public_id": new_opaque_id(), "annotator_id": annotator.id, "item_id": item_id, "position": last + 1}
    session.add(Assignment(**which, state="graded", **times))
    session.execute(update(Item).where(Item.id == item_id).values(load=Item.load + 1))
