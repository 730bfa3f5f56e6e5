"""Items that come ahead of a page lead back to the same items, and open the same instruments, as when looked up."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.grading import Submission, take
from app.services.shown_items import show
from app.services.sitting import Sitting
from app.services.supply import supply
from app.storage.engine import Database
from app.storage.models import Assignment, Study
from tests.factories import make_study
from tests.grading.every_kind import make_kind_study
from tests.grading.helpers import add_annotators

NAMES = ["semantic-similarity", "naturalness", "helpfulness"]
STUDIES: list[Callable[[Session], Study]] = [
    lambda session: make_study(session, state="open", problems=40, systems=3),  # plenty: three are claimed at once
    lambda session: make_kind_study(session, NAMES, items=3),
]


@pytest.mark.parametrize("make", STUDIES, ids=["one-instrument", "three-instruments"])
def test_what_comes_before_is_what_a_look_up_finds(database: Database, make: Callable[[Session], Study]) -> None:
    with database.write() as session:
        study_id = make(session).id
    (person,) = add_annotators(database, study_id, 1)
    page: list[str] = []
    seen = 0
    for number in range(9):
        with database.write() as session:
            sitting = Sitting.held(session, person)
            shown = supply(sitting, page).items
            for each in shown:
                assignment = session.scalars(select(Assignment).where(Assignment.public_id == each.id)).one()
                assert each == show(session, assignment, sitting)
            seen += len(shown)
            page += [each.id for each in shown]
            _answer(sitting, page.pop(number % len(page)), skips=number % 4 == 2)
    assert seen >= 9


def _answer(sitting: Sitting, item: str, *, skips: bool) -> None:
    assignment, found = sitting.assignment(item)
    answers = {} if skips else {sitting.questions(found.instrument_id)[0].name: 1}
    take(sitting, assignment, found, Submission(item, uuid4().hex, "skip" if skips else "grade", answers))
