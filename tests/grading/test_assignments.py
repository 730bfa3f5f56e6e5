"""Which item comes next: fewest first, the seed's order, problems apart, claims that lapse."""

import itertools
from datetime import timedelta

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select, update

from app.clock import utc_now
from app.services import assignments
from app.services.candidates import Candidate, arrange
from app.services.ordering import place
from app.storage.engine import Database
from app.storage.models import Grade, Item, Problem, Study
from tests.grading.helpers import (
    add_annotators,
    answer,
    check_invariants,
    grade_everything,
    open_study,
    problems_of,
)


def test_asking_twice_gives_the_same_two_items(database: Database) -> None:
    [person] = add_annotators(database, open_study(database), 1)
    with database.write() as session:
        first = [claim.public_id for claim in assignments.upcoming(session, person)]
    with database.write() as session:
        again = [claim.public_id for claim in assignments.upcoming(session, person)]
    assert first == again
    assert len(first) == 2


def test_everyone_grades_everything_up_to_the_limit(database: Database) -> None:
    study = open_study(database, problems=4, systems=3, grades_per_item=2)
    people = add_annotators(database, study, 3)
    orders = [grade_everything(database, person) for person in people]
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))
        assert session.scalar(select(func.min(Item.load))) == 2
    assert sum(map(len, orders)) == 4 * 3 * 2
    assert all(len(set(order)) == len(order) for order in orders)


def test_the_item_with_fewest_grades_comes_first(database: Database) -> None:
    study = open_study(database, problems=5, systems=1, grades_per_item=3)
    with database.write() as session:
        rare = session.scalars(select(Item.id).order_by(Item.id)).all()[3]
        session.execute(update(Item).where(Item.id != rare).values(load=1))
    [person] = add_annotators(database, study, 1)
    with database.write() as session:
        assert assignments.upcoming(session, person)[0].item_id == rare


@pytest.mark.parametrize("systems", [2, 5])
def test_one_problem_never_comes_twice_in_a_row(database: Database, systems: int) -> None:
    for seed in range(6):
        study = open_study(database, problems=4, systems=systems, seed=seed, title=f"Study {seed}")
        [person] = add_annotators(database, study, 1)
        order = grade_everything(database, person)
        with database.read() as session:
            problems = problems_of(session, order)
        assert len(order) == 4 * systems
        assert all(one != other for one, other in itertools.pairwise(problems))


@given(st.lists(st.integers(0, 5), max_size=30))
def test_problems_are_kept_apart_whenever_that_is_possible(problems: list[int]) -> None:
    left = [Candidate(number, problem) for number, problem in enumerate(problems)]
    order: list[int] = []
    while left:
        chosen = arrange(left, order[-1] if order else None, complete=True)[0]
        left.remove(chosen)
        order.append(chosen.problem_id)
    neighbours = sum(one == other for one, other in itertools.pairwise(order))
    most = max((problems.count(problem) for problem in problems), default=0)
    assert neighbours == max(0, 2 * most - len(problems) - 1)


def order_with_seed(database: Database, seed: int, title: str) -> list[str]:
    study = open_study(database, problems=8, systems=2, seed=seed, title=title)
    [person] = add_annotators(database, study, 1)
    order = grade_everything(database, person)
    with database.read() as session:
        return [session.get_one(Item, item).text for item in order]


def test_the_seed_alone_makes_the_order(database: Database) -> None:
    first = order_with_seed(database, 11, "One")
    assert order_with_seed(database, 11, "Two") == first
    assert order_with_seed(database, 12, "Three") != first


def test_people_start_at_different_places(database: Database) -> None:
    study = open_study(database, problems=30, systems=2)
    people = add_annotators(database, study, 4)
    with database.write() as session:
        starts = {assignments.upcoming(session, person)[0].item_id for person in people}
    assert len(starts) == 4


@pytest.mark.fault("F06")
def test_a_claim_lapses_and_returns_to_others(database: Database) -> None:
    study = open_study(database, problems=1, systems=1, grades_per_item=1, claim_minutes=10)
    away, other = add_annotators(database, study, 2)
    with database.write() as session:
        assert len(assignments.upcoming(session, away)) == 1
        assert assignments.upcoming(session, other) == []
    with time_machine.travel(utc_now() + timedelta(minutes=11)), database.write() as session:
        assert assignments.lapse_claims(session) == 1
        assert len(assignments.upcoming(session, other)) == 1
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))


def test_without_a_sweeper_the_next_person_gets_lapsed_claims(database: Database) -> None:
    study = open_study(database, problems=1, systems=1, grades_per_item=1, claim_minutes=10)
    away, other = add_annotators(database, study, 2)
    with database.write() as session:
        assignments.upcoming(session, away)
    with time_machine.travel(utc_now() + timedelta(minutes=11)), database.write() as session:
        assert len(assignments.upcoming(session, other)) == 1


