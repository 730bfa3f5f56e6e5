"""What PostgreSQL keeps prepared: one statement for numbers of any size, with a plan that is made once."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import bindparam, select, text
from sqlalchemy.orm import Session

from app.services import grading
from app.services.grading import Submission
from app.services.sitting import Sitting
from app.services.supply import supply
from app.storage.engine import Database
from app.storage.models import Item
from app.storage.prepared import constant
from tests.grading.helpers import add_annotators, open_study
from tests.services.reused import ReusedDatabase

SIZES = (1, 40_000, 3_000_000, 2**31 - 1)
# The first five plans that PostgreSQL makes are for the values that were sent; only then it compares.
PLANS = 5


@pytest.fixture
def postgres(reused_postgres: ReusedDatabase) -> Iterator[Database]:
    """An engine of its own, which has prepared nothing yet."""
    reused_postgres.renew()
    database = Database(reused_postgres.url)
    yield database
    database.dispose()


@pytest.mark.postgres
def test_numbers_of_any_size_are_one_statement(postgres: Database) -> None:
    statement = select(Item.id).where(Item.id == bindparam("one"), Item.problem_id == bindparam("other"))
    with postgres.read() as session:
        for one in SIZES:
            for other in SIZES:
                session.execute(statement, {"one": one, "other": other})
        assert session.scalar(text("SELECT count(*) FROM pg_prepared_statements")) == 1


@pytest.mark.postgres
def test_what_each_grade_asks_is_planned_once(postgres: Database) -> None:
    study = open_study(postgres, problems=40, systems=5)
    (person,) = add_annotators(postgres, study, 1)
    with postgres.write() as session:
        session.execute(text("ANALYZE"))
    for _ in range(40):
        with postgres.write() as session:
            _grade_one(session, person)
    with postgres.read() as session:
        often = text("SELECT statement FROM pg_prepared_statements WHERE custom_plans > :plans")
        assert session.scalars(often, {"plans": PLANS}).all() == []


@pytest.mark.postgres
def test_a_grade_reads_no_others_work_while_nothing_is_known_of_the_tables(postgres: Database) -> None:
    """Plans are made when nobody has graded yet, and stand until PostgreSQL looks again, up to a minute later."""
    study = open_study(postgres, problems=60, systems=5)
    people = add_annotators(postgres, study, 21)
    with postgres.write() as session:
        session.execute(text("ANALYZE studies, problems, items, annotators"))
        # As new, whatever an earlier test told PostgreSQL of it, and left alone by whoever cleans up.
        session.execute(text("TRUNCATE assignments"))
        session.execute(text("ALTER TABLE assignments SET (autovacuum_enabled = false)"))
    with postgres.write() as session:  # the statements of one connection, as often as it takes to keep their plans
        for _ in range(12):
            _grade_one(session, people[0])
    for person in people[1:]:
        for _ in range(12):
            with postgres.write() as session:
                _grade_one(session, person)
    with postgres.write() as session:
        before = _rows_read(session)
        _grade_one(session, people[0])
        assert _rows_read(session) - before < 160  # one's own 15 in each statement; with everybody's it was 644


def _grade_one(session: Session, person: int) -> None:
    shown = supply(Sitting.held(session, person), []).items[0]
    grading.submit(session, person, Submission(shown.id, uuid4().hex, "grade", {"helpfulness": 3}))


def _rows_read(session: Session) -> int:
    """Of assignments, in this transaction."""
    read = text(
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'assignments'"
    )
    return int(session.scalars(read).one())


@pytest.mark.parametrize(("value", "written"), [("claimed", "'claimed'"), (64, "64")])
def test_a_constant_stands_in_the_statement(value: str | int, written: str) -> None:
    assert str(constant(value)) == written


@pytest.mark.parametrize("value", ["it's", "two words", "", "x'; DROP TABLE items; --"])
def test_only_plain_words_are_constants(value: str) -> None:
    with pytest.raises(ValueError, match="plain word"):
        constant(value)
