"""Thirty-two people at once: never above the limit, no errors, nothing lost."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from app.errors import NotFound
from app.ids import new_token
from app.services import annotators, assignments, invitation_links
from app.storage.engine import Database
from app.storage.models import Assignment, Grade, GradeEvent, Item, Study
from tests.grading.helpers import add_annotators, answer, check_invariants, open_study

PEOPLE = 32


def run_together(people: list[int], work: object) -> list[int]:
    """Call ``work`` for each person, all starting at the same moment; whatever one raises is raised here."""
    barrier = threading.Barrier(len(people))

    def start(person: int) -> int:
        barrier.wait(60)
        return work(person)  # type: ignore[operator, no-any-return]

    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(start, people))


@pytest.mark.parametrize("round_number", range(5))
@pytest.mark.fault("F05")
def test_the_last_slots_go_to_exactly_as_many_as_there_are(database: Database, round_number: int) -> None:
    study = open_study(database, problems=2, systems=2, grades_per_item=3, seed=round_number)
    people = add_annotators(database, study, PEOPLE)

    def claim(person: int) -> int:
        with database.write() as session:
            return len(assignments.upcoming(session, person))

    claimed = run_together(people, claim)
    assert sum(claimed) == 2 * 2 * 3, "no slot stays unused while somebody asks"
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))


@pytest.mark.slow
def test_a_crowd_grades_a_whole_study(database: Database) -> None:
    study = open_study(database, problems=12, systems=4, grades_per_item=5, claim_minutes=60)
    people = add_annotators(database, study, PEOPLE)

    def grade_all(person: int) -> int:
        chance = random.Random(person)
        stored = 0
        while True:
            with database.write() as session:
                claims = assignments.upcoming(session, person)
            if not claims:
                return stored
            for claim in claims:
                skips = chance.random() < 0.05
                with database.write() as session:
                    answer(session, claim, None if skips else chance.randrange(5), revision=0)
                stored += not skips

    stored = sum(run_together(people, grade_all))
    # Whoever skips last may give a slot back when all others have left: somebody comes by once more.
    stored += sum(grade_all(person) for person in people)
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))
        assert session.scalar(select(func.count()).select_from(Grade)) == stored
        graded = select(func.count()).select_from(GradeEvent).where(GradeEvent.kind == "grade")
        assert session.scalar(graded) == stored
        assert session.scalar(select(func.min(Item.load))) == 5, "with people to spare, every item is finished"
        assert session.scalar(select(func.count()).where(Grade.surplus)) == 0


@pytest.mark.fault("F06")
def test_lapsing_while_people_hand_in(database: Database) -> None:
    study = open_study(database, problems=6, systems=2, grades_per_item=2)
    people = add_annotators(database, study, 12)
    with database.write() as session:
        for person in people:
            assignments.upcoming(session, person)
        for claim in session.scalars(select(Assignment)):
            claim.lease_until = claim.claimed_at

    def hand_in(person: int) -> int:
        with database.write() as session:
            assignments.lapse_claims(session)
        statement = select(Assignment).where(Assignment.annotator_id == person)
        with database.read() as session:
            mine = session.scalars(statement).all()
        for claim in mine:
            with database.write() as session:
                answer(session, claim, 3, revision=0)
            with database.write() as session:
                assignments.upcoming(session, person)
        return len(mine)

    handed_in = sum(run_together(people, hand_in))
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))
        assert session.scalar(select(func.count()).select_from(Grade)) == handed_in


def test_one_invitation_for_three_lets_three_in(database: Database) -> None:
    study = open_study(database)
    with database.write() as session:
        token = invitation_links.create_invitation(session, "test", session.get_one(Study, study), max_uses=3)

    def join(_: int) -> int:
        try:
            with database.write() as session:
                annotators.join(session, token, new_token())
        except NotFound:
            return 0
        return 1

    assert sum(run_together(list(range(16)), join)) == 3
