"""What must have room on every window, in a real Chromium."""

import pytest
from playwright.sync_api import Page

from tests.grading.browsing import Open

pytestmark = pytest.mark.browser


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
