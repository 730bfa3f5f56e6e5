"""What the two databases promise alike."""

import errno
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from app.storage import engine
from app.storage.engine import Database
from app.storage.models import AuditEvent, Study
from tests.factories import make_study


def test_a_failed_block_leaves_nothing(database: Database) -> None:
    def fail_half_way() -> None:
        with database.write() as session:
            make_study(session)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail_half_way()
    with database.read() as session:
        assert session.scalars(select(Study)).all() == []


@pytest.mark.sqlite_is_enough
def test_what_was_acknowledged_survives_a_power_cut(database_url: str) -> None:
    """As people get it: the database of the tests is told not to wait for the disk."""
    database = Database(database_url)
    with database.read() as session:
        assert session.scalar(text("PRAGMA synchronous")) == 2  # FULL
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
    database.dispose()


def test_times_come_back_with_their_zone(database: Database) -> None:
    at = datetime(2026, 11, 27, 14, 5, tzinfo=UTC)
    with database.write() as session:
        session.add(AuditEvent(at=at, actor="test", action="x", details={}))
    with database.read() as session:
        assert session.scalar(select(AuditEvent.at)) == at


@pytest.mark.parametrize("statement", ["UPDATE audit_events SET actor = 'y'", "DELETE FROM audit_events"])
def test_histories_refuse_changes(database: Database, statement: str) -> None:
    with database.write() as session:
        session.add(AuditEvent(actor="test", action="x", details={}))
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(statement))


def test_writers_that_read_first_never_fail(database: Database) -> None:
    with database.write() as session:
        study_id = make_study(session, problems=1).id

    def increment() -> None:
        for _ in range(20):
            with database.write() as session:
                study = session.get_one(Study, study_id, with_for_update=True)
                study.grades_per_item += 1

    threads = [threading.Thread(target=increment) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert session.get_one(Study, study_id).grades_per_item == 3 + 80


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_writer_kept_out_for_too_long_is_told_so_and_takes_no_turn(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "SQLITE_BUSY_MS", 50)
    database = Database(database_url)

    def write() -> None:
        with database.write() as session:
            session.add(AuditEvent(actor="test", action="x", details={}))

    with ThreadPoolExecutor(1) as pool:
        with database.write() as session:
            session.execute(text("SELECT 1"))  # a transaction begins with its first statement
            kept_out = pool.submit(write)
            with pytest.raises(OperationalError, match="locked"):
                kept_out.result(10)
        pool.submit(write).result(10)
    write()
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent)).all()) == 2
    database.dispose()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_writer_of_another_process_is_waited_for_and_not_for_ever(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine of its own stands for the other process: it has its own turns and its own lock."""
    monkeypatch.setattr(engine, "SQLITE_BUSY_MS", 50)
    database, other = Database(database_url), Database(database_url)
    with other.write() as theirs:
        theirs.execute(text("SELECT 1"))
        with pytest.raises(OperationalError, match="locked"), database.write() as session:
            session.execute(text("SELECT 1"))
    with database.write() as session:
        session.execute(text("SELECT 1"))
    database.dispose()
    other.dispose()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_where_no_file_can_be_made_beside_the_database_its_own_lock_must_do(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(database_url)
    with monkeypatch.context() as patched:
        patched.setattr("app.storage.turns.os.open", Mock(side_effect=PermissionError))
        with database.write() as session:
            session.add(AuditEvent(actor="test", action="x", details={}))
    database.dispose()
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent)).all()) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_where_the_file_system_knows_no_such_locks_its_own_lock_must_do(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.storage.turns.fcntl.flock", Mock(side_effect=OSError(errno.EOPNOTSUPP, "unsupported")))
    database = Database(database_url)
    for _ in range(2):
        with database.write() as session:
            session.add(AuditEvent(actor="test", action="x", details={}))
    database.dispose()
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent)).all()) == 2


WRITE = """
import sys
from sqlalchemy import event
from app.storage.engine import Database
from app.storage.models import AuditEvent

database = Database(sys.argv[1])
event.listen(database.engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout = 0"))
for number in range(50):
    with database.write() as session:
        session.add(AuditEvent(actor=sys.argv[2], action="x", details={}))
        session.flush()
"""


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_writers_of_several_processes_never_meet_at_the_database(database_url: str) -> None:
    """As below, and some are killed in the middle, which keeps nobody from going on."""
    Database(database_url).dispose()  # its journal is there
    writers = [subprocess.Popen([sys.executable, "-c", WRITE, database_url, str(number)]) for number in range(4)]
    victim = subprocess.Popen([sys.executable, "-c", WRITE.replace("range(50)", "range(10**9)"), database_url, "x"])
    database = Database(database_url)
    while not _written_by(database, "x"):
        time.sleep(0.01)
    victim.kill()
    assert [each.wait(60) for each in writers] == [0, 0, 0, 0]
    assert all(_written_by(database, str(number)) == 50 for number in range(4))
    victim.wait(10)
    database.dispose()


def _written_by(database: Database, actor: str) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).where(AuditEvent.actor == actor)) or 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_writers_of_one_process_never_meet_at_the_database(database_url: str) -> None:
    """SQLite, told not to wait at all, refuses nobody: whoever comes has the turn already."""
    database = Database(database_url)
    event.listen(database.engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout = 0"))

    def write(number: int) -> None:
        for _ in range(5):
            with database.write() as session:
                session.add(AuditEvent(actor=str(number), action="x", details={}))
                session.flush()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(16)))
    database.dispose()
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent)).all()) == 16 * 5


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_block_that_has_not_written_yet_keeps_nobody_waiting(database: Database) -> None:
    def write() -> None:
        with database.write() as session:
            session.add(AuditEvent(actor="test", action="x", details={}))

    with ThreadPoolExecutor(1) as pool, database.write() as idle:
        pool.submit(write).result(5)
        assert len(idle.scalars(select(AuditEvent)).all()) == 1


def test_a_glance_sees_what_is_committed_and_leaves_nothing_open(database: Database) -> None:
    with database.write() as session:
        make_study(session)
    with database.glance() as connection:
        assert len(connection.scalars(select(Study.id)).all()) == 1
    with database.read() as session:  # on the same connection, which is a transaction's again
        level = session.connection().get_isolation_level()
        assert level == ("SERIALIZABLE" if database.is_sqlite else "REPEATABLE READ")
