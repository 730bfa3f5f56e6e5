"""Every page of the app, as everybody who may open it: axe finds nothing, nothing scrolls sideways, focus is seen."""

from collections.abc import Iterator

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from playwright.sync_api import Browser, ViewportSize
from sqlalchemy import update

from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Study
from app.web.access import declared_roles
from tests.dashboards.study import SLUG, make_analysed_study
from tests.prepared import prepare
from tests.security import world as worlds
from tests.web.page_checks import problems_of

pytestmark = pytest.mark.browser

# On these pages of researchers an admin sees more than they do.
ALSO_AS_ADMIN = ("/studies", "/studies/{slug}", "/runs")
LONG_TITLE = f"About {'Donaudampfschifffahrtsgesellschaft' * 3}"
READY = "() => [...document.querySelectorAll('[data-chart]')].every((chart) => chart.querySelector('svg.main-svg'))"
PHONE: ViewportSize = {"width": 320, "height": 640}
WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"


@pytest.fixture
def world(app: FastAPI, settings: Settings, database: Database, portal: BlockingPortal) -> worlds.World:
    """Everybody, an empty study, and a study with results."""
    prepare(database, "analysed", lambda: make_analysed_study(database, settings))
    world = worlds.build(app, database, portal)
    with database.write() as session:
        session.execute(update(Study).values(title=LONG_TITLE))
    return world


def addresses_of(world: worlds.World, principal: str) -> Iterator[str]:
    """Whatever answers this principal with a whole page."""
    client = world.client(principal)
    role = "anyone" if principal == "anonymous" else principal
    for route in declared_roles(world.app):
        is_theirs = route.role == role or (principal == "admin" and route.path in ALSO_AS_ADMIN)
        if "GET" not in route.methods or not is_theirs:
            continue
        address = world.address(route.path)
        if principal == "researcher":  # who looks at results, wants a study that has some
            address = address.replace("/here", f"/{SLUG}", 1)
        answer = client.get(address)
        if answer.status_code == 200 and "<!DOCTYPE" in answer.text[:100]:
            yield address
    yield from ("/no-such-page", *(("/studies/here",) if principal == "researcher" else ()))


# How many pages there are at least: a walk that finds none must not pass.
@pytest.mark.parametrize(
    ("principal", "least"), [("anonymous", 5), ("annotator", 6), ("researcher", 12), ("admin", 9)]
)
def test_nothing_is_wrong_with_any_page(
    world: worlds.World, browser: Browser, live_server: str, principal: str, least: int
) -> None:
    context = browser.new_context(reduced_motion="reduce")
    if principal in world.cookies:
        context.add_cookies([{"name": "codejury", "value": world.cookies[principal], "url": live_server}])
    page = context.new_page()
    page.add_init_script(WATCH)
    problems: dict[str, list[str]] = {}
    addresses = list(addresses_of(world, principal))
    for address in addresses:
        page.set_viewport_size(PHONE)
        page.goto(live_server + address)
        page.wait_for_function(READY)
        found = problems_of(page)
        found += [f"breaks the policy: {each}" for each in page.evaluate("window.violations ?? []")]
        if found:
            problems[address] = found
    context.close()
    assert len(addresses) >= least
    assert not problems, "\n".join(f"{address}: {each}" for address, found in problems.items() for each in found)


def test_the_checks_see_what_they_look_for(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(
        "<html><head><style>a { outline: none !important } b { transition: opacity 1s; display: block; width: 700px }"
        "p { color: #aaa }</style></head><body><a href='/'>link</a><b>wide</b><p>faint</p></body></html>"
    )
    found = "\n".join(problems_of(page))
    for wanted in (
        "html-has-lang (serious)",
        "color-contrast (serious)",
        "scrolls sideways at 320 px",
        "scrolls sideways at 200 % zoom",
        "moves although",
        "its focus is not seen: <a href",
    ):
        assert wanted in found
    page.close()
