"""An answer that is refused, in a real Chromium: it is told with its item, and nowhere else once that was seen."""

import pytest
from playwright.sync_api import Browser, expect

from app.storage.engine import Database
from tests.way.helpers import add_check, invite, open_way

pytestmark = pytest.mark.browser


def test_a_refusal_stays_with_its_item(browser: Browser, live_server: str, database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=9, checks={"loud_every": 5})
        add_check(session, study, "loud", 1, right=3)
    context = browser.new_context(base_url=live_server)
    page = context.new_page()
    page.goto(f"/join/{invite(database)}")
    page.get_by_role("button", name="Start").click()
    page.goto("/grade")
    while "/way/told/" not in page.url:
        page.wait_for_selector("html[data-ready=grading]")
        page.wait_for_timeout(500)
        if "/way/told/" not in page.url:
            page.keyboard.press("1")
            page.wait_for_timeout(500)
    item = page.url.rpartition("/")[2].partition("?")[0]

    page.goto(f"/grade/{item}?from=answers")
    page.wait_for_selector("html[data-ready=grading]")
    page.keyboard.press("4")
    trouble = page.locator("[data-trouble]")
    expect(trouble).to_contain_text("stands as it is")
    expect(page.locator("[data-key='1']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-key='4'][aria-pressed]")).to_have_count(0)
    page.reload()
    expect(trouble).to_contain_text("stands as it is")
    page.goto("/grade/answers")
    page.wait_for_selector("html[data-ready=grading]")
    expect(trouble).to_be_hidden()
    page.goto("/grade")
    page.wait_for_selector("html[data-ready=grading]")
    expect(trouble).to_be_hidden()
    expect(page.locator(".side-actions [data-saved]")).to_be_empty()
    context.close()
