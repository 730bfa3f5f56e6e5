"""A language that is written from right to left: one more folder is all it takes."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app import words
from app.config import PROJECT_ROOT, Settings
from app.storage.engine import Database
from app.words import LANGUAGES, Language
from tests.dashboards.study import SLUG, make_analysed_study, sign_in
from tests.prepared import prepare

PHYSICAL = re.compile(r"(margin|padding|border)-(left|right)\b|text-align: (left|right)|[ ;{](left|right): (?!50%)")
PAGES = (
    "/sign-in",
    "/studies",
    "/runs",
    "/people",
    "/import",
    *(f"/studies/{SLUG}{page}" for page in ("", "/systems")),
)
RULED = 'document.body.insertAdjacentHTML("beforeend", \'<div class="message error">…</div>\')'


@pytest.fixture
def arabic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """CodeJury speaks (a little) Arabic."""
    file = tmp_path / "words" / "ar" / "LC_MESSAGES" / "messages.po"
    file.parent.mkdir(parents=True)
    known = Catalog(locale="ar")
    known.add("Sign in", "تسجيل الدخول")
    with file.open("wb") as opened:
        write_po(opened, known)
    monkeypatch.setattr(words, "TRANSLATIONS", tmp_path / "words")
    monkeypatch.setitem(LANGUAGES, "ar", Language("ar", "العربية", "rtl"))
    yield
    for kept in (words.catalogue, words.translations):
        kept.cache_clear()


@pytest.fixture
def page(arabic: None, browser: Browser, client: TestClient, live_server: str) -> Iterator[Page]:
    with browser.new_context(locale="ar", base_url=live_server) as context:
        yield context.new_page()


def let_in(context: BrowserContext, client: TestClient, database: Database, settings: Settings, url: str) -> None:
    prepare(database, "analysed", lambda: make_analysed_study(database, settings))
    context.add_cookies([{"name": "codejury", "value": sign_in(client, database, "admin"), "url": url}])


def left_edge(page: Page, selector: str) -> float:
    return float(page.locator(selector).first.evaluate("each => each.getBoundingClientRect().left"))


def test_style_sheets_speak_of_start_and_end() -> None:
    found = [
        f"{path.name}:{number}"
        for path in (PROJECT_ROOT / "static/css").glob("*.css")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        # Code is written from left to right everywhere.
        if PHYSICAL.search(line) and "direction: ltr" not in line and "counter(line)" not in line
    ]
    assert found == []


@pytest.mark.browser
def test_a_language_gives_pages_its_words_and_direction(page: Page) -> None:
    page.goto("/sign-in")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.get_by_role("heading", name="تسجيل الدخول")).to_be_visible()


@pytest.mark.browser
def test_pages_are_mirrored(
    page: Page, client: TestClient, database: Database, settings: Settings, live_server: str
) -> None:
    let_in(page.context, client, database, settings, live_server)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/studies")
    assert left_edge(page, ".brand") > left_edge(page, ".site-nav") > left_edge(page, ".site-head form")
    assert left_edge(page, ".site-foot span") > left_edge(page, ".reader")
    assert left_edge(page, "thead th:nth-child(1)") > left_edge(page, "thead th:nth-child(2)")
    page.evaluate(RULED)
    widths = "each => [getComputedStyle(each).borderRightWidth, getComputedStyle(each).borderLeftWidth]"
    assert page.locator(".message.error").evaluate(widths) == ["4px", "1px"]
    page.goto(f"/studies/{SLUG}/export")
    assert page.locator("pre").first.evaluate("each => getComputedStyle(each).direction") == "ltr"


@pytest.mark.browser
def test_no_page_scrolls_sideways(
    page: Page, client: TestClient, database: Database, settings: Settings, live_server: str
) -> None:
    let_in(page.context, client, database, settings, live_server)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        for path in PAGES:
            page.goto(path)
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
