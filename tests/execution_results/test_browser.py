"""The pages of executions in a real Chromium: drawn, sound in every size, sorted, opened, downloaded."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.storage.engine import Database
from tests.watched import Desk, watched
from tests.web.page_checks import problems_of
from tests.web.test_every_page import READY

pytestmark = pytest.mark.browser

RESULTS, EXECUTION = "/benchmarks/bench/results", "/studies/executed/execution"


@pytest.fixture
def desk(browser: Browser, client: TestClient, results: Database, live_server: str) -> Iterator[Desk]:
    with watched(browser, client, results, live_server, "admin") as desk:
        yield desk


@pytest.mark.parametrize("path", [RESULTS, EXECUTION])
def test_nothing_is_wrong_with_the_page(desk: Desk, path: str) -> None:
    desk.open(path)
    assert desk.page.locator("[data-chart] svg.main-svg").count() > 0
    for each in desk.page.locator("details").all():
        each.evaluate("(element) => { element.open = true; }")
    assert problems_of(desk.page) == []
    assert desk.page.evaluate("window.violations ?? []") == []
    assert desk.complaints == []


def test_names_stay_text(desk: Desk) -> None:
    desk.open(RESULTS)
    assert desk.page.locator("svg").get_by_text("<i>one</i>").count() > 0
    assert desk.page.locator("main i, main b:not(:empty)").count() == 0


def test_two_models_are_chosen(desk: Desk) -> None:
    desk.open(RESULTS)
    desk.page.get_by_label("Model A").select_option("poor")
    desk.page.get_by_label("Model B").select_option("=many<b>")
    desk.page.get_by_role("button", name="Compare").click()
    desk.page.wait_for_function(READY)
    expect(desk.page.locator("#compare .reading")).to_contain_text("=many<b> solves")
    assert desk.complaints == []


def test_a_disagreement_is_opened(desk: Desk) -> None:
    desk.open(EXECUTION)
    listed = desk.page.locator("details.disagreement").first
    expect(listed.locator("pre")).to_be_hidden()
    listed.locator("summary").press("Enter")
    expect(listed.locator("pre")).to_contain_text("def f")
    assert desk.complaints == []


def test_figures_can_be_had_as_png_and_svg(desk: Desk) -> None:
    for path, name in ((RESULTS, "bench-pass-at-k"), (EXECUTION, "executed-execution-agreement")):
        desk.open(path)
        for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
            with desk.page.expect_download() as download:
                desk.page.get_by_role("button", name=f"{kind} of").first.click()
            assert download.value.suggested_filename == f"{name}.{kind.lower()}"
            assert download.value.path().read_bytes().startswith(start)
    assert desk.complaints == []
