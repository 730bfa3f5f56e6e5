"""The schema goes up and down, and equals what the models say."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import DBAPIError

from app.cli.environment import open_database
from app.config import Settings
from app.errors import Conflict
from app.services import idempotency
from app.services.api_tokens import Scope, mint_token
from app.services.runs import enqueue
from app.services.runs.workers import beat
from app.services.webhooks.queueing import queue_delivery
from app.storage import migrate
from app.storage.base import Base
from app.storage.engine import Database
from app.storage.models import (
    Annotator,
    ApiToken,
    GradeEvent,
    Item,
    Question,
    Run,
    StudyEvent,
    User,
    Webhook,
    WebhookDelivery,
    Worker,
)
from tests.exports.rich import make_rich_study
from tests.factories import add_grade, make_study
from tests.prepared import prepare
from tests.storage.schema import rows_of, schema_of

KEYS = (("scoring_id", "output_id"), ("variant_id", "name"))  # of tables without numbers


def test_the_schema_is_at_its_head_and_equals_the_models(database: Database, database_url: str) -> None:
    assert migrate.current_revision(database.engine) == migrate.head_revision()
    command.check(migrate._config(database_url))  # raises when the models have moved on


def test_down_and_up_again(database: Database, database_url: str) -> None:
    migrate.downgrade(database_url, "base")
    assert set(inspect(database.engine).get_table_names()) <= {"alembic_version"}
    migrate.upgrade(database_url)
    assert set(Base.metadata.tables) <= set(inspect(database.engine).get_table_names())


def test_a_graded_study_keeps_all_when_instruments_come(database: Database, database_url: str) -> None:
    with database.write() as session:
        study = make_study(session, problems=2, systems=2)
        annotator = Annotator(study_id=study.id, pseudonym="A01", order_seed=1)
        session.add(annotator)
        session.flush()
        question = session.scalars(select(Question)).one()
        for item in session.scalars(select(Item.id).order_by(Item.id)).all():
            add_grade(session, annotator, item, question.id, 3)
    migrate.downgrade(database_url, "0001")
    migrate.upgrade(database_url)
    with database.read() as session:
        instruments = session.execute(text("SELECT name, kind FROM instruments")).all()
        assert instruments == [("helpfulness", "output")]
        assert session.execute(text("SELECT DISTINCT instrument_id, role FROM items")).all() == [(1, "main")]
        assert session.scalars(select(GradeEvent.value)).all() == [3] * 4
        assert session.scalars(select(Question.instrument_id)).all() == [1]
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text("UPDATE grade_events SET value = 4"))


def test_each_step_goes_down_and_up_with_a_study_in_place(database: Database, database_url: str) -> None:
    """What an older schema has a place for is there before and after; up again, the schema is as it was."""
    prepare(database, "rich", lambda: make_rich_study(database))
    at_head = rows_of(database)
    steps = list(zip(migrate.revisions()[1:], migrate.revisions()[2:], strict=False))
    assert len(steps) >= 3
    for older, newer in reversed(steps):
        before, schema = rows_of(database), schema_of(database)
        migrate.downgrade(database_url, older)
        lower = rows_of(database)
        assert_kept(before, lower)
        migrate.upgrade(database_url, newer)
        assert schema_of(database) == schema, f"down from {newer} and up again"
        assert_kept(lower, rows_of(database))
        migrate.downgrade(database_url, older)
    with pytest.raises(Conflict, match="several instruments"):
        migrate.downgrade(database_url, "0001")
    assert rows_of(database) == lower
    migrate.upgrade(database_url)
    command.check(migrate._config(database_url))
    kept = rows_of(database)
    for table in ("systems", "outputs", "grades", "assignments", "form_responses"):
        assert kept[table] == at_head[table]
        assert kept[table]


def assert_kept(before: dict[str, list[dict[str, object]]], after: dict[str, list[dict[str, object]]]) -> None:
    """Rows stay, and so do their columns, where the other schema has a place for them."""
    for table in before.keys() & after.keys():
        there = {_key(row): row for row in after[table]}
        for row in before[table]:
            other = there[_key(row)]
            shared = row.keys() & other.keys()
            assert {name: row[name] for name in shared} == {name: other[name] for name in shared}, table


def _key(row: dict[str, object]) -> tuple[object, ...]:
    names = ("id",) if "id" in row else next(each for each in KEYS if each[0] in row)
    return tuple(row[name] for name in names)


@pytest.mark.fault("F38")
@pytest.mark.parametrize("mode", ["embedded", "team"])
def test_a_schema_of_a_newer_version_is_left_alone(
    database: Database, database_url: str, tmp_path: Path, mode: str
) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    broker = {"BROKER_URL": "redis://127.0.0.1:1/0"} if mode == "team" else {}
    settings = Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=database_url, **broker)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match=r"9999.* newer version"), open_database(settings):
        pass
    assert migrate.current_revision(database.engine) == "9999"
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": migrate.head_revision()})


def test_runs_and_workers_keep_all_when_rates_and_troubles_come(database: Database, database_url: str) -> None:
    with database.write() as session:
        study = make_study(session)
        run = enqueue(session, "scoring", {"metrics": ["chrf"]}, study_id=study.id)
        run.done, run.total, run.unit = 3, 10, "scores"
        beat(session, "machine/1:2", ["cpu"], 2)
    migrate.downgrade(database_url, "0005")
    migrate.upgrade(database_url)
    with database.read() as session:
        stored = session.scalars(select(Run)).one()
        assert (stored.payload, stored.done, stored.total, stored.unit) == ({"metrics": ["chrf"]}, 3, 10, "scores")
        assert (stored.measured_from, stored.measured_at) == (0, None)
        worker = session.scalars(select(Worker)).one()
        assert (worker.queues, worker.concurrency, worker.trouble) == (["cpu"], 2, "")


def test_what_programs_left_does_not_stand_in_the_way_of_going_back(database: Database, database_url: str) -> None:
    with database.write() as session:
        study = make_study(session)
        user = User(email="a@example.org", name="A", role="admin", password_hash="x")
        session.add(user)
        session.flush()
        mint_token(session, "user:1", user.id, "notebook", [Scope.ADMIN], days=1)
        idempotency.begin(session, user.id, "key", "hash")
        webhook = Webhook(public_id="w", study_id=study.id, url="https://example.org/", kinds=[], secret="whsec_eA")
        session.add_all([webhook, StudyEvent(study_id=study.id, kind="run.finished", key="k", data={})])
        session.flush()
        queue_delivery(session, webhook, "run.finished", {})
    migrate.downgrade(database_url, "0005")
    migrate.upgrade(database_url)
    with database.read() as session:
        assert session.scalars(select(User.email)).all() == ["a@example.org"]
        assert session.scalars(select(ApiToken)).all() == session.scalars(select(WebhookDelivery)).all() == []


@pytest.mark.sqlite_is_enough
def test_problems_are_found_by_their_place(database: Database) -> None:
    """A set has tens of thousands: its pages ask for the one at a place, runs for the last place."""
    questions = (
        "SELECT id FROM t WHERE benchmark_id = 1 AND position = 9",
        "SELECT max(position) FROM t WHERE benchmark_id = 1",
    )
    with database.read() as session:
        for each in questions:
            plan = session.execute(text(f"EXPLAIN QUERY PLAN {each.replace('FROM t', 'FROM benchmark_problems')}"))
            assert "ix_benchmark_problems_place" in plan.one().detail
