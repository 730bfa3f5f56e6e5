"""A round trip by way of a platform in a real Chromium: there, through every stage by keyboard, and back."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from sqlalchemy import select

from app.clock import utc_now
from app.services import setup_links
from app.services.study_options import Ending, Endings
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, Grade, Invitation, Item
from tests.way.helpers import FROM_PROLIFIC, add_check, invite, open_way
from tests.web.page_checks import problems_of

pytestmark = pytest.mark.browser


@dataclass
class Platform:
    """A little platform: a page with the study's link, and a page to come back to."""

    address: str = ""
    study: str = ""
    came_back: list[str] = field(default_factory=list)


@pytest.fixture
def platform() -> Iterator[Platform]:
    """The platform, served."""
    here = Platform()

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/complete"):
                here.came_back.append(self.path)
            body = f'<!doctype html><title>Platform</title><a href="{here.study}">Take part</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    # Another name than the app's, so that the two are different sites to the browser.
    here.address = f"http://localhost:{server.server_port}"
    yield here
    server.shutdown()
    thread.join()
    server.server_close()


def take_part(page: Page, platform: Platform, live_server: str, token: str) -> None:
    """From the platform into the study."""
    platform.study = f"{live_server}/join/{token}?" + "&".join(f"{k}={v}" for k, v in FROM_PROLIFIC.items())
    page.goto(platform.address)
    page.get_by_role("link", name="Take part").click()
    expect(page.get_by_role("heading", name="The way")).to_be_visible()


def press(page: Page, key: str) -> None:
    """Answer the item that shows, by key."""
    page.wait_for_selector("html[data-ready=grading]")
    page.wait_for_timeout(350)  # longer than what counts as a double press
    page.keyboard.press(key)


def enter(page: Page, name: str) -> None:
    """Press a button or follow a link by keyboard."""
    target = page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first
    target.focus()
    page.keyboard.press("Enter")


def check(page: Page, heading: str) -> None:
    """Nothing is wrong with the page that comes."""
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    assert problems_of(page) == [], page.url
    page.set_viewport_size({"width": 1100, "height": 800})


def test_there_and_back_by_keyboard(
    browser: Browser, live_server: str, database: Database, platform: Platform
) -> None:
    back = f"{platform.address}/complete?cc={{code}}"
    with database.write() as session:
        done, failed = Ending(code="DONE1", address=back), Ending(code="FAIL1", address=back)
        endings = Endings(done=done, failed=failed).model_dump()
        study = open_way(session, endings=endings, practice={"pass_mark": 1.0})
        add_check(session, study, "practice", 1, 3)
    page = browser.new_context(reduced_motion="reduce").new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    take_part(page, platform, live_server, invite(database, "prolific"))
    enter(page, "Start")
    check(page, "Before you take part")
    enter(page, "I agree")
    check(page, "About you")
    page.get_by_label("Years of experience?").fill("7")
    page.keyboard.press("Enter")
    enter(page, "Start the practice")
    press(page, "0")
    expect(page.get_by_role("heading", name="Not right")).to_be_focused()
    check(page, "Not right")
    page.keyboard.press("Enter")
    check(page, "Practice: not yet")
    page.keyboard.press("Enter")
    press(page, "3")
    expect(page.get_by_text("You passed the practice.")).to_be_visible()
    enter(page, "Start grading")
    for key in "412":
        press(page, key)
    page.wait_for_url("**/way/closing")
    check(page, "Before you go")
    enter(page, "Finish")
    expect(page.locator("#completion-code")).to_have_text("DONE1")
    check(page, "Your completion code")
    with database.read() as session:
        assert session.scalars(select(Annotator.stage)).one() == "done", "stored before the code is shown"
        values = select(Grade.value).join(Item).where(Item.role == "main").order_by(Grade.id)
        assert session.scalars(values).all() == [4, 1, 2]
    enter(page, "Back to where you came from")
    expect(page).to_have_title("Platform")
    assert platform.came_back == ["/complete?cc=DONE1"]
    page.context.close()
    assert failures == []


