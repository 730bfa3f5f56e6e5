"""Turns at SQLite's one write lock, first come first served.

SQLite itself has writers sleep and try again, and in a crowd some never get a turn. A plain lock is no better: the
thread that gives it back takes it again before a waiting one wakes up.
"""

import sqlite3
import threading
from collections import deque

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


class WritersQueue:
    """Has the writers of this process wait for each other, from BEGIN until their connection is given back.

    Made before the listener that says BEGIN: listeners are called in the order in which they were added.
    """

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._seconds = seconds
        self._turn = Turn()
        event.listen(engine, "begin", self._wait)
        event.listen(engine, "checkin", self._give_back)
        event.listen(engine, "engine_disposed", self._forget)

    def _wait(self, connection: Connection) -> None:
        if connection.get_execution_options().get("sqlite_begin") != "IMMEDIATE":
            return
        turn = self._turn
        if not turn.take(self._seconds):
            raise OperationalError("BEGIN IMMEDIATE", None, sqlite3.OperationalError("database is locked"))
        connection.info["turn"] = turn

    def _give_back(self, _connection: object, record: ConnectionPoolEntry) -> None:
        turn: Turn | None = record.info.pop("turn", None)
        if turn is not None:
            turn.give_back()

    def _forget(self, _engine: Engine) -> None:
        self._turn = Turn()  # in a forked child nobody would ever give back the parent's
