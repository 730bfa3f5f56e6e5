"""The pages about the grades in a real Chromium: asked for, measured, drawn, and sound in every size."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect
from sqlalchemy import select

from app.config import Settings
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Run
from tests.agreement.study import SLUG, measure
from tests.watched import Desk, watched
from tests.web.page_checks import problems_of
from tests.web.test_every_page import READY

pytestmark = pytest.mark.browser

PATHS = (
    "/reliability?question=semantic-similarity",
    "/reliability?question=labels&label=wrong-result",
    "/reliability/survey",
    "/enough",
)


@pytest.fixture
def desk(browser: Browser, client: TestClient, surveyed: Database, live_server: str) -> Iterator[Desk]:
    with watched(browser, client, surveyed, live_server, "researcher") as desk:
        desk.start = f"/studies/{SLUG}"
        yield desk


def test_what_was_asked_for_appears_on_the_page(desk: Desk, surveyed: Database, settings: Settings) -> None:
    desk.open("/reliability?question=naturalness")
    desk.page.get_by_role("button", name="Measure the agreement").click()
    expect(desk.page.get_by_text("No worker is running")).to_be_visible()
    with surveyed.read() as session:
        run_id = session.scalars(select(Run.id)).one()
    execute(surveyed, settings, run_id)
    expect(desk.page.get_by_role("heading", name="Agreement on naturalness")).to_be_visible()
    desk.page.wait_for_function(READY)
    expect(desk.page.locator("#analysis-status")).to_have_text("")
    desk.page.get_by_role("link", name="By its square").click()
    expect(desk.page.locator("#cohen-quadratic .heatmaplayer")).to_be_attached()
    assert desk.complaints == []


def test_two_systems_are_chosen(desk: Desk, surveyed: Database, settings: Settings) -> None:
    measure(surveyed, settings)
    desk.open("/enough")
    desk.page.get_by_label("System A").select_option("system-1")
    desk.page.get_by_label("System B").select_option("system-0")
    desk.page.get_by_role("button", name="Compare").click()
    expect(desk.page.locator("#enough")).to_contain_text("system-1 is 25.00 points above system-0")
    assert "a=system-1" in desk.page.url
    assert desk.complaints == []


def test_nothing_is_wrong_with_the_pages(desk: Desk, surveyed: Database, settings: Settings) -> None:
    measure(surveyed, settings)
    found = {}
    for path in PATHS:
        desk.page.set_viewport_size({"width": 320, "height": 640})
        desk.open(path)
        problems = problems_of(desk.page) + desk.page.evaluate("window.violations ?? []")
        if problems:
            found[path] = problems
    assert found == {}
    assert desk.complaints == []