def test_without_scripts_a_failed_practice_leads_back_with_its_own_code(
    browser: Browser, live_server: str, database: Database, platform: Platform
) -> None:
    back = f"{platform.address}/complete?cc={{code}}"
    with database.write() as session:
        endings = Endings(done=Ending(code="DONE1"), failed=Ending(code="FAIL1", address=back)).model_dump()
        study = open_way(session, forms=False, endings=endings, practice={"tries": 1})
        add_check(session, study, "practice", 1, 3)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    take_part(page, platform, live_server, invite(database, "prolific"))
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Start the practice").click()
    page.get_by_role("button", name="0").click()
    expect(page.get_by_role("heading", name="Not right")).to_be_visible()
    page.get_by_role("link", name="Go on").click()
    expect(page.locator("#completion-code")).to_have_text("FAIL1")
    page.get_by_role("link", name="Back to where you came from").click()
    assert platform.came_back == ["/complete?cc=FAIL1"]
    context.close()


def test_a_late_reply_does_not_lead_past_what_is_told(browser: Browser, live_server: str, database: Database) -> None:
    with database.write() as session:
        add_check(session, open_way(session, forms=False), "practice", 1, 3)
    page = browser.new_page()
    page.goto(f"{live_server}/join/{invite(database)}")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Start the practice").click()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    for address in ("**/grade/next", "**/way/told/*"):
        page.route(address, hold)
    press(page, "0")
    while len(held) < 2:
        page.wait_for_timeout(50)
    asked, told = sorted(held, key=lambda route: "told" in route.request.url)
    asked.continue_()  # nothing is left to practise with
    page.wait_for_timeout(500)
    told.continue_()
    expect(page.get_by_role("heading", name="Not right")).to_be_visible()
    page.close()


def test_a_break_counts_down_and_leads_on_by_itself(browser: Browser, live_server: str, database: Database) -> None:
    limits = {"pause_after": 1, "pause": 2}
    with database.write() as session:
        open_way(session, forms=False, problems=5, limits=limits)
    page = browser.new_page()
    page.goto(f"{live_server}/join/{invite(database)}")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Start grading").click()
    for key in "12":
        press(page, key)
    expect(page.locator("[data-saved]")).to_have_text("saved ✓")
    work(database, seconds_ago=(200, 117))  # three seconds are left
    page.goto(f"{live_server}/grade")
    expect(page).to_have_url(f"{live_server}/way/break")
    expect(page.locator("[data-countdown]")).to_contain_text("left")
    assert problems_of(page) == []
    expect(page).to_have_url(f"{live_server}/grade", timeout=15_000)


def work(database: Database, *, seconds_ago: Sequence[float]) -> None:
    """The answers were given so long ago, the earliest first."""
    with database.write() as session:
        answered = session.scalars(
            select(Assignment).where(Assignment.finished_at.is_not(None)).order_by(Assignment.position)
        )
        for assignment, seconds in zip(answered, seconds_ago, strict=True):
            assignment.finished_at = utc_now() - timedelta(seconds=seconds)


def test_times_of_a_link_are_typed_in_the_reader_s_zone(
    browser: Browser, live_server: str, database: Database
) -> None:
    with database.write() as session:
        open_way(session, forms=False)
        token = setup_links.first_admin_link(session)
    context = browser.new_context(base_url=live_server, timezone_id="America/New_York")
    page = context.new_page()
    page.goto(f"/setup/{token}")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("purple monkey dishwasher")
    page.get_by_role("button", name="Make the account").click()
    page.goto("/studies/the-way/way/invitations")
    page.get_by_label("Opens (America/New_York)").fill("2099-07-01T09:00")
    page.get_by_label("Ends (America/New_York)").fill("2099-01-01T09:00")
    page.get_by_role("button", name="Make an invitation").click()
    expect(page.get_by_text("The link would end before it opens.")).to_be_visible()
    expect(page.get_by_label("Opens (America/New_York)")).to_have_value("2099-07-01T09:00")
    page.get_by_label("Ends (America/New_York)").fill("2100-01-01T09:00")
    page.get_by_role("button", name="Make an invitation").click()
    page.locator("#new-link").wait_for()
    with database.read() as session:
        made = session.scalars(select(Invitation).order_by(Invitation.id.desc())).first()
        assert made is not None
        times = [f"{each:%Y-%m-%d %H:%M}" for each in (made.opens_at, made.expires_at) if each]
    assert times == ["2099-07-01 13:00", "2100-01-01 14:00"], "each by its own offset"
    context.close()