def test_whoever_comes_back_after_a_lapse_gets_the_same_item(database: Database) -> None:
    study = open_study(database, claim_minutes=10)
    [person] = add_annotators(database, study, 1)
    with database.write() as session:
        before = [claim.public_id for claim in assignments.upcoming(session, person)]
    with time_machine.travel(utc_now() + timedelta(minutes=30)), database.write() as session:
        assert assignments.lapse_claims(session) == 2
        after = [claim.public_id for claim in assignments.upcoming(session, person)]
    assert before[0] == after[0]


@pytest.mark.fault("F06")
def test_late_work_takes_a_free_slot(database: Database) -> None:
    study = open_study(database, problems=1, systems=1, grades_per_item=1)
    [person] = add_annotators(database, study, 1)
    with database.write() as session:
        claim = assignments.upcoming(session, person)[0]
    with time_machine.travel(utc_now() + timedelta(hours=3)), database.write() as session:
        assignments.lapse_claims(session)
        assert not answer(session, claim, 4).surplus
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))


@pytest.mark.fault("F06")
def test_late_work_without_a_free_slot_is_kept_as_surplus(database: Database) -> None:
    study = open_study(database, problems=1, systems=1, grades_per_item=1)
    late, other = add_annotators(database, study, 2)
    with database.write() as session:
        claim = assignments.upcoming(session, late)[0]
    with time_machine.travel(utc_now() + timedelta(hours=3)):
        with database.write() as session:
            assignments.lapse_claims(session)
            answer(session, assignments.upcoming(session, other)[0], 2)
        with database.write() as session:
            assert answer(session, claim, 4).surplus
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))
        assert sorted(session.execute(select(Grade.value, Grade.surplus))) == [(2, False), (4, True)]


def test_a_skip_gives_the_slot_back_and_does_not_come_again(database: Database) -> None:
    study = open_study(database, problems=2, systems=1, grades_per_item=1)
    first, second = add_annotators(database, study, 2)
    with database.write() as session:
        claims = assignments.upcoming(session, first)
        for claim in claims:
            answer(session, claim, None)
        assert assignments.upcoming(session, first) == []
        assert len(assignments.upcoming(session, second)) == 2


@pytest.mark.parametrize(("state", "left"), [("paused", 2), ("closed", 0)])
def test_only_an_open_study_gives_new_items(database: Database, state: str, left: int) -> None:
    study = open_study(database, problems=5)
    working, idle = add_annotators(database, study, 2)
    with database.write() as session:
        assignments.upcoming(session, working)
        session.get_one(Study, study).state = state
    with database.write() as session:
        assert len(assignments.upcoming(session, working)) == left
        assert assignments.upcoming(session, idle) == []


def test_the_next_item_is_found_by_the_index(database: Database) -> None:
    study_id = open_study(database)
    [person] = add_annotators(database, study_id, 1)
    with database.write() as session:
        assignments.upcoming(session, person)
        connection = session.connection()
        if not database.is_sqlite:  # its planner reads and sorts tiny tables whole unless told not to
            for way in ("seqscan", "bitmapscan", "sort"):
                connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
        plan = connection.exec_driver_sql(
            f"EXPLAIN {'QUERY PLAN' if database.is_sqlite else ''} SELECT id FROM items "
            f"WHERE instrument_id = 1 AND role = 'main' AND is_reference = {0 if database.is_sqlite else 'false'} "
            "AND load = 0 AND shuffle >= 5 AND gradable ORDER BY shuffle, id LIMIT 64"
        )
        steps = " ".join(str(row) for row in plan)
    assert "ix_items_next" in steps
    assert "TEMP B-TREE" not in steps


def test_references_are_mixed_in_where_outputs_have_imported_grades(database: Database) -> None:
    study_id = open_study(database, problems=30, systems=2, grades_per_item=5)
    with database.write() as session:
        study = session.get_one(Study, study_id)
        session.execute(update(Item).values(load=3))
        instrument_id = session.scalars(select(Item.instrument_id)).first()
        for problem in session.scalars(select(Problem).order_by(Problem.id)):
            shuffle = place(study.seed, problem.key, "reference")
            row = Item(study_id=study_id, problem_id=problem.id, identity="reference", text="r", shuffle=shuffle)
            row.is_reference, row.instrument_id = True, instrument_id
            session.add(row)
    [person] = add_annotators(database, study_id, 1)
    order = grade_everything(database, person)
    with database.read() as session:
        kinds = [session.get_one(Item, item).is_reference for item in order]
        problems = problems_of(session, order)
    assert len(order) == 90
    assert sum(kinds) == 30
    for third in (kinds[:30], kinds[30:60], kinds[60:]):
        assert 4 <= sum(third) <= 16, "a third of each part, as far as chance goes"
    assert all(one != other for one, other in itertools.pairwise(problems))
