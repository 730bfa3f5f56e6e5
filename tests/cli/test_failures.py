"""A database or a disk that fails is told in words by every command; a fault of the program keeps its traceback."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app import cli as command_line
from app.cli.explained import explained
from app.config import get_settings
from app.storage.engine import Database
from tests.cli.test_cli import codejury

KEY = "hunter2"
AWAY = f"postgresql://someone:{KEY}@127.0.0.1:1/x?password={KEY}"
COMMANDS = {
    "migrate": ["migrate"],
    "serve": ["serve"],
    "web": ["web"],
    "worker": ["worker"],
    "backup": ["backup", "{folder}/backup.zip"],
    "import": ["import", "outputs", "{folder}/outputs.csv", "--study", "S"],
    "analyse": ["analyse", "s"],
    "export": ["export", "s", "--to", "{folder}/s.zip"],
    "demo": ["demo"],
    "reset-password": ["reset-password", "ada@example.org"],
    "alive": ["alive", "worker"],
}
# Those that write nothing there but the database.
READERS = ("backup", "alive")


@pytest.fixture(autouse=True)
def fresh_settings() -> Iterator[None]:
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


def said(folder: Path, command: str, **environment: str) -> list[str]:
    """What a command says that fails: nothing but words, and no password."""
    (folder / "outputs.csv").write_text("problem,system,output\n1,a,x\n")
    words = [word.format(folder=folder) for word in COMMANDS[command]]
    answer = codejury(*words, **{"CODEJURY_DATA_DIR": str(folder / "data"), "PORT": "0", **environment})
    assert (answer.returncode, answer.stdout) == (1, "")
    assert KEY not in answer.stderr
    return answer.stderr.splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_is_away_is_told(tmp_path: Path, command: str) -> None:
    first, second = said(tmp_path, command, DATABASE_URL=AWAY)
    assert first.startswith("The database postgresql+psycopg://someone:***@127.0.0.1:1/x can't be reached: ")
    assert first.endswith("Connection refused.")
    assert second == "Start it, or correct DATABASE_URL."


def test_what_a_server_refuses_is_told(tmp_path: Path, new_postgres_url: Callable[[], str]) -> None:
    url = new_postgres_url() + "_not_made"
    first, second = said(tmp_path, "migrate", DATABASE_URL=url)
    assert 'FATAL:  database "' in first
    assert first.endswith('_not_made" does not exist.')
    assert second == "Start it, or correct DATABASE_URL."


@pytest.mark.parametrize("command", COMMANDS)
def test_a_data_folder_that_can_not_be_made_is_told(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "data"
    first, second = said(tmp_path, command, CODEJURY_DATA_DIR=str(folder))
    if command in READERS:
        place = f"sqlite:///{folder}/codejury.sqlite3"
        assert first == f"The database {place} can't be reached: unable to open database file."
    else:
        assert first == f"The data folder can't be used: {folder} can't be written to: Not a directory."
    assert "owner or " in second
    assert second.endswith("CODEJURY_DATA_DIR.")


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but long enough to be looked at" * 20)
    first, second = said(tmp_path, "migrate", DATABASE_URL=f"sqlite:///{tmp_path}/notes.txt")
    assert first.endswith("notes.txt can't be reached: file is not a database.")
    assert second.endswith("DATABASE_URL.")


@pytest.mark.parametrize(
    "statement",
    ["SELECT nothing FROM nowhere", "SELEKT 1", "INSERT INTO studies (id) VALUES (NULL)"],
    ids=["no table", "no statement", "no row"],
)
def test_a_statement_that_is_wrong_keeps_its_traceback(database: Database, statement: str) -> None:
    with pytest.raises(SQLAlchemyError) as failure, database.write() as session:
        session.execute(text(statement))
    assert explained(failure.value) is None


@pytest.mark.sqlite_is_enough
def test_a_database_that_others_hold_is_told(database: Database) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    other = Database(url)
    with database.write() as session, other.engine.connect() as connection:
        session.execute(text("SELECT 1"))
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
        with pytest.raises(SQLAlchemyError) as failure:
            connection.exec_driver_sql("DELETE FROM studies")
    other.dispose()
    told = explained(failure.value)
    assert told is not None
    assert told.message.endswith("can't be used just now: database is locked.")


@pytest.mark.parametrize(
    ("number", "place", "expected"),
    [
        (errno.EACCES, "data/serve.lock", "data/serve.lock can't be written to: Permission denied."),
        (errno.EROFS, "data/artifacts", "data/artifacts can't be written to: Read-only file system."),
        (errno.ENOSPC, "elsewhere", "The disk is full"),
        (errno.EACCES, "elsewhere", None),
        (errno.ENOENT, "data/artifacts/ab", None),
    ],
)
def test_what_the_disk_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, place: str, expected: str | None
) -> None:
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path / "data"))
    told = explained(OSError(number, os.strerror(number), str(tmp_path / place)))
    assert (expected in told.message) if told and expected else told is expected


def test_a_fault_of_the_program_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(command_line, "make_cli", lambda: fail)
    with pytest.raises(KeyError):
        command_line.main()
