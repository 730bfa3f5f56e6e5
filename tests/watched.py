"""A signed-in page in a real Chromium that is watched: whatever the browser complains of is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page

from app.storage.engine import Database
from tests.dashboards.study import sign_in
from tests.web.test_every_page import READY, WATCH


@dataclass
class Desk:
    """A page at a running app, and all that the browser complained of. ``start``: what each path begins with."""

    page: Page
    url: str
    start: str = ""
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Go there, and wait for the figures."""
        self.page.goto(f"{self.url}{self.start}{path}")
        self.ready()

    def ready(self) -> None:
        """Wait until all figures are drawn."""
        self.page.wait_for_function(READY)


@contextmanager
def watched(browser: Browser, client: TestClient, database: Database, url: str, role: str) -> Iterator[Desk]:
    """Somebody of that role, signed in."""
    token = sign_in(client, database, role)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    found = Desk(context.new_page(), url)
    context.add_cookies([{"name": "codejury", "value": token, "url": url}])
    found.page.add_init_script(WATCH)
    found.page.on("console", lambda each: found.complaints.append(each.text) if each.type == "error" else None)
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    yield found
    context.close()
