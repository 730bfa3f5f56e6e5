"""The grading page when something fails: the connection, the sign-in, a closed tab, two tabs."""

import re

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import select, update

from app.clock import utc_now
from app.services import invitation_links
from app.storage.engine import Database
from app.storage.models import Assignment, GradeEvent, SignIn
from tests.grading.browsing import PAUSE, event_count, grades, item_id, press, press_last, saved

pytestmark = pytest.mark.browser


@pytest.mark.fault("F08")
def test_without_a_connection_answers_wait_and_are_stored_once(page: Page, database: Database) -> None:
    page.context.set_offline(True)
    press(page, "3")
    expect(page.locator("[data-saved]")).to_have_text("offline · 1 waiting")
    press_last(page, "1")
    expect(page.locator("[data-saved]")).to_have_text("offline · 2 waiting")
    assert grades(database) == []
    page.context.set_offline(False)
    saved(page)
    assert grades(database) == [3, 1]
    assert event_count(database) == 2
    expect(page.locator("[data-stage] .item pre.code")).to_be_visible()


@pytest.mark.fault("F08")
def test_a_lost_reply_does_not_count_twice(page: Page, database: Database) -> None:
    lost: list[bool] = []

    def lose_first_reply(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(True)
        route.fetch()
        route.abort()

    page.route(re.compile("/answer$"), lose_first_reply)
    press(page, "3")
    saved(page)
    assert lost
    assert grades(database) == [3]
    assert event_count(database) == 1


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 200, "content_type": "text/html", "body": "<h1>Hotel Wi-Fi</h1>"},
        {"status": 200, "content_type": "application/json", "body": '{"stored": "another"}'},
        {"status": 403, "content_type": "text/html", "body": "proxy"},
        {"status": 503, "content_type": "application/problem+json", "body": '{"status": 503}'},
    ],
)
def test_only_our_own_word_counts_as_saved(page: Page, database: Database, reply: dict[str, object]) -> None:
    answered: list[bool] = []

    def pretend_once(route: Route) -> None:
        if answered:
            route.continue_()
        else:
            answered.append(True)
            route.fulfill(**reply)  # type: ignore[arg-type]

    page.route(re.compile("/answer$"), pretend_once)
    press(page, "2")
    expect(page.locator("[data-saved]")).to_have_text("offline · 1 waiting")
    saved(page)
    assert grades(database) == [2]


def test_a_closed_tab_keeps_its_answer_and_sends_it_later(page: Page, database: Database) -> None:
    first = item_id(page)
    page.route(re.compile("/answer$"), lambda route: route.abort())
    second = press(page, "4")
    expect(page.locator("[data-saved]")).to_have_text("offline · 1 waiting")
    context = page.context
    page.close()
    assert grades(database) == []
    again = context.new_page()
    again.goto("/grade")
    again.wait_for_selector("html[data-ready=grading]")
    saved(again)
    assert grades(database) == [4]
    assert item_id(again) == second
    assert first != second


def second_tab(page: Page) -> Page:
    other = page.context.new_page()
    other.goto("/grade")
    other.wait_for_selector("html[data-ready=grading]")
    return other


