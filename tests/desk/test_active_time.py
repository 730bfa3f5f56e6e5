"""The time that people spent at items, wherever it is read: from what pages of today and of before measured."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.desk.pay import pay_lines
from app.services.desk.quality import measure_annotators
from app.services.desk.spread import spread_of
from app.services.exports.grade_table import grade_rows, skip_rows
from app.services.exports.label_studio import label_studio_tasks
from app.storage.models import Assignment, GradeEvent, Question, Study
from tests.desk.conftest import Desk
from tests.grading.helpers import answer

TODAY = {"submit_ms": 700_000, "hidden_ms": 600_000, "idle_ms": 60_000}


def _one(session: Session, person: int) -> Assignment:
    mine = select(Assignment).where(Assignment.annotator_id == person)
    return session.scalars(mine.order_by(Assignment.id)).all()[0]


@pytest.mark.parametrize(
    ("details", "active"),
    [
        (TODAY, 40_000),
        ({"submit_ms": 5000}, 5000),
        ({"submit_ms": 5000, "hidden_ms": None, "idle_ms": "much", "active_ms": 1}, 5000),
        ({"active_ms": 1234}, 1234),
        ({"by": "form"}, None),
    ],
)
def test_it_follows_from_what_was_measured(desk: Desk, details: dict[str, object], active: float | None) -> None:
    with desk.database.write() as session:
        answer(session, _one(session, desk.people[3]), 1, details=details)
    with desk.database.read() as session:
        mine = select(GradeEvent.active_ms).where(GradeEvent.annotator_id == desk.people[3])
        assert session.scalars(mine).all() == [active]


def test_every_reader_tells_it(desk: Desk) -> None:
    """The first of the desk's people took two seconds for each item."""
    with desk.database.read() as session:
        study, question = session.get_one(Study, desk.study), session.scalars(select(Question)).one()
        minutes = [line.minutes for line in pay_lines(session, study)]
        quality = measure_annotators(session, study, question)
        item = _one(session, desk.people[0]).item_id
        rows = [row["active_ms"] for row in grade_rows(session, study) if row["worker"] == quality[0].pseudonym]
        tasks = list(label_studio_tasks(session, study))
        assert spread_of(session, study, item).people[0].active_ms == 2000
    assert minutes == [pytest.approx(4 * each / 60) for each in (2, 3, 4)] + [None]
    assert [each.measures["seconds"].value for each in quality] == [2, 3, 4]
    assert rows == [2000] * 4
    assert {each["lead_time"] for task in tasks for each in task["annotations"]} == {2, 3, 4}


def test_the_time_until_a_flag_counts_once(desk: Desk) -> None:
    """Whoever flags an item answers it, too, and was at it from the same moment."""
    person = desk.people[3]
    with desk.database.write() as session:
        answer(session, _one(session, person), None, kind="flag", note="cut off", details={"submit_ms": 30_000})
        answer(session, _one(session, person), 2, details={"submit_ms": 60_000})
    with desk.database.read() as session:
        assert pay_lines(session, session.get_one(Study, desk.study))[3].minutes == 1


def test_a_skipped_item_took_time_as_well(desk: Desk) -> None:
    with desk.database.write() as session:
        answer(session, _one(session, desk.people[3]), None, kind="skip", note="broken", details={"submit_ms": 7000})
    with desk.database.read() as session:
        assert [row["active_ms"] for row in skip_rows(session, session.get_one(Study, desk.study))] == [7000]
