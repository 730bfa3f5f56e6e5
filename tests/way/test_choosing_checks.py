"""Checks made of stored items by an admin without a script and without a mouse."""

from collections.abc import Iterator

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import func, select

from app.services.studies import find_study
from app.services.way import check_editing
from app.storage.engine import Database
from app.storage.models import Item
from tests.grading.every_kind import WITH_LABELS, make_kind_study
from tests.security.world import build
from tests.web.page_checks import problems_of

pytestmark = pytest.mark.browser

CHECKS = "/studies/which-code-helps/way/checks"


@pytest.fixture
def page(
    browser: Browser, app: FastAPI, database: Database, portal: BlockingPortal, live_server: str
) -> Iterator[Page]:
    """The page of an admin whose browser runs no scripts, of a study with three instruments."""
    with database.write() as session:
        make_kind_study(session, ["helpfulness", "code-summary", WITH_LABELS.name], items=4)
    cookie = build(app, database, portal).cookies["admin"]
    context = browser.new_context(base_url=live_server, java_script_enabled=False)
    context.add_cookies([{"name": "codejury", "value": cookie, "url": live_server}])
    page = context.new_page()
    page.goto(CHECKS)
    yield page
    context.close()


def made(database: Database) -> list[tuple[str, str, dict[str, object]]]:
    """Role, text and right answers of each check."""
    with database.read() as session:
        study = find_study(session, "which-code-helps")
        mine = select(Item).where(Item.study_id == study.id, Item.role.in_(check_editing.ROLES))
        items = session.scalars(mine.order_by(Item.id))
        return [(item.role, item.text, (item.expected or {})["answers"]) for item in items]


def tick(page: Page, name: str) -> None:
    box = page.get_by_role("checkbox", name=name, exact=True)
    box.focus()
    page.keyboard.press("Space")
    expect(box).to_be_checked()


def test_all_items_are_listed_and_found_by_words(page: Page, database: Database) -> None:
    uses = page.get_by_role("link", name="Use this item")
    expect(uses).to_have_count(12)
    page.get_by_label("Words of a problem or an output").fill("larger than 3.")
    page.keyboard.press("Enter")
    expect(uses).to_have_count(1)
    expect(page.locator("#find + form + ul")).to_contain_text("Code summaries")
    uses.focus()
    page.keyboard.press("Enter")
    page.get_by_label("From", exact=True).fill("80")
    page.get_by_label("To", exact=True).fill("100")
    group = page.get_by_role("group", name="Is it well written?")
    group.get_by_role("checkbox", name="4").check()
    group.get_by_role("checkbox", name="5").check()
    page.get_by_role("combobox", name="Use it as").select_option("silent")
    page.get_by_role("button", name="Add it").press("Enter")
    expect(page.locator("tbody tr", has_text="Merge two dicts")).to_contain_text("80 to 100")
    right = {"direct-assessment": {"least": 80, "most": 100}, "fluency": [4, 5]}
    assert made(database) == [("silent", "Adds up the values that are larger than 3.", right)]


def test_labels_are_ticked_and_what_is_wrong_keeps_the_ticks(page: Page, database: Database) -> None:
    page.get_by_label("Words of a problem or an output").fill("key-1")
    page.keyboard.press("Enter")
    page.get_by_role("listitem").filter(has_text="Helpful, and why").get_by_role("link").press("Enter")
    page.wait_for_url("**/of/*")
    address = page.url
    page.get_by_role("button", name="Add it").press("Enter")
    expect(page.locator(".message.error")).to_contain_text("No right answer is given.")
    tick(page, "Wrong result")
    tick(page, "Incomplete")
    page.get_by_role("button", name="Add it").press("Enter")
    assert [answers for _, _, answers in made(database)] == [{"labels": ["wrong-result", "incomplete"]}]
    page.goto(f"{CHECKS}?q=key-1")
    expect(page.get_by_role("listitem").filter(has_text="Helpful, and why")).to_have_count(0)  # what is in use
    page.goto(address)
    tick(page, "Needless code")
    page.get_by_role("button", name="Add it").press("Enter")
    expect(page.locator(".message.error")).to_contain_text("This is one already.")
    expect(page.get_by_role("checkbox", name="Needless code")).to_be_checked()


def test_many_items_come_page_by_page(page: Page, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_editing, "FOUND", 5)
    page.goto(CHECKS)
    uses = page.get_by_role("link", name="Use this item")
    seen: list[str | None] = []
    while True:
        seen += [each.get_attribute("href") for each in uses.all()]
        more = page.get_by_role("link", name="More items")
        if not more.count():
            break
        more.press("Enter")
    with database.read() as session:
        study = find_study(session, "which-code-helps")
        there = session.scalar(select(func.count(Item.id)).where(Item.study_id == study.id))
    assert len(set(seen)) == len(seen) == there
    page.get_by_role("link", name="First items").press("Enter")
    expect(uses).to_have_count(5)


def test_nothing_is_wrong_with_the_form(page: Page, browser: Browser, live_server: str) -> None:
    page.get_by_role("link", name="Use this item").nth(1).press("Enter")
    context = browser.new_context(base_url=live_server, viewport={"width": 320, "height": 640})
    context.add_cookies([{"name": "codejury", "value": page.context.cookies()[0]["value"], "url": live_server}])
    with_scripts = context.new_page()
    with_scripts.goto(page.url)
    assert problems_of(with_scripts) == []
    context.close()
