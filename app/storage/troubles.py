"""Failures that are the database's or the disk's and not the program's: what they mean for whoever asked."""

import errno
import sqlite3
from enum import Enum

from sqlalchemy import exc

# PostgreSQL's code for a write where only reading is allowed: a standby, or a server told so.
READ_ONLY_STATE = "25006"
FULL_STATE = "53100"
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
# What is unique is there already, or what a row hangs on is not: the violations that another writer brings about.
MEETING_STATES = {"23505", "23503"}
MEETING_CODES = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
}


class Trouble(Enum):
    """What is the matter. None of it stays: people and programs may try again."""

    AWAY = "away"  # gone, restarting, locked for too long, or without a free connection
    READ_ONLY = "read-only"
    FULL = "full"


def trouble_of(error: Exception) -> Trouble | None:
    """Which trouble this failure is; None when it is of another kind."""
    if isinstance(error, OSError):
        return _of_disk(error)
    if isinstance(error, exc.TimeoutError):  # of the pool
        return Trouble.AWAY
    if not isinstance(error, exc.DBAPIError):
        return None
    state, text = getattr(error.orig, "sqlstate", None), str(error.orig)
    if state == READ_ONLY_STATE or "readonly database" in text:
        return Trouble.READ_ONLY
    if state == FULL_STATE or "disk is full" in text:
        return Trouble.FULL
    return Trouble.AWAY if isinstance(error, exc.OperationalError) else None


def met_another(error: Exception) -> bool:
    """Whether another writer was quicker. A trigger's refusal is no meeting: trying again would be vain."""
    if not isinstance(error, exc.IntegrityError):
        return False
    state, code = getattr(error.orig, "sqlstate", None), getattr(error.orig, "sqlite_errorcode", None)
    return state in MEETING_STATES or code in MEETING_CODES


def _of_disk(error: OSError) -> Trouble | None:
    if error.errno in NO_ROOM:
        return Trouble.FULL
    return Trouble.READ_ONLY if error.errno == errno.EROFS else None
