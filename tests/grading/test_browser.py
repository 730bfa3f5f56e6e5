"""The grading page in a real Chromium: by keyboard, with a failing connection, with a closed tab."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from sqlalchemy import func, select, update

from app.clock import utc_now
from app.services import invitation_links
from app.storage.engine import Database
from app.storage.models import Assignment, Grade, GradeEvent, SignIn

pytestmark = pytest.mark.browser

PAUSE = 350  # longer than what counts as a double press


def item_id(page: Page) -> str:
    return page.locator("[data-stage] .item").get_attribute("data-id") or ""


def press(page: Page, key: str) -> str:
    """Press and wait until another item shows; its id."""
    before = item_id(page)
    page.wait_for_timeout(PAUSE)
    page.keyboard.press(key)
    expect(page.locator("[data-stage] .item")).not_to_have_attribute("data-id", before)
    return item_id(page)


def saved(page: Page) -> None:
    expect(page.locator("[data-saved]")).to_have_text("saved ✓")


def grades(database: Database) -> list[float]:
    """Current grades in the order of the items."""
    statement = (
        select(Grade.value)
        .join(Assignment, (Assignment.item_id == Grade.item_id) & (Assignment.annotator_id == Grade.annotator_id))
        .order_by(Assignment.position)
    )
    with database.read() as session:
        return list(session.scalars(statement))


def event_count(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(GradeEvent)) or 0


def test_three_items_by_keyboard(page: Page, database: Database) -> None:
    for key in "304":
        press(page, key)
    saved(page)
    assert grades(database) == [3, 0, 4]
    expect(page.locator("[data-progress]")).to_contain_text("mine 3 · item 4 of 9 to go · study ")


def test_the_next_item_is_there_before_the_server_answers(page: Page, database: Database) -> None:
    held: list[Route] = []
    page.route(re.compile("/answer$"), lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it is given
    press(page, "2")
    mark_text = page.locator("[data-saved]")
    expect(mark_text).to_have_text("saving…")
    assert grades(database) == []
    held[0].continue_()
    expect(mark_text).to_have_text("saved ✓")
    assert grades(database) == [2]


def test_back_shows_the_earlier_answer_and_changes_it(page: Page, database: Database) -> None:
    first = item_id(page)
    second = press(page, "1")
    assert press(page, "Backspace") == first
    expect(page.locator("[data-key='1']")).to_have_attribute("aria-pressed", "true")
    assert press(page, "4") == second
    expect(page.locator("[data-key][aria-pressed]")).to_have_count(0)
    saved(page)
    assert press(page, "Control+z") == first
    saved(page)
    assert grades(database) == [4]


def test_back_works_after_a_reload(page: Page) -> None:
    first = item_id(page)
    press(page, "2")
    saved(page)
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    assert press(page, "Backspace") == first
    expect(page.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")


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


def press_last(page: Page, key: str) -> None:
    """Press when no further item is there: a placeholder shows."""
    page.wait_for_timeout(PAUSE)
    page.keyboard.press(key)
    expect(page.locator("[data-stage] .waiting")).to_be_visible()


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


def test_a_held_key_and_a_double_press_are_one_grade(page: Page, database: Database) -> None:
    page.keyboard.down("3")
    for _ in range(10):
        page.keyboard.down("3")  # what a held key sends: repeats
    page.keyboard.up("3")
    page.wait_for_timeout(PAUSE)
    expect(page.locator("[data-hint]")).to_be_hidden()
    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(page.locator("[data-hint]")).to_be_visible()
    expect(page.locator("#live-region")).to_contain_text("counted once")
    page.wait_for_timeout(PAUSE)
    page.locator("[data-key='4']").dblclick()
    saved(page)
    page.wait_for_timeout(PAUSE)
    assert grades(database) == [3, 1, 4]


def test_enter_held_on_an_answer_is_one_grade(page: Page, database: Database) -> None:
    page.locator("[data-key='2']").focus()
    for _ in range(8):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    saved(page)
    page.wait_for_timeout(PAUSE)
    assert grades(database) == [2]


def test_typing_a_note_does_not_grade(page: Page, database: Database) -> None:
    first = item_id(page)
    page.keyboard.press("f")
    note = page.locator("#note")
    expect(note).to_be_focused()
    page.keyboard.type("0 of 4 lines, s and h")
    page.keyboard.press("Backspace")
    assert item_id(page) == first
    page.get_by_role("button", name="Flag this item").click()
    expect(page.locator("[data-flag] summary")).to_have_text("flagged")
    saved(page)
    assert item_id(page) == first
    assert grades(database) == []
    with database.read() as session:
        assert "0 of 4 lines, s and " in session.scalars(select(Assignment.flag_note)).all()


def test_keys_sleep_while_the_help_is_open(page: Page) -> None:
    first = item_id(page)
    page.keyboard.press("?")
    expect(page.locator("[data-keys]")).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press("Escape")
    expect(page.locator("[data-keys]")).to_be_hidden()
    assert item_id(page) == first


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


def test_two_tabs_without_a_connection_send_each_answer_once(page: Page, database: Database) -> None:
    other = second_tab(page)
    page.context.set_offline(True)
    press(page, "3")
    press(other, "1")  # the same item, answered here without having seen the answer of the other tab
    expect(page.locator("[data-saved]")).to_contain_text("offline · 1 waiting")
    page.context.set_offline(False)
    for tab in (page, other):  # what was refused waits for a reader in this browser, whichever tab they look at
        expect(tab.locator("[data-trouble]")).to_contain_text("Your answer 3 stands")
    assert grades(database) == [3]
    assert event_count(database) == 1
    other.locator("[data-trouble-item]").click()
    expect(other.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")


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


def test_coming_back_on_another_device(page: Page, browser: Browser, live_server: str, database: Database) -> None:
    press(page, "3")
    saved(page)
    here = item_id(page)
    page.goto("/grade/link")
    page.get_by_role("button", name="Make a personal link").click()
    link = page.locator(".personal-link code").inner_text()
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    other = phone.new_page()
    other.goto(link)
    other.get_by_role("button", name="Go on grading").tap()
    other.wait_for_selector("html[data-ready=grading]")
    assert item_id(other) == here
    other.locator("[data-key='1']").tap()
    saved(other)
    assert grades(database) == [3, 1]
    phone.close()


def test_an_answer_is_changed_from_the_list(page: Page, database: Database) -> None:
    press(page, "3")
    saved(page)
    page.goto("/grade/answers")
    page.locator(".own-answers a").click()
    page.wait_for_selector("html[data-ready=grading]")
    page.keyboard.press("0")
    page.wait_for_url("**/grade/answers")
    expect(page.locator(".own-answer")).to_have_text("0")
    assert grades(database) == [0]


def test_grading_to_the_end_says_thanks(page: Page, database: Database) -> None:
    for number in range(8):
        press(page, str(number % 5))
    page.keyboard.press("s")
    page.keyboard.press("s")
    page.wait_for_url("**/grade/thanks")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you, that was everything")
    assert len(grades(database)) == 8


def test_the_new_item_has_the_focus_and_going_back_is_announced(page: Page) -> None:
    press(page, "2")
    expect(page.locator("[data-stage] h1")).to_be_focused()
    press(page, "Backspace")
    expect(page.locator("#live-region")).to_contain_text("Your answer was 2")


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_the_answers_stay_where_they_are(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    places = []
    for _ in range(4):
        places.append(page.locator("[data-key='3']").bounding_box())
        press(page, "3")
    page.context.set_offline(True)
    press(page, "3")
    expect(page.locator("[data-saved]")).to_have_text("offline · 1 waiting")
    places.append(page.locator("[data-key='3']").bounding_box())
    assert all(place == places[0] for place in places)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing scrolls sideways but code"
    box = places[0]
    assert box is not None
    assert box["y"] + box["height"] <= size[1]


def test_code_is_copied_byte_for_byte(page: Page, database: Database) -> None:
    copied = set()
    read: Callable[[], str | None] = page.locator(".code code").text_content  # waits until there is one
    for number in range(9):
        copied.add(read())
        if number < 8:
            press(page, "1")
    assert "\treturn <unk>  # 1\n" in copied
    assert len(copied) == 9


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible(page: Page, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    press(page, "2")
    saved(page)
    for path in ("", "/answers", "/instructions", "/link", "/thanks"):
        page.goto(f"/grade{path}")
        results = Axe().run(page)
        serious = [each for each in results.response["violations"] if each["impact"] in ("serious", "critical")]
        assert not serious, results.generate_report()


def test_the_answers_fit_the_smallest_phone(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    for label in page.locator(".choice span").all():
        assert label.evaluate(
            "(e) => e.getBoundingClientRect().right <= e.parentElement.getBoundingClientRect().right"
        )
        assert label.evaluate("(e) => e.scrollWidth <= e.parentElement.clientWidth")
    page.keyboard.press("2")
    page.locator("[data-back]").wait_for()
    assert page.locator("[data-back]").evaluate("(e) => e.getBoundingClientRect().height") < 45
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_going_back_shows_the_number_of_that_item(page: Page) -> None:
    for key in "23":
        page.keyboard.press(key)
        page.wait_for_timeout(PAUSE)
    line = page.locator("[data-progress]")
    expect(line).to_contain_text("mine 2 · item 3 of 9 to go")
    page.keyboard.press("Backspace")
    expect(line).to_contain_text("mine 2 · item 2 of 9 to go")


def test_the_personal_link_has_a_copy_button(page: Page) -> None:
    page.goto("/grade/link")
    page.get_by_role("button", name="Make a personal link").click()
    expect(page.get_by_role("button", name="Copy the link")).to_be_visible()
