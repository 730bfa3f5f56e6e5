"""Whatever people wrote, on every page, as everybody who may see it: text stays text."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from playwright.sync_api import Browser, Dialog

from app.config import Settings
from app.storage.engine import Database
from app.web.access import declared_roles
from tests.dashboards.study import SLUG, analyse, make_graded_study
from tests.security import world as worlds
from tests.security.authorisation import EXPECTED
from tests.security.hostile import COMPUTED, MARK, poison
from tests.security.test_authorisation import _is_allowed
from tests.security.world import PRINCIPALS, World

NEVER = {"iframe", "base", "object", "embed", "style", "svg:script"}
# Attributes that hold text, shown or said; others are ours alone.
TEXTUAL = {"value", "title", "label", "alt", "aria-label", "aria-description", "placeholder", "content", "datetime"}
WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"


@pytest.fixture
def world(app: FastAPI, settings: Settings, database: Database, portal: BlockingPortal) -> World:
    """Everybody, two studies, and an analysed one, in which people wrote nothing but hostile texts."""
    make_graded_study(database)
    world = worlds.build(app, database, portal)
    with database.write() as session:
        poisoned = poison(session)
        worlds.give_sign_of_life(session)  # since a worker with words of its own has trouble
    assert {"studies.title", "systems.name", "problems.intent", "outputs.text", "questions.scale"} <= set(poisoned)
    analyse(database, settings)
    return world


def _addresses(world: World, principal: str) -> Iterator[str]:
    for route in declared_roles(world.app):
        if "GET" in route.methods and _is_allowed(EXPECTED[f"GET {route.path}"].role, principal):
            address = world.address(route.path)
            yield address
            if route.path.endswith("/preview/{stage}"):
                yield from (
                    address.replace("/grading", f"/{stage}") for stage in ("consent", "profile", "instructions")
                )
            if "/studies/here" in address:
                yield address.replace("/studies/here", f"/studies/{SLUG}", 1)


class Page(HTMLParser):
    """What a page is made of, and what of it should not be there."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.text = ""
        self._is_script = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        self._is_script = tag == "script"
        if tag in NEVER or (tag == "script" and not ("src" in about or about.get("type") == "application/json")):
            self.wrong.append(f"<{tag}>")
        if tag == "meta" and "http-equiv" in about:
            self.wrong.append("<meta http-equiv>")
        for name, value in attrs:
            if name.startswith(("on", "style")) or MARK in name:
                self.wrong.append(f"<{tag} {name}>")
            elif name in ("href", "src", "action", "formaction", "hx-get", "hx-post"):
                if re.match(r"\s*(?:javascript|data|vbscript):|//|https?:", value or "", re.IGNORECASE):
                    self.wrong.append(f"<{tag} {name}={value}>")
            elif MARK in (value or "") and name not in TEXTUAL and not name.startswith("data-"):
                self.wrong.append(f"<{tag} {name}={value}>")

    def handle_data(self, data: str) -> None:
        self.text += "" if self._is_script else data

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_comment(self, data: str) -> None:
        if MARK in data:
            self.wrong.append("a comment")


# How many pages show some of it at least: a walk that finds none must not pass.
LEAST = {"anonymous": 1, "annotator": 4, "annotator_elsewhere": 1, "researcher": 15, "admin": 30}


@pytest.mark.sqlite_is_enough
def test_hostile_text_is_shown_as_text(world: World) -> None:
    found = {principal: _walk(world, principal) for principal in PRINCIPALS}
    assert {principal: wrong for principal, (wrong, _) in found.items() if wrong} == {}
    for principal, (_, shown) in found.items():
        assert len(shown) >= LEAST[principal], (principal, sorted(shown))


def _walk(world: World, principal: str) -> tuple[dict[str, list[str]], set[str]]:
    """What is wrong with which page, and the pages that show some of the texts."""
    client = world.client(principal)
    wrong: dict[str, list[str]] = {}
    shown = set()
    for address in _addresses(world, principal):
        answer = client.get(address)
        assert answer.status_code < 500, (address, answer.text)
        if not answer.headers.get("content-type", "").startswith("text/html"):
            assert answer.headers["x-content-type-options"] == "nosniff"
            continue
        page = Page(answer.text)
        if MARK in page.text:
            shown.add(address)
        found = page.wrong + ([f"computes {COMPUTED}"] if COMPUTED in page.text else [])
        if found:
            wrong[address] = found
    return wrong, shown


def test_the_search_finds_what_it_looks_for() -> None:
    for html in (
        f"<script>{MARK}=1</script>",
        f"<img src=x onerror={MARK}=1>",
        f"<i id={MARK}>",
        f"<p class='{MARK}'>",
        '<base href="https://evil.example">',
        '<meta http-equiv="refresh" content="0">',
        '<a href=" JavaScript:x">',
        '<a href="//evil.example">',
        "<style>p {}</style>",
        f"<!-- {MARK} -->",
        "<p style='x'>",
    ):
        assert Page(html).wrong, html
    assert Page(f'<p title="{MARK}"><a href="/x">{MARK}</a>').wrong == []


@pytest.mark.browser
@pytest.mark.parametrize("principal", PRINCIPALS)
def test_a_browser_shows_it_as_text(world: World, browser: Browser, live_server: str, principal: str) -> None:
    """No dialog, no breach of the policy, no request to elsewhere, and nothing that ran."""
    context = browser.new_context()
    if principal in world.cookies:
        context.add_cookies([{"name": "codejury", "value": world.cookies[principal], "url": live_server}])
    page = context.new_page()
    page.add_init_script(WATCH)
    heard: list[str] = []

    def note(dialog: Dialog) -> None:
        heard.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    page.on("request", lambda request: heard.append(request.url) if not _is_ours(request.url, live_server) else None)
    wrong: dict[str, object] = {}
    client = world.client(principal)
    for address in list(_addresses(world, principal)):
        if not client.get(address).headers.get("content-type", "").startswith("text/html"):
            continue
        page.goto(live_server + address)
        ran = page.evaluate(f"window.{MARK}")
        violations = page.evaluate("window.violations ?? []")
        if ran is not None or violations or heard:
            wrong[address] = (ran, violations, list(heard))
            heard.clear()
    context.close()
    assert wrong == {}


def _is_ours(url: str, server: str) -> bool:
    return url.startswith((server, "data:", "blob:", "about:"))
