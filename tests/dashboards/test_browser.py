"""The pages in a real Chromium: drawn, quiet, sortable, downloadable, in both themes and on a phone."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect

from app.config import Settings
from app.services.analysis import request_analysis
from app.services.analysis.parameters import AnalysisParameters
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from tests.dashboards.study import METRICS, SLUG, sign_in

PAGES = ("", "/systems", "/significance", "/agreement", "/points", "/compare")
READY = """
() => [...document.querySelectorAll("[data-chart]")].every((chart) => chart.querySelector("svg.main-svg"))
"""


@dataclass
class Desk:
    """A signed-in page at a running app, and all that the browser complained of."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.url}/studies/{SLUG}{path}")
        self.page.wait_for_function(READY)


@pytest.fixture
def desk(browser: Browser, client: TestClient, analysed: Database, live_server: str) -> Iterator[Desk]:
    token = sign_in(client, analysed, "researcher")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    found = Desk(context.new_page(), live_server)
    context.add_cookies([{"name": "codejury", "value": token, "url": found.url}])
    found.page.on("console", lambda each: found.complaints.append(each.text) if each.type == "error" else None)
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    yield found
    context.close()


def test_every_page_is_drawn_without_a_complaint(desk: Desk) -> None:
    for width in (1280, 390):
        desk.page.set_viewport_size({"width": width, "height": 844})
        for path in PAGES:
            desk.open(path)
            assert desk.page.locator("[data-chart] svg.main-svg").count() > 0
            assert not desk.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), (path, width)
            assert desk.page.locator("[data-chart]").first.get_attribute("aria-label")
    assert desk.complaints == []


def test_names_stay_text(desk: Desk) -> None:
    desk.open("/systems")
    assert desk.page.locator("svg").get_by_text("<i>middle</i>").count() > 0
    assert desk.page.locator("i").count() == 0


def test_tables_sort_by_their_heads(desk: Desk) -> None:
    desk.open("/systems")
    table = desk.page.locator("table.data").first
    head = table.get_by_role("button", name="People")

    def column() -> list[float]:
        cells = table.locator("tbody tr td:nth-child(2)")
        return [float(cells.nth(row).get_attribute("data-sort") or "nan") for row in range(cells.count())]

    head.press("Enter")
    assert column() == sorted(column(), reverse=True)
    head.press("Enter")
    assert column() == sorted(column())
    expect(table.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")


def test_figures_can_be_had_as_png_and_svg(desk: Desk) -> None:
    desk.open("/agreement")
    for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with desk.page.expect_download() as download:
            desk.page.get_by_role("button", name=f"{kind} of").first.click()
        assert download.value.suggested_filename == f"{SLUG}-agreement.{kind.lower()}"
        assert download.value.path().read_bytes().startswith(start)
    assert desk.complaints == []


def test_the_theme_switch_draws_anew(desk: Desk) -> None:
    desk.open("/systems")
    ink = "getComputedStyle(document.querySelector('.chart .xtick text')).fill"
    light = desk.page.evaluate(ink)
    desk.page.get_by_role("button", name="Dark theme").click()
    desk.page.wait_for_function(f"{ink} !== '{light}'")
    assert desk.complaints == []


def test_a_definition_is_a_key_away(desk: Desk) -> None:
    desk.open("/agreement")
    desk.page.get_by_role("button", name="NS", exact=True).first.focus()
    expect(desk.page.locator(".tip")).to_contain_text("Not significant")
    desk.page.keyboard.press("Escape")
    expect(desk.page.locator(".tip")).to_have_count(0)


def test_a_finished_run_takes_the_place_of_the_old_results(
    desk: Desk, analysed: Database, settings: Settings
) -> None:
    with analysed.write() as session:
        chosen = AnalysisParameters(metrics=METRICS, draws=100, bins=((0, 7), (7, 100)))
        run_id = request_analysis(session, find_study(session, SLUG), chosen).id
    desk.open("/agreement")
    expect(desk.page.locator("#analysis-status")).to_contain_text("No worker is running")
    desk.page.evaluate("window.isTheSamePage = true")
    execute(analysed, settings, run_id)
    expect(desk.page.locator("table.data").first).to_contain_text("Δ 0–7", timeout=15_000)
    desk.page.wait_for_function(READY)
    assert desk.page.evaluate("window.isTheSamePage") is True
    assert desk.complaints == []
