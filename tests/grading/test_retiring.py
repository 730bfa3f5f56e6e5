"""An item that so many people skip is retired, and comes back when one of them grades it after all."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services import assignments
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, Item, Study
from tests.grading.helpers import add_annotators, answer, check_invariants, open_study

ONE_ITEM = {"problems": 1, "systems": 1, "grades_per_item": 3, "options": {"retire_after": 2}}


def claim_of(session: Session, person: int) -> Assignment:
    return assignments.upcoming(session, person)[0]


def item_state(database: Database) -> tuple[int, bool, bool]:
    """Skips, whether it is handed out, whether it is retired."""
    with database.read() as session:
        item = session.scalars(select(Item)).one()
        return item.skips, item.gradable, item.retired_at is not None


def skip(database: Database, person: int, note: str = "") -> None:
    with database.write() as session:
        answer(session, claim_of(session, person), None, note=note)


def test_the_second_person_s_skip_retires_it(database: Database) -> None:
    study = open_study(database, **ONE_ITEM)
    people = add_annotators(database, study, 3)
    skip(database, people[0], "It is unclear what was asked for")
    assert item_state(database) == (1, True, False)
    skip(database, people[1])
    assert item_state(database) == (2, False, True)
    with database.write() as session:
        assert assignments.upcoming(session, people[2]) == []
        assert session.scalars(select(Assignment.skip_reason).order_by(Assignment.id)).all() == [
            "It is unclear what was asked for",
            None,
        ]
        check_invariants(session, session.get_one(Study, study))


def test_one_person_s_second_skip_counts_once(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, **ONE_ITEM), 1)
    skip(database, person)
    with database.write() as session:
        answer(session, session.scalars(select(Assignment)).one(), None, note="Really")
        assert session.scalars(select(Assignment.skip_reason)).one() == "Really"
    assert item_state(database) == (1, True, False)


def test_who_grades_it_after_all_takes_the_skip_back(database: Database) -> None:
    study = open_study(database, **ONE_ITEM)
    people = add_annotators(database, study, 3)
    skip(database, people[0])
    skip(database, people[1])
    with database.write() as session:
        mine = session.scalars(select(Assignment).where(Assignment.annotator_id == people[0])).one()
        answer(session, mine, 3)
        assert (mine.state, mine.surplus, mine.skip_reason) == ("graded", False, None)
    assert item_state(database) == (1, True, False)
    with database.write() as session:
        assert len(assignments.upcoming(session, people[2])) == 1
        check_invariants(session, session.get_one(Study, study))


def test_skipping_what_was_graded_counts_too(database: Database) -> None:
    people = add_annotators(database, open_study(database, **ONE_ITEM), 2)
    with database.write() as session:
        claim = claim_of(session, people[0])
        answer(session, claim, 2)
        answer(session, claim, None)
    skip(database, people[1])
    assert item_state(database) == (2, False, True)


@pytest.mark.parametrize(("options", "role"), [({}, "main"), ({"retire_after": 1}, "practice")])
def test_without_the_setting_and_for_practice_nothing_is_retired(
    database: Database, options: dict[str, int], role: str
) -> None:
    study = open_study(database, **(ONE_ITEM | {"options": options}))
    [person] = add_annotators(database, study, 1)
    with database.write() as session:
        claim = claim_of(session, person)
        session.get_one(Item, claim.item_id).role = role
        session.flush()
        answer(session, claim, None)
        assert session.get_one(Annotator, person).study_id == study
    skips, gradable, retired = item_state(database)
    assert (skips, gradable, retired) == (int(role == "main"), True, False)
