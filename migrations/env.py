"""Runs migrations, on an engine of its own or on the connection that the caller gives.

All of it is one transaction on both databases: what is interrupted, by whatever, leaves the schema as it was. SQLite
needs to be told: its driver would begin one only before rows change, and Alembic does not expect one there.

SQLite rebuilds a table to alter it; with foreign keys on, rebuilding a parent would delete its children. The engine
here leaves them off and checks them before the commit.
"""

from alembic import context
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.pool import NullPool

import app.storage.models  # noqa: F401 - fills the metadata
from app.config import get_settings
from app.storage.base import Base

# Another process may be migrating: whoever waits finds all done.
SQLITE_WAIT_SECONDS = 60


def run() -> None:
    if given := context.config.attributes.get("connection"):
        migrate(given)
        return
    url = context.config.attributes.get("url") or get_settings().effective_database_url
    is_sqlite = url.startswith("sqlite")
    options = {"connect_args": {"timeout": SQLITE_WAIT_SECONDS}} if is_sqlite else {}
    engine = create_engine(url, poolclass=NullPool, **options)
    if is_sqlite:
        event.listen(engine, "connect", lambda connection, _: setattr(connection, "isolation_level", None))
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as connection:
        if not is_sqlite:  # one migrator at a time; SQLite's write lock does it there
            connection.execute(text("SELECT pg_advisory_xact_lock(715508)"))
        migrate(connection)


def migrate(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    context.configure(
        connection,
        target_metadata=Base.metadata,
        render_as_batch=is_sqlite,
        compare_type=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()
    if is_sqlite and (broken := connection.execute(text("PRAGMA foreign_key_check")).fetchall()):
        raise RuntimeError(f"The migration left rows without their parents: {broken[:5]}")


run()
