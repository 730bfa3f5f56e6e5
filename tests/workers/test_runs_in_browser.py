"""A run's page in a real browser: it moves, ends in place, rings once and then asks no more."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.clock import utc_now
from app.ids import hash_token, new_token
from app.services.runs import enqueue
from app.storage.engine import Database
from app.storage.models import Run, SignIn, User
from tests.workers.test_serve import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LISTEN = "window.rings = []; document.body.addEventListener('runfinished', (e) => rings.push(e.detail.state))"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    server = Server(tmp_path)
    yield server.address()
    server.end()


@pytest.fixture
def installation(tmp_path: Path, address: str) -> Iterator[Database]:
    """The database of the server."""
    database = Database(f"sqlite:///{tmp_path / 'codejury.sqlite3'}")
    yield database
    database.dispose()


@pytest.fixture
def page(browser: "Browser", address: str, installation: Database) -> Iterator["Page"]:
    """A page of a signed-in admin; it fails the test that makes the browser complain."""
    token = new_token()
    with installation.write() as session:
        user = User(email="ada@example.org", name="Ada", role="admin", password_hash="-")
        session.add(user)
        session.flush()
        until = utc_now() + timedelta(hours=1)
        session.add(SignIn(token_hash=hash_token(token), user_id=user.id, last_seen_at=utc_now(), expires_at=until))
    context = browser.new_context(base_url=address)
    context.add_cookies([{"name": "codejury", "value": token, "url": address}])
    complaints: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def add_running(database: Database) -> Run:
    """A run that some other machine is doing."""
    with database.write() as session:
        run = enqueue(session, "scoring", {})
        run.state, run.attempt, run.worker = "running", 1, "another-machine/1/1:1"
        run.started_at, run.lease_until = utc_now(), utc_now() + timedelta(hours=1)
        run.done, run.total, run.unit = 1, 100, "outputs"
        return run


def test_a_run_moves_and_ends_in_place(page: "Page", installation: Database) -> None:
    run = add_running(installation)
    page.goto(f"/runs/{run.public_id}")
    page.evaluate(LISTEN)
    page.get_by_role("button", name="Cancel this run").focus()
    with installation.write() as session:
        session.get_one(Run, run.id).done = 57
    page.get_by_text("57 of 100 outputs").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Cancel this run"  # the focus stays

    with installation.write() as session:
        ended = session.get_one(Run, run.id)
        ended.state, ended.finished_at, ended.message = "done", utc_now(), "All scored."
    page.get_by_text("All scored.").wait_for()
    page.locator("#run-facts").get_by_text("Took").wait_for()
    assert page.inner_text("#live-region") == "Scoring: Done."
    assert page.evaluate("rings") == ["done"]
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.wait_for_timeout(1500)
    assert requests == []


def test_cancel_and_retry_answer_in_place_and_work_without_script(
    page: "Page", browser: "Browser", installation: Database
) -> None:
    with installation.write() as session:
        run = enqueue(session, "scoring", {}, queue="runner")  # which nobody takes
    page.goto(f"/runs/{run.public_id}")
    page.get_by_role("button", name="Cancel this run").click()
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Cancel this run").wait_for()

    plain = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    without = plain.new_page()
    without.goto(page.url)
    assert without.get_by_role("link", name="Refresh").is_visible()
    without.get_by_role("button", name="Cancel this run").click()
    without.get_by_text("Cancelled before it started.").wait_for()
    plain.close()