@pytest.mark.fault("F04")
def test_two_tabs_without_a_connection_send_each_answer_once(page: Page, database: Database) -> None:
    other = second_tab(page)
    page.context.set_offline(True)
    press(page, "3")
    press(other, "1")  # the same item, answered here without having seen the answer of the other tab
    expect(page.locator("[data-saved]")).to_contain_text("offline · 1 waiting")
    page.context.set_offline(False)
    for tab in (page, other):  # what was refused waits for a reader in this browser, whichever tab they look at
        expect(tab.locator("[data-trouble]")).to_contain_text("Your answer 3 (Small change) stands")
    assert grades(database) == [3]
    assert event_count(database) == 1
    other.locator("[data-trouble-item]").click()
    expect(other.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")


@pytest.mark.fault("F04")
def test_an_answer_given_in_one_tab_shows_in_the_other(page: Page, database: Database) -> None:
    other = second_tab(page)
    first = item_id(page)
    assert item_id(other) == first
    second = press(page, "3")
    saved(page)
    expect(other.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")
    expect(other.locator("#live-region")).to_contain_text("in another tab")
    assert press(other, "4") == second, "it can be changed knowingly"
    expect(page.locator("[data-stage] .item")).to_have_attribute("data-id", second)
    saved(other)
    assert grades(database) == [4]
    for tab, key in ((page, "1"), (other, "2"), (page, "3"), (other, "0")):
        tab.wait_for_timeout(PAUSE)
        tab.keyboard.press(key)
        saved(tab)
    expect(page.locator("[data-trouble]")).to_be_hidden()
    assert grades(database) == [4, 2, 0], "what one tab answered, the other changed"


def end_sign_in(database: Database) -> str:
    """The person's sign-in ends on the server; a personal link for coming back."""
    with database.write() as session:
        person = session.scalars(select(Assignment.annotator_id)).first()
        assert person is not None
        session.execute(update(SignIn).where(SignIn.annotator_id == person).values(ended_at=utc_now()))
        return invitation_links.mint_personal_link(session, person)


def test_a_lost_sign_in_is_renewed_in_place(page: Page, live_server: str, database: Database) -> None:
    link = end_sign_in(database)
    here = press(page, "2")
    dialog = page.locator("[data-renewing]")
    expect(dialog).to_be_visible()
    assert grades(database) == []
    page.get_by_label("Your personal link").fill("https://example.org/")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("has /me/ in it")
    page.get_by_label("Your personal link").fill(f"{live_server}/me/{'x' * 43}")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("does not exist")
    page.get_by_label("Your personal link").fill(f"{live_server}/me/{link}")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    saved(page)
    assert item_id(page) == here, "the item stays"
    assert grades(database) == [2]
    press(page, "4")
    saved(page)
    assert grades(database) == [2, 4]


def test_a_lost_sign_in_can_wait_and_is_renewed_by_another_tab(page: Page, database: Database) -> None:
    link = end_sign_in(database)
    press(page, "2")
    page.get_by_role("button", name="Later").click()
    expect(page.locator("[data-trouble]")).to_contain_text("kept here")
    press_last(page, "3")
    expect(page.locator("[data-saved]")).to_have_text("signed out · 2 waiting")
    other = page.context.new_page()
    other.goto(f"/me/{link}")
    other.get_by_role("button", name="Go on grading").click()
    saved(other)
    saved(page)
    expect(page.locator("[data-trouble]")).to_be_hidden()
    expect(page.locator("[data-stage] .item pre.code")).to_be_visible()
    assert grades(database) == [2, 3]


def test_an_answer_that_an_earlier_version_left_behind_is_sent(page: Page, database: Database) -> None:
    waiting = {
        "owner": page.locator("body").get_attribute("data-owner"),
        "item": item_id(page),
        "answer": {
            "submission_id": "0123456789abcdef",
            "revision": 0,
            "active_ms": 4321,
            "kind": "grade",
            "value": 2,
            "note": "",
            "by": "key",
        },
    }
    page.evaluate(
        """entry => new Promise((resolve, reject) => {
            const opening = indexedDB.open("codejury-answers", 1);
            opening.onsuccess = () => {
                const transaction = opening.result.transaction("waiting", "readwrite");
                transaction.objectStore("waiting").add(entry);
                transaction.oncomplete = resolve;
                transaction.onabort = reject;
            };
        })""",
        waiting,
    )
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    saved(page)
    assert grades(database) == [2]
    assert item_id(page) != waiting["item"], "it isn't asked again"
    with database.read() as session:
        [details] = session.scalars(select(GradeEvent.details))
    assert details is not None
    assert details["active_ms"] == 4321
