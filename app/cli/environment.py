"""What commands share: the settings of this process and its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.config import Settings
    from app.errors import Conflict
    from app.storage.engine import Database
    from app.storage.models import Study

VALUE_ERROR = "Value error, "  # how pydantic begins what a validator of ours says


def load_settings() -> Settings:
    """The settings; a wrong environment variable is named in words."""
    from pydantic import ValidationError

    from app.config import get_settings
    from app.errors import InvalidInput, Problem

    try:
        return get_settings()
    except ValidationError as error:
        problems = [Problem(line) for each in error.errors() for line in _lines(each["loc"], each["msg"])]
        raise InvalidInput("Some environment variables can't be used:", problems) from error


def _lines(place: tuple[int | str, ...], finding: str) -> list[str]:
    """One finding about one variable, or several that name theirs themselves."""
    return [f"{place[0]}: {in_words(finding)}"] if place else finding.removeprefix(VALUE_ERROR).splitlines()


def in_words(finding: str) -> str:
    """A finding of pydantic as a sentence."""
    words = finding.removeprefix(VALUE_ERROR).replace("Input should be", "It must be", 1)
    return words.rstrip(".") + "."


def prepare_data_dir(settings: Settings) -> None:
    """Make the data folder, readable by its owner alone, since it holds people's work. Conflict when it can't."""
    from tempfile import TemporaryFile

    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=settings.data_dir):
            pass  # only trying tells: modes say nothing of read-only disks
    except OSError as error:
        raise unusable(settings.data_dir, error) from error


def unusable(place: Path, error: OSError) -> Conflict:
    """What to say of a data folder, or of something in it, that the system lets nobody write."""
    from app.errors import Conflict

    return Conflict(
        f"The data folder can't be used: {place.absolute()} can't be written to: {error.strerror or error}.",
        remedy="Correct its owner or its mode, or choose another folder with CODEJURY_DATA_DIR.",
    )


def named_study(session: Session, name: str) -> Study:
    """The study with that title or short name; NotFound names it and the studies there are."""
    from sqlalchemy import select

    from app.errors import NotFound
    from app.services.studies import slugify
    from app.storage.models import Study

    study = session.scalar(select(Study).where(Study.slug == slugify(name)))
    if study is None:
        slugs = session.scalars(select(Study.slug).order_by(Study.slug)).all()
        there = f"Studies here: {', '.join(slugs)}." if slugs else "There are no studies here yet."
        raise NotFound(f"There is no study {name!r}.", remedy=there)
    return study


def check_target(target: Path, option: str) -> None:
    """Wrong usage where no file can be written there: better said before the work than after it."""
    import os

    folder = target.parent
    if not folder.is_dir():
        raise typer.BadParameter(f"There is no folder {str(folder)!r}.", param_hint=option)
    if target.is_dir():
        raise typer.BadParameter(f"{str(target)!r} is a folder; name a file.", param_hint=option)
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise typer.BadParameter(f"{str(target)!r} can't be written.", param_hint=option)


def make_folder(folder: Path, option: str) -> None:
    """The folder, made where it isn't there; wrong usage where no file can be written in it."""
    import os

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise typer.BadParameter(f"The folder {str(folder)!r} can't be made: {why}.", param_hint=option) from error
    if not os.access(folder, os.W_OK):
        raise typer.BadParameter(f"{str(folder)!r} can't be written.", param_hint=option)


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database with its schema at head: embedded, it is brought there; a team migrates on purpose."""
    from app.errors import Conflict
    from app.storage import migrate, shared_time
    from app.storage.engine import Database

    if settings.mode == "embedded":
        prepare_data_dir(settings)
    database = Database(settings.effective_database_url)
    shared_time.follow(database.engine)
    try:
        current = migrate.current_revision(database.engine)
        migrate.check_known(current)
        if current != migrate.head_revision():
            if settings.mode == "team":
                wrong = "The database's schema is not the one this version needs."
                raise Conflict(wrong, remedy="Run: codejury migrate")
            migrate.upgrade(settings.effective_database_url)
        yield database
    finally:
        database.dispose()
