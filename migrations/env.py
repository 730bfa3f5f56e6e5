"""Runs migrations, on an engine of its own.

SQLite rebuilds a table to alter it; with foreign keys on, rebuilding a parent would delete its children. The engine
here leaves them off and checks them afterwards.
"""

from alembic import context
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

import app.storage.models  # noqa: F401 - fills the metadata
from app.config import get_settings
from app.storage.base import Base


def run() -> None:
    url = context.config.attributes.get("url") or get_settings().effective_database_url
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        if not is_sqlite:  # one migrator at a time; SQLite's own lock does it there
            connection.execute(text("SELECT pg_advisory_lock(715508)"))
            connection.commit()
        context.configure(connection, target_metadata=Base.metadata, render_as_batch=is_sqlite, compare_type=True)
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
        if is_sqlite and (broken := connection.execute(text("PRAGMA foreign_key_check")).fetchall()):
            raise RuntimeError(f"The migration left rows without their parents: {broken[:5]}")


run()
