"""The page of robustness and a pair in a real Chromium: drawn, sound in every size, chosen from, downloaded."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.storage.engine import Database
from tests.robustness_results.rows import add_model, drawn, make_set
from tests.watched import Desk, watched
from tests.web.page_checks import problems_of
from tests.web.test_every_page import PHONE

pytestmark = pytest.mark.browser

PAGE = "/benchmarks/robust/robustness"


@pytest.fixture
def desk(browser: Browser, client: TestClient, results: Database, live_server: str) -> Iterator[Desk]:
    with watched(browser, client, results, live_server, "researcher") as desk:
        yield desk


@pytest.mark.parametrize("is_phone", [False, True])
def test_nothing_is_wrong_with_the_page(desk: Desk, *, is_phone: bool) -> None:
    if is_phone:
        desk.page.set_viewport_size(PHONE)
    desk.open(PAGE)
    assert desk.page.locator("[data-chart] svg.main-svg").count() >= 4
    for each in desk.page.locator("details").all():
        each.evaluate("(element) => { element.open = true; }")
    assert problems_of(desk.page) == []
    assert desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert desk.page.evaluate("window.violations ?? []") == []
    assert desk.page.locator("main i, main b:not(:empty)").count() == 0  # names stay text
    assert desk.complaints == []


@pytest.mark.parametrize("is_phone", [False, True])
def test_two_sets_side_by_side(desk: Desk, results: Database, *, is_phone: bool) -> None:
    with results.write() as session:
        made = make_set(session, "Other")
        add_model(session, made, "good <i>one</i>", drawn(0.8, 0.3, 3))
        add_model(session, made, "=poor", drawn(0.6, 0.1, 9), seed=1)
    if is_phone:
        desk.page.set_viewport_size(PHONE)
    desk.open(f"{PAGE}?second=other")
    beside = desk.page.locator("#robustness-benchmarks")
    beside.locator("summary").click()
    expect(beside.locator("table")).to_have_count(2)
    assert beside.locator("td.best").count() == beside.locator("td.worst").count() > 0
    assert problems_of(desk.page) == []
    assert desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert desk.complaints == []


@pytest.mark.parametrize("is_phone", [False, True])
def test_a_pair_is_opened_from_the_list_and_leads_back(desk: Desk, *, is_phone: bool) -> None:
    if is_phone:
        desk.page.set_viewport_size(PHONE)
    desk.open(PAGE)
    desk.page.locator("#robustness-lost-docstring tbody a").first.click()
    expect(desk.page.locator(".pair-side")).to_have_count(4)
    expect(desk.page.locator(".badge")).to_have_text(["passed", "failed"])
    assert problems_of(desk.page) == []
    assert desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    desk.page.get_by_role("link", name="Robustness").click()
    desk.ready()
    expect(desk.page.locator("#robustness-lost-docstring")).to_be_visible()
    assert desk.complaints == []


def test_models_and_a_category_are_chosen(desk: Desk) -> None:
    desk.open(PAGE)
    desk.page.locator("#choose summary").click()
    desk.page.locator("#choose").get_by_label("good <i>one</i>").uncheck()
    desk.page.locator("#choose").get_by_role("button", name="Show").click()
    desk.ready()
    expect(desk.page.locator("#robustness .lede")).not_to_contain_text("good")
    desk.page.locator("#closer-category").select_option("format")
    desk.page.locator("form:has(#closer-category) button").click()
    desk.ready()
    expect(desk.page.locator("#robustness-seeds-format")).to_be_visible()
    expect(desk.page.locator("#robustness .lede")).not_to_contain_text("good")
    assert desk.complaints == []


def test_two_models_are_compared(desk: Desk) -> None:
    desk.open(PAGE)
    desk.page.get_by_label("Model A").select_option("=poor")
    desk.page.get_by_label("Model B").select_option("good <i>one</i>")
    desk.page.get_by_role("button", name="Compare").click()
    desk.ready()
    expect(desk.page.locator("#robustness-compared .table-caption")).to_contain_text("A is =poor")
    assert desk.complaints == []


def test_figures_can_be_had_as_png_and_svg(desk: Desk) -> None:
    desk.open(PAGE)
    for name in ("robustness", "robustness-map-drop", "robustness-seeds-docstring", "robustness-breaks-docstring"):
        for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
            with desk.page.expect_download() as download:
                desk.page.locator(f"#{name}").get_by_role("button", name=f"{kind} of").click()
            assert download.value.suggested_filename == f"robust-{name}.{kind.lower()}"
            assert download.value.path().read_bytes().startswith(start)
    assert desk.complaints == []
