"""F19: the disk is full. F20: the database can only be read. F21: another process holds SQLite's lock."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event, func, select

from app.config import Settings
from app.storage import engine, files
from app.storage.engine import Database
from app.storage.models import GradeEvent
from tests.apps import lent_app
from tests.dashboards.study import sign_in
from tests.faults import invariants
from tests.faults.load import answer_of
from tests.faults.study import Installation

ONLY_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
READ_ONLY = {"sqlite": "PRAGMA query_only = ON", "postgresql": "SET default_transaction_read_only = on"}
UPLOAD = b"problem,intent,system,output\np,i,s,o\n"


class Grader:
    """One person at the app, who has an item before them."""

    def __init__(self, installation: Installation, app: FastAPI) -> None:
        self.installation = installation
        [person] = installation.people(1)
        self.client = TestClient(
            app,
            base_url="http://localhost",
            headers={"Sec-Fetch-Site": "same-origin", "Accept": "application/json"},
            raise_server_exceptions=False,
        )
        self.client.cookies.set("codejury", person.cookie)
        self.item = self.client.post("/grade/next", json={"have": []}).json()["items"][0]["id"]
        self.submission = uuid4().hex
        self.body = answer_of(self.submission, 3)

    def answer(self) -> tuple[int, str]:
        """Send the answer, always the same."""
        answer = self.client.post(f"/grade/{self.item}/answer", json=self.body)
        return answer.status_code, answer.json().get("detail", "")

    def reads(self) -> int:
        """A page that stores nothing: one's own answers."""
        return self.client.get("/grade/answers", headers={"Accept": "text/html"}).status_code

    def check(self) -> None:
        """The answer is stored, once."""
        assert self.answer()[0] == 200
        invariants.check(self.installation, {self.submission: 3})


@pytest.fixture
def own(installation: Installation) -> Iterator[Database]:
    """A second way to the database, which may be spoilt."""
    own = Database(installation.url)
    yield own
    own.dispose()


@pytest.fixture
def grader(installation: Installation, settings: Settings, own: Database) -> Iterator[Grader]:
    with lent_app(settings, own) as app:
        yield Grader(installation, app)


@pytest.mark.fault("F19")
@ONLY_SQLITE
def test_a_full_disk_refuses_answers_in_words_and_takes_them_later(grader: Grader, own: Database) -> None:
    """The answer is one with a reason so long that it needs room."""
    grader.body |= {"kind": "skip", "answers": {}, "note": "😀" * 2000}
    own.engine.dispose()
    with closing(sqlite3.connect(grader.installation.url.removeprefix("sqlite:///"))) as connection:
        connection.execute("VACUUM")
    listener = _on_each_connection(own, "PRAGMA max_page_count = 1")  # SQLite takes it as: no more than there are
    status, words = grader.answer()
    assert (status, "disk is full" in words) == (503, True)
    assert grader.reads() == 200
    event.remove(own.engine, "connect", listener)
    own.engine.dispose()
    assert grader.answer()[0] == 200
    with grader.installation.database.read() as session:
        skips = select(func.count()).select_from(GradeEvent).where(GradeEvent.submission_id == grader.submission)
        assert session.scalar(skips) == 1
    invariants.check(grader.installation, {})


@pytest.mark.fault("F20")
def test_a_database_that_can_only_be_read_says_so_and_shows_pages(grader: Grader, own: Database) -> None:
    own.engine.dispose()
    listener = _on_each_connection(own, READ_ONLY[own.engine.dialect.name])
    status, words = grader.answer()
    assert status == 503
    assert "read-only" in words
    assert grader.reads() == 200
    event.remove(own.engine, "connect", listener)
    own.engine.dispose()
    grader.check()


def _on_each_connection(database: Database, statement: str) -> object:
    def say(connection: object, _record: object) -> None:
        connection.execute(statement)  # type: ignore[attr-defined]
        getattr(connection, "commit", lambda: None)()

    event.listen(database.engine, "connect", say)
    return say


@pytest.mark.fault("F21")
@ONLY_SQLITE
def test_a_lock_that_another_process_holds_for_too_long_is_told(
    installation: Installation, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "SQLITE_BUSY_MS", 100)
    impatient = Database(installation.url)
    path = installation.url.removeprefix("sqlite:///")
    with lent_app(settings, impatient) as app, closing(sqlite3.connect(path, isolation_level=None)) as other:
        grader = Grader(installation, app)
        other.execute("BEGIN EXCLUSIVE")
        status, words = grader.answer()
        assert (status, "doesn't answer just now" in words) == (503, True)
        assert grader.reads() == 200
        other.execute("ROLLBACK")
        grader.check()
    impatient.dispose()


@pytest.mark.fault("F19")
@pytest.mark.sqlite_is_enough
def test_an_upload_that_finds_no_room_leaves_nothing_behind(
    installation: Installation, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """/dev/full answers each write as a full disk does."""
    sign_in(client, installation.database, "admin")

    def on_a_full_disk(**where: object) -> tuple[int, str]:
        descriptor, path = real(**where)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, descriptor)
        os.close(full)
        return descriptor, path

    real = files.tempfile.mkstemp
    with monkeypatch.context() as patch:
        patch.setattr(files.tempfile, "mkstemp", on_a_full_disk)
        refused = client.post("/import", files={"files": ("outputs.csv", BytesIO(UPLOAD))})
    assert refused.status_code == 503
    assert "disk is full" in refused.text
    invariants.check(installation, {})
    assert client.post("/import", files={"files": ("outputs.csv", BytesIO(UPLOAD))}).status_code == 200
    invariants.check(installation, {})
