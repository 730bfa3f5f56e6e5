"""What commands share: the settings of this process and its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database


def load_settings() -> Settings:
    """The settings; a wrong environment variable is named in words."""
    from pydantic import ValidationError

    from app.config import get_settings
    from app.errors import InvalidInput, Problem

    try:
        return get_settings()
    except ValidationError as error:
        problems = [Problem(f"{each['loc'][0]}: {each['msg']}.") for each in error.errors()]
        raise InvalidInput("Some environment variables can't be used:", problems) from error


def prepare_data_dir(settings: Settings) -> None:
    """Make the data folder, readable by its owner alone: it holds people's work."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database with its schema at head: embedded, it is brought there; a team migrates on purpose."""
    from app.errors import Conflict
    from app.storage import migrate
    from app.storage.engine import Database

    if settings.mode == "embedded":
        prepare_data_dir(settings)
        migrate.upgrade(settings.effective_database_url)
    database = Database(settings.effective_database_url)
    try:
        if migrate.current_revision(database.engine) != migrate.head_revision():
            raise Conflict("The database's schema is not the one this version needs.", remedy="Run: codejury migrate")
        yield database
    finally:
        database.dispose()
