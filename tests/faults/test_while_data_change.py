"""F41: pages of results while people grade and admins change things. F42: what can't be recorded doesn't happen."""

import threading
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text

from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import AuditEvent, GradeEvent, Study
from tests.dashboards.study import SLUG, sign_in
from tests.faults import invariants
from tests.faults.load import Browser, acknowledged, grading
from tests.faults.study import Installation

OF_RESULTS = ("", "/systems", "/significance", "/agreement", "/points", "/compare", "/analyses", "/desk")
PAGES = (
    *(f"/studies/{SLUG}{page}" for page in OF_RESULTS),
    *(f"/studies/open/{page}" for page in ("desk", "desk/live", "desk/annotators", "desk/settings", "export")),
    "/studies",
    "/runs",
    "/log",
)


@pytest.mark.fault("F41")
def test_pages_hold_while_everything_behind_them_moves(
    installation: Installation, client: TestClient, live_server: str
) -> None:
    analysis = installation.analysis()
    sign_in(client, installation.database, "admin")
    over = threading.Event()
    changing = threading.Thread(target=change_until, args=(installation.database, over))
    changing.start()
    port = int(live_server.rpartition(":")[2])
    with grading(installation.people(2), [port]) as browsers:
        statuses = {(page, client.get(page).status_code) for _ in range(2) for page in PAGES}
    over.set()
    changing.join()
    assert {each for each in statuses if each[1] != 200} == set()
    invariants.check(installation, acknowledged(browsers), analysis)


def change_until(database: Database, over: threading.Event) -> None:
    """An admin who pauses and opens the study, and writes to its annotators."""
    number = 0
    while not over.wait(0.02):
        number += 1
        with database.write() as session:
            study = find_study(session, "open")
            study.message = f"Message {number}"
            study.grades_per_item = 3 + number % 2


@pytest.fixture
def no_records(database: Database) -> Iterator[None]:
    """Nothing can be added to the two histories."""
    for table in ("audit_events", "grade_events"):
        _refuse(database, table)
    yield
    for table in ("audit_events", "grade_events"):
        _allow(database, table)


def _refuse(database: Database, table: str) -> None:
    with database.write() as session:
        if database.is_sqlite:
            session.execute(
                text(f"CREATE TRIGGER no_{table} BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no room'); END")
            )
            return
        session.execute(
            text(f"CREATE FUNCTION no_{table}() RETURNS trigger AS 'BEGIN RAISE ''no room''; END' LANGUAGE plpgsql")
        )
        session.execute(
            text(f"CREATE TRIGGER no_{table} BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION no_{table}()")
        )


def _allow(database: Database, table: str) -> None:
    with database.write() as session:
        session.execute(text(f"DROP TRIGGER no_{table}" + ("" if database.is_sqlite else f" ON {table}")))


@pytest.mark.fault("F42")
def test_what_can_not_be_recorded_does_not_happen(
    installation: Installation, client: TestClient, live_server: str, no_records: None
) -> None:
    sign_in(client, installation.database, "admin")
    client.headers["Accept"] = "text/html"
    with TestClient(client.app, base_url="http://localhost", raise_server_exceptions=False) as quiet:
        quiet.cookies, quiet.headers = client.cookies, client.headers
        assert quiet.post("/studies/open/desk/state", data={"state": "paused"}).status_code >= 500
    [person] = installation.people(1)
    browser = Browser(person, [int(live_server.rpartition(":")[2])])
    item = browser.next_item()
    before = {"submission_id": "one-and-the-same", "kind": "grade", "revision": 0, "answers": {"helpfulness": 3}}
    assert browser.post(f"/grade/{item}/answer", before) is None
    with installation.database.read() as session:
        assert session.scalars(select(Study.state).where(Study.slug == "open")).one() == "open"
        assert session.scalars(select(AuditEvent)).all() == []
        assert (
            session.scalars(select(GradeEvent.id).where(GradeEvent.submission_id == "one-and-the-same")).all() == []
        )
    invariants.check(installation, {})
