"""Engines and sessions. Readers and writers differ: SQLite needs to know at BEGIN that a write will come."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

# Starlette serves from 40 threads; a pool smaller than that makes requests wait for each other.
POOL_SIZE = 20
POOL_OVERFLOW = 25
SQLITE_BUSY_MS = 10_000


def make_engine(url: str, queue: "WritersQueue | None" = None) -> Engine:
    """An engine for PostgreSQL or SQLite, set up so that both keep the same promises; ``queue`` is for SQLite."""
    is_sqlite = make_url(url).get_backend_name() == "sqlite"
    options: dict[str, Any] = {"pool_size": POOL_SIZE, "max_overflow": POOL_OVERFLOW, "pool_pre_ping": True}
    if is_sqlite:
        options["connect_args"] = {"timeout": SQLITE_BUSY_MS / 1000, "check_same_thread": False}
    engine = create_engine(url, **options)
    if is_sqlite:
        event.listen(engine, "connect", _prepare_sqlite)
        if queue is not None:  # a writer waits for its turn before the BEGIN itself, so this comes first
            event.listen(engine, "begin", queue.wait)
            event.listen(engine, "checkin", queue.give_back)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # the driver must not begin transactions: _begin_sqlite does
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # a grade that was acknowledged survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute(f"PRAGMA busy_timeout = {SQLITE_BUSY_MS}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that turns into a write fails at once when another wrote meanwhile
    # (SQLITE_BUSY_SNAPSHOT); no timeout applies. A writer therefore takes its lock at the start.
    mode = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")


class WritersQueue:
    """On SQLite the writers of a process wait for each other here, from BEGIN until their connection is given back.

    SQLite itself has them sleep and try again, and in a crowd some never get a turn.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def wait(self, connection: Connection) -> None:
        """Wait for this process's other writers; "database is locked" when it takes too long."""
        if connection.get_execution_options().get("sqlite_begin") != "IMMEDIATE":
            return
        turn = self._turn
        if not turn.acquire(timeout=SQLITE_BUSY_MS / 1000):
            raise OperationalError("BEGIN IMMEDIATE", None, sqlite3.OperationalError("database is locked"))
        connection.info["turn"] = turn

    def give_back(self, _connection: object, record: ConnectionPoolEntry) -> None:
        """Let the next writer have its turn: this one's connection returns to the pool."""
        turn: threading.Lock | None = record.info.pop("turn", None)
        if turn is not None:
            turn.release()

    def forget(self) -> None:
        """In a forked child nobody would ever give back the parent's turn."""
        self._turn = threading.Lock()


class Database:
    """One engine and its two kinds of session."""

    def __init__(self, url: str) -> None:
        self._turns = WritersQueue()
        self.engine = make_engine(url, self._turns)
        # A reader sees one state from its first statement to its last: SQLite's snapshots do that by themselves.
        snapshot = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reader = sessionmaker(
            self.engine.execution_options(**snapshot), expire_on_commit=False, autoflush=False
        )
        self._writer = sessionmaker(self.engine.execution_options(sqlite_begin="IMMEDIATE"), expire_on_commit=False)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is the embedded database."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one consistent state and never writes."""
        with self._reader() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """One transaction: committed at the end of the block, rolled back when it raises.

        It begins with the first statement: what a block does before that keeps nobody waiting.
        """
        with self._writer.begin() as session:
            yield session

    def dispose(self) -> None:
        """Close all connections (in a forked child: forget the parent's)."""
        self.engine.dispose()
        self._turns.forget()
