"""What must have room on every window, in a real Chromium: long words, pictures, words from right to left."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from app.services import invitation_links
from app.storage.engine import Database
from app.storage.models import Study
from tests.grading.every_kind import make_kind_study

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
Change = Callable[[Session, Study], None]


@pytest.fixture
def opened(browser: Browser, live_server: str, database: Database) -> Iterator[Open]:
    """Opens the grading page of a study with these instruments, changed beforehand."""
    contexts = []

    def open_page(names: list[str], change: Change | None = None, language: str = "en") -> Page:
        with database.write() as session:
            study = make_kind_study(session, names)
            if change:
                change(session, study)
            token = invitation_links.create_invitation(session, "test", study)
        context = browser.new_context(base_url=live_server, locale=language)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"/join/{token}")
        page.locator("main form button").first.click()
        page.goto("/grade")
        page.wait_for_selector("html[data-ready=grading]")
        return page

    yield open_page
    for context in contexts:
        context.close()


def resize(page: Page, width: int, height: int = 640) -> None:
    page.set_viewport_size({"width": width, "height": height})


def box(page: Page, selector: str) -> dict[str, float]:
    return page.locator(selector).first.evaluate("(e) => e.getBoundingClientRect().toJSON()")  # type: ignore[no-any-return]


def test_the_answers_stand_under_their_pair(opened: Open) -> None:
    page = opened(["semantic-similarity"])
    for width in (320, 900, 1280, 1800):
        resize(page, width, 800)
        pair, answers = box(page, ".pair"), box(page, ".choices")
        assert (pair["left"], pair["right"]) == pytest.approx((answers["left"], answers["right"]), abs=5), width


def test_the_meanings_of_keys_have_room_on_a_phone(opened: Open) -> None:
    page = opened(["helpfulness"])
    resize(page, 320)
    page.keyboard.press("h")
    widths = page.locator("[data-keys] section dl > div > *").evaluate_all(
        "(all) => all.slice(0, 2).map((e) => e.getBoundingClientRect().width)"
    )
    assert widths[0] * 4 < widths[1]
