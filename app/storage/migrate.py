"""The schema: bring it to the newest revision, and tell where it is."""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from app.config import PROJECT_ROOT


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(PROJECT_ROOT / "migrations"))
    config.attributes["url"] = url
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Create or upgrade the schema; nothing happens when it is there already."""
    command.upgrade(_config(url), revision)


def downgrade(url: str, revision: str) -> None:
    """Go back to an older schema (``base`` removes everything)."""
    command.downgrade(_config(url), revision)


def head_revision() -> str:
    """The revision that this code needs."""
    head = ScriptDirectory(str(PROJECT_ROOT / "migrations")).get_current_head()
    assert head is not None, "the project has migrations"
    return head


def current_revision(engine: Engine) -> str | None:
    """The revision that the database is at; None when it is empty."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()
