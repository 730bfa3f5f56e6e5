"""The schema goes up and down, and equals what the models say."""

import pytest
from alembic import command
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import DBAPIError

from app.storage import migrate
from app.storage.base import Base
from app.storage.engine import Database
from app.storage.models import Annotator, GradeEvent, Item, Question
from tests.factories import add_grade, make_study


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
