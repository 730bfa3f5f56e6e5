"""Engines and sessions. Readers and writers differ: SQLite needs to know at BEGIN that a write will come."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.orm import Session, sessionmaker

from app.storage.cursors import LeanCursor
from app.storage.pings import PingAfterIdling
from app.storage.prepared import send_integers_alike
from app.storage.turns import WritersQueue

# Starlette serves from 40 threads; a pool smaller than that makes requests wait for each other.
POOL_SIZE = 20
POOL_OVERFLOW = 25
# Whoever gets no connection in this time is told to try again, instead of looking at an empty page for half a minute.
POOL_SECONDS = 5
SQLITE_BUSY_MS = 10_000


def make_engine(url: str) -> Engine:
    """An engine for PostgreSQL or SQLite, set up so that both keep the same promises."""
    is_sqlite = make_url(url).get_backend_name() == "sqlite"
    # The connection used last is used next: its pages and its prepared statements are at hand.
    options: dict[str, Any] = {"pool_size": POOL_SIZE, "max_overflow": POOL_OVERFLOW, "pool_use_lifo": True}
    options["pool_timeout"] = POOL_SECONDS
    options["hide_parameters"] = True  # a failure is logged with its statement, never with what people sent
    if is_sqlite:
        options["connect_args"] = {"timeout": SQLITE_BUSY_MS / 1000, "check_same_thread": False}
    else:
        options["connect_args"] = {"cursor_factory": LeanCursor}
    engine = create_engine(url, **options)
    if not is_sqlite:
        PingAfterIdling(engine)  # a server may have gone and come back; a file has not
        send_integers_alike(engine)
    if is_sqlite:
        event.listen(engine, "connect", _prepare_sqlite)
        WritersQueue(engine, SQLITE_BUSY_MS / 1000)
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


def locks_rows(session: Session) -> bool:
    """Whether the database locks single rows; on SQLite whoever writes holds all of them."""
    return session.get_bind().dialect.name != "sqlite"


class Database:
    """One engine and its two kinds of session."""

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        # A reader sees one state from its first statement to its last: SQLite's snapshots do that by themselves.
        snapshot = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reader = sessionmaker(
            self.engine.execution_options(**snapshot), expire_on_commit=False, autoflush=False
        )
        alone = {} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._glancer = self.engine.execution_options(**alone)
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
    def glance(self) -> Iterator[Connection]:
        """A connection for one statement that reads: on PostgreSQL without a transaction's two trips around it."""
        with self._glancer.connect() as connection:
            yield connection

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
