"""The desk in a real browser: it moves by itself, and what is measured appears in place."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from app.services import assignments
from tests.desk.conftest import DESK, Desk
from tests.grading.helpers import answer

pytestmark = pytest.mark.browser

WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"


@pytest.fixture
def page(desk: Desk, browser: Browser, live_server: str) -> Iterator[Page]:
    """The admin's page; a failure of a script or a breach of the policy fails the test."""
    context = browser.new_context(base_url=live_server, viewport={"width": 1200, "height": 900})
    token = next(iter(desk.client.cookies.values()))
    context.add_cookies([{"name": "codejury", "value": token, "url": live_server}])
    page = context.new_page()
    page.add_init_script(WATCH)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    yield page
    assert page.evaluate("window.violations ?? []") == []
    context.close()
    assert failures == []


def check_access(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_what_goes_on_appears_without_a_reload(desk: Desk, page: Page) -> None:
    page.goto(DESK)
    expect(page.locator("#live")).to_contain_text("12 of 16 grades are in (75 %).")
    check_access(page)
    page.evaluate("window.isTheSamePage = true")
    link = page.get_by_role("link", name="A04")
    link.focus()
    with desk.database.write() as session:
        answer(session, assignments.upcoming(session, desk.people[3])[0], 2)
    expect(page.locator("#live")).to_contain_text("13 of 16 grades are in (81 %).", timeout=20_000)
    expect(page.get_by_role("row", name="A04")).to_contain_text("here")
    assert page.evaluate("window.isTheSamePage") is True
    expect(link).to_be_focused()


def test_what_is_measured_appears_in_place(desk: Desk, page: Page) -> None:
    page.goto(f"{DESK}/annotators")
    page.get_by_role("button", name="Measure the annotators").click()
    page.evaluate("window.isTheSamePage = true")
    desk.do_runs()
    table = page.locator("table.many")
    expect(table.get_by_role("link", name="A03")).to_be_visible(timeout=20_000)
    assert page.evaluate("window.isTheSamePage") is True
    check_access(page)
    page.reload()
    page.get_by_role("button", name="Entropy").press("Enter")
    expect(page.locator(".tip")).to_contain_text("bits")
    expect(table.locator("tbody tr").last).to_contain_text("A03")  # always the same answer: no bits at all
    page.get_by_role("link", name="A03").first.click()
    page.get_by_role("button", name="See what that changes").click()
    page.get_by_label("Reason").fill("Pressed 4 all the time")  # while it is measured
    desk.do_runs()
    expect(page.get_by_text("Krippendorff").first).to_be_visible(timeout=20_000)
    check_access(page)
    page.get_by_role("button", name="Exclude A03").click()
    expect(page.get_by_text("these grades count in no result")).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 700})
    for path in (
        "",
        "/annotators",
        f"/annotators/{desk.people[2]}",
        "/items?show=apart",
        "/settings",
        "/pay",
        "/log",
    ):
        page.goto(DESK + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} scrolls sideways"
        for current in page.locator(".tabs [aria-current]").all():
            expect(current).to_be_in_viewport(ratio=0.9)
        cut_off = "table.stack, .table-wrap.long:has(table.stack)"
        assert page.locator(cut_off).evaluate_all(
            "all => all.every(e => e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1)"
        ), f"{path} scrolls inside a box"
        check_access(page)
