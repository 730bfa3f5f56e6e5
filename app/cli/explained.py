"""Failures of the database and the disk in an operator's words. What is not among them is a fault of the program."""

import errno
import sqlite3
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from app.cli.environment import load_settings, unusable
from app.config import Settings
from app.errors import AppError, Conflict
from app.storage.troubles import Trouble, trouble_of

NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def explained(error: Exception) -> AppError | None:
    """What happened, without a password, and the remedy; None for what only a traceback explains."""
    if isinstance(error, SQLAlchemyError):
        return _of_database(error, load_settings())
    return _of_disk(error, load_settings()) if isinstance(error, OSError) else None


def without_secrets(url: str) -> str:
    """The address without its password, which may stand behind the question mark, too."""
    return make_url(url).set(query={}).render_as_string(hide_password=True)


def reason(error: SQLAlchemyError) -> str:
    """What the database says itself, or its client."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0].rstrip(".")


def remedy(settings: Settings) -> str:
    """What to do about a database that can't be reached."""
    if not settings.is_sqlite:
        return "Start it, or correct DATABASE_URL."
    name = "DATABASE_URL" if settings.database_url else "CODEJURY_DATA_DIR"
    return f"Correct the owner or the mode of that file and its folder, or choose another one with {name}."


def _of_database(error: SQLAlchemyError, settings: Settings) -> AppError | None:
    trouble, place = trouble_of(error), f"The database {without_secrets(settings.effective_database_url)}"
    if trouble is Trouble.FULL:
        return Conflict(f"{place} has no room left: {reason(error)}.", remedy="Make room on its disk, and try again.")
    if trouble is Trouble.READ_ONLY:
        return Conflict(f"{place} can't be written to: {reason(error)}.", remedy=remedy(settings))
    if _is_away(error):
        return Conflict(f"{place} can't be reached: {reason(error)}.", remedy=remedy(settings))
    if trouble is Trouble.AWAY and not _is_our_fault(error):
        return Conflict(f"{place} can't be used just now: {reason(error)}.", remedy="Try again in a moment.")
    return None


def _is_away(error: SQLAlchemyError) -> bool:
    """Whether there is no connection (any more). A commit has no statement either, but may find a conflict."""
    if not isinstance(error, DBAPIError) or isinstance(error, IntegrityError):
        return False
    return error.statement is None or error.connection_invalidated


def _is_our_fault(error: SQLAlchemyError) -> bool:
    """SQLite's driver calls a statement that is wrong an operational error, too."""
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return isinstance(error, OperationalError) and code == sqlite3.SQLITE_ERROR


def _of_disk(error: OSError, settings: Settings) -> AppError | None:
    if trouble_of(error) is Trouble.FULL:
        return Conflict(f"The disk is full: {error}.", remedy="Make room, and try again.")
    folder = settings.data_dir.resolve()
    if error.errno in NOT_ALLOWED and error.filename and Path(error.filename).resolve().is_relative_to(folder):
        return unusable(Path(error.filename), error)
    return None
