"""What holds after every fault, whatever happened meanwhile."""

from collections import Counter
from collections.abc import Mapping

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.storage.files import FileStore
from app.storage.models import Artifact, Assignment, Grade, GradeEvent, Item, Run, Study
from tests.faults.study import Installation

FINAL = {"done", "failed", "cancelled"}


def check(installation: Installation, acknowledged: Mapping[str, float], analysis: str | None = None) -> None:
    """All of them. ``acknowledged``: each submission that the server said it had stored, with its value;
    ``analysis``: what the finished study gave before the fault."""
    with installation.database.read() as session:
        check_grades(session, acknowledged)
        check_limits(session)
        check_files(session, installation)
    if analysis is not None:
        assert installation.analysis() == analysis, "the same data give the same analysis, to the byte"
    with installation.database.read() as session:
        states = set(session.scalars(select(Run.state)))
        assert states <= FINAL, "every run is over"


def check_grades(session: Session, acknowledged: Mapping[str, float]) -> None:
    """Each acknowledged grade is stored exactly once with its event, and each grade is what its events say."""
    events = session.scalars(select(GradeEvent).where(GradeEvent.submission_id.in_(list(acknowledged)))).all()
    assert Counter(each.submission_id for each in events) == Counter(dict.fromkeys(acknowledged, 1))
    assert {each.submission_id: each.value for each in events} == dict(acknowledged)
    last = select(GradeEvent.annotator_id, GradeEvent.item_id, GradeEvent.question_id, GradeEvent.value)
    stand = {row[:3]: row[3] for row in session.execute(last.order_by(GradeEvent.id)) if row[2] is not None}
    grades = session.execute(select(Grade.annotator_id, Grade.item_id, Grade.question_id, Grade.value)).all()
    assert {row[:3]: row[3] for row in grades} == {key: value for key, value in stand.items() if value is not None}


def check_limits(session: Session) -> None:
    """No item has more holders or grades than its limit, and loads count them."""
    slots = select(Assignment.item_id, func.count(Assignment.slot)).group_by(Assignment.item_id)
    held = dict(row for row in session.execute(slots))
    kept = dict(row for row in session.execute(slots.where(Assignment.state == "graded")))
    limits = select(Item.id, Item.load, Study.grades_per_item).join(Study, Study.id == Item.study_id)
    for item, load, limit in session.execute(limits.where(Study.state == "open")):
        assert load == held.get(item, 0), "load counts the held slots"
        assert max(load, kept.get(item, 0)) <= limit


def check_files(session: Session, installation: Installation) -> None:
    """Each file that is named is there, and no other one: nothing half written either."""
    folder = installation.settings.artifacts_dir
    named = set(session.scalars(select(Artifact.sha256)))
    there = {path.name for path in folder.rglob("*") if path.is_file()} if folder.exists() else set()
    assert there == named
    assert all(FileStore(folder).path(each).is_file() for each in named)
