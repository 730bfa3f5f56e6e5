"""One time for all processes of a team: the database's.

Claims, runs and sessions end at times that one process writes and another reads. Where a machine's clock is wrong,
its process would take back what others hold, or never give up what it holds itself.
"""

from datetime import timedelta

import psycopg
import structlog
from sqlalchemy import Engine, event

from app.clock import go_by, go_by_own

# Less than this is the way to the database and back, or drift that hurts nobody.
TOLERANCE = timedelta(seconds=2)

log = structlog.get_logger()


def follow(engine: Engine) -> None:
    """Compare clocks at each new connection, and go by the database's. SQLite has none: its process is alone."""
    if engine.dialect.name != "sqlite":
        event.listen(engine, "connect", _compare)


def _compare(connection: "psycopg.Connection[tuple[object, ...]]", _record: object) -> None:
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    connection.rollback()
    assert row is not None
    behind = go_by(row[0])  # type: ignore[arg-type]
    if abs(behind) < TOLERANCE:
        go_by_own()
    else:
        log.warning("clock_differs_from_the_database", seconds_behind=round(behind.total_seconds()))
