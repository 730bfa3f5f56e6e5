"""The admin's first quarter of an hour, in a real browser."""

import re
from typing import TYPE_CHECKING

import pytest

from app.services import setup_links
from app.storage.engine import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"


def _no_violations(page: "Page") -> None:
    assert page.evaluate("window.violations ?? []") == []


def test_from_the_setup_link_to_an_invitation(live_server: str, database: Database, browser: "Browser") -> None:
    with database.write() as session:
        token = setup_links.first_admin_link(session)
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{live_server}/setup/{token}")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.get_by_role("button", name="Make the account").click()
    page.get_by_role("link", name="Begin an empty one").click()
    page.get_by_label("Title").fill("My first study")
    page.get_by_role("button", name="Make the study").click()
    assert page.url == f"{live_server}/studies/my-first-study/desk"
    page.get_by_role("link", name="Invite annotators").click()
    page.get_by_label("Label").fill("Course A")
    page.get_by_label("People at most").fill("12")
    page.get_by_role("button", name="Make an invitation").click()
    link = page.locator("#new-link").inner_text()
    assert re.fullmatch(re.escape(live_server) + r"/join/[\w-]{43}", link)
    assert page.get_by_role("row", name=re.compile("Course A.*open.*0 of 12")).is_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("revoked").wait_for()
    _no_violations(page)
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{live_server}/people")
    assert page.url == f"{live_server}/sign-in?next=/people"
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="People").wait_for()
    assert page.url == f"{live_server}/people"
    page.close()


def test_without_scripts_it_works_the_same(live_server: str, database: Database, browser: "Browser") -> None:
    with database.write() as session:
        token = setup_links.first_admin_link(session)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server}/setup/{token}")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{live_server}/people")
    page.get_by_role("button", name="Make a link").click()
    assert "/setup/" in page.locator("#new-link").inner_text()
    page.get_by_role("button", name="Revoke").click()
    assert page.get_by_text("still open").count() == 0
    context.close()
