"""Turns at SQLite's one write lock: within a process first come first served, and one process at a time.

SQLite itself has writers sleep up to a tenth of a second and try again: nobody writes meanwhile, and in a crowd some
never get a turn. A plain lock is no better: the thread that gives it back has it again before a waiting one wakes up.
"""

import fcntl
import os
import sqlite3
import threading
import time
from collections import deque
from contextlib import suppress

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry


class Turn:
    """A lock that is handed to whoever has waited longest."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Event] = deque()

    def take(self, seconds: float) -> bool:
        """Wait for one's turn; False when it did not come in that time."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            called = threading.Event()
            self._waiting.append(called)
        if called.wait(seconds):
            return True
        with self._guard:
            if called.is_set():  # just now
                return True
            self._waiting.remove(called)
            return False

    def give_back(self) -> None:
        """Call the next one."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


class WriterTurn:
    """A turn among all that write to one database file: in a process as they came, of several who looks first.

    Between processes it is the system's lock on a file beside the database: one that is killed lets it go.
    """

    # A grade is written within milliseconds, so whoever waits looks often; the system has no such wait with an end.
    LOOK_SECONDS = 0.0002

    def __init__(self, database: str | None) -> None:
        self._here = Turn()
        self._file: int | None = None
        if database:
            # Not the database itself, as closing that would let go of SQLite's own locks. Where there can be no such
            # file (a folder that can't be written to), those must do.
            with suppress(OSError):
                self._file = os.open(f"{database}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, seconds: float) -> bool:
        """Wait for one's turn; False when it did not come in that time."""
        end = time.monotonic() + seconds
        if not self._here.take(seconds):
            return False
        while not self._is_ours():
            if time.monotonic() > end:
                self._here.give_back()
                return False
            time.sleep(self.LOOK_SECONDS)
        return True

    def _is_ours(self) -> bool:
        if self._file is None:
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system that knows no such locks: SQLite's own must do
        return True

    def give_back(self) -> None:
        """Let another process have it, or call the next one here."""
        if self._file is not None:
            with suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_UN)
        self._here.give_back()

    def __del__(self) -> None:
        # Not when the engine is disposed of: a writer may be at it. A forked child leaves the parent's as it is.
        if self._file is not None:
            os.close(self._file)


class WritersQueue:
    """Has the writers of one database file wait for each other, from BEGIN until their connection is given back.

    Made before the listener that says BEGIN: listeners are called in the order in which they were added.
    """

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._engine = engine
        self._seconds = seconds
        self._turn: WriterTurn | None = None
        event.listen(engine, "begin", self._wait)
        event.listen(engine, "checkin", self._give_back)
        event.listen(engine, "engine_disposed", self._forget)

    def _wait(self, connection: Connection) -> None:
        if connection.get_execution_options().get("sqlite_begin") != "IMMEDIATE":
            return
        turn = self._current_turn()
        if not turn.take(self._seconds):
            raise OperationalError("BEGIN IMMEDIATE", None, sqlite3.OperationalError("database is locked"))
        connection.info["turn"] = turn

    def _current_turn(self) -> WriterTurn:
        # Should two threads make one each, then these take turns as two processes do.
        turn = self._turn or WriterTurn(self._engine.url.database)
        self._turn = turn
        return turn

    def _give_back(self, _connection: object, record: ConnectionPoolEntry) -> None:
        turn: WriterTurn | None = record.info.pop("turn", None)
        if turn is not None:
            turn.give_back()

    def _forget(self, _engine: Engine) -> None:
        self._turn = None  # in a forked child nobody would ever give back the parent's
