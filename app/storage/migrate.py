"""The schema: bring it to the newest revision, and tell where it is."""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from app.config import PROJECT_ROOT
from app.errors import Conflict


def _config(url: str, connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(PROJECT_ROOT / "migrations"))
    config.attributes["url"] = url
    config.attributes["connection"] = connection
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Create or upgrade the schema, all or nothing."""
    command.upgrade(_config(url), revision)


def upgrade_within(connection: Connection, revision: str = "head") -> None:
    """``upgrade`` as a part of the caller's transaction."""
    command.upgrade(_config("", connection), revision)


def downgrade(url: str, revision: str) -> None:
    """Go back to an older schema (``base`` removes everything)."""
    command.downgrade(_config(url), revision)


def head_revision() -> str:
    """The revision that this code needs."""
    head = _scripts().get_current_head()
    assert head is not None, "the project has migrations"
    return head


def revisions() -> list[str]:
    """All that this code knows, the oldest first."""
    return [each.revision for each in _scripts().walk_revisions()][::-1]


def current_revision(engine: Engine) -> str | None:
    """The revision that the database is at; None when it is empty."""
    with engine.connect() as connection:
        return revision_of(connection)


def revision_of(connection: Connection) -> str | None:
    """``current_revision`` as a part of the caller's transaction."""
    return MigrationContext.configure(connection).get_current_revision()


def check_known(revision: str | None) -> None:
    """Conflict when a newer version of CodeJury made this schema: what it means can't be known here."""
    if revision is not None and revision not in revisions():
        raise Conflict(
            f"The database's schema ({revision}) was made by a newer version of CodeJury.",
            remedy="Install that version, or restore a backup that was made before the upgrade.",
        )


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(PROJECT_ROOT / "migrations"))
