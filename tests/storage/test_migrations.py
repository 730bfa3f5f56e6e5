"""The schema goes up and down, and equals what the models say."""

from alembic import command
from sqlalchemy import inspect

from app.storage import migrate
from app.storage.base import Base
from app.storage.engine import Database


def test_the_schema_is_at_its_head_and_equals_the_models(database: Database, database_url: str) -> None:
    assert migrate.current_revision(database.engine) == migrate.head_revision()
    command.check(migrate._config(database_url))  # raises when the models have moved on


def test_down_and_up_again(database: Database, database_url: str) -> None:
    migrate.downgrade(database_url, "base")
    assert set(inspect(database.engine).get_table_names()) <= {"alembic_version"}
    migrate.upgrade(database_url)
    assert set(Base.metadata.tables) <= set(inspect(database.engine).get_table_names())
