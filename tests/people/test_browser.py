"""The admin's first quarter of an hour, in a real browser."""

import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn

from app.config import Settings
from app.main import create_app
from app.services import setup_links
from app.storage.engine import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"


@dataclass
class Site:
    """A running server."""

    address: str
    database: Database


@pytest.fixture
def site(database: Database, database_url: str, tmp_path: Path) -> Iterator[Site]:
    """The app behind a real server on a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        settings = Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=database_url, PORT=port)  # type: ignore[call-arg]
        server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield Site(f"http://127.0.0.1:{port}", database)
        server.should_exit = True
        thread.join()


def _no_violations(page: "Page") -> None:
    assert page.evaluate("window.violations ?? []") == []


def test_from_the_setup_link_to_an_invitation(site: Site, browser: "Browser") -> None:
    with site.database.write() as session:
        token = setup_links.first_admin_link(session)
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{site.address}/setup/{token}")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.get_by_role("button", name="Make the account").click()
    page.get_by_role("link", name="Begin an empty one").click()
    page.get_by_label("Title").fill("My first study")
    page.get_by_role("button", name="Make the study").click()
    assert page.url == f"{site.address}/studies/my-first-study/desk"
    page.get_by_label("Label").fill("Course A")
    page.get_by_label("People at most").fill("12")
    page.get_by_role("button", name="Make an invitation").click()
    link = page.locator("#new-link").inner_text()
    assert re.fullmatch(re.escape(site.address) + r"/join/[\w-]{43}", link)
    assert page.get_by_role("row", name=re.compile("Course A.*open.*0 of 12")).is_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("revoked").wait_for()
    _no_violations(page)
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{site.address}/people")
    assert page.url == f"{site.address}/sign-in?next=/people"
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="People").wait_for()
    assert page.url == f"{site.address}/people"
    page.close()


def test_without_scripts_it_works_the_same(site: Site, browser: "Browser") -> None:
    with site.database.write() as session:
        token = setup_links.first_admin_link(session)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.address}/setup/{token}")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{site.address}/people")
    page.get_by_role("button", name="Make a link").click()
    assert "/setup/" in page.locator("#new-link").inner_text()
    page.get_by_role("button", name="Revoke").click()
    assert page.get_by_text("still open").count() == 0
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_accessible_and_keeps_to_the_policy(site: Site, browser: "Browser", theme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    from tests.security import world as worlds

    world = worlds.build(create_app(Settings(DATABASE_URL="sqlite://"), site.database), site.database)  # type: ignore[call-arg]
    context = browser.new_context(color_scheme=theme, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    addresses = ["/", "/sign-in", world.address("/setup/{token}")]
    addresses += ["/studies", "/studies/new", "/people", "/account", "/studies/here/desk", "/no-such-page"]
    for number, address in enumerate(addresses):
        if number == 3:
            cookie = {"name": "codejury", "value": world.cookies["admin"], "url": site.address}
            context.add_cookies([cookie])
        page.goto(site.address + address)
        found = Axe().run(page).response["violations"]
        grave = [each["id"] for each in found if each["impact"] in ("serious", "critical")]
        assert grave == [], f"{address}: {grave}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{address} scrolls sideways"
        _no_violations(page)
    context.close()
