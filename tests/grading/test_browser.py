"""The grading page in a real Chromium: by keyboard, on small screens, with a screen reader in mind."""

import re
from collections.abc import Callable
from itertools import combinations

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from sqlalchemy import select

from app.storage.engine import Database
from app.storage.models import Assignment, Study
from tests.grading.browsing import PAUSE, grades, item_id, press, saved

pytestmark = pytest.mark.browser


def test_three_items_by_keyboard(page: Page, database: Database) -> None:
    for key in "304":
        press(page, key)
    saved(page)
    assert grades(database) == [3, 0, 4]
    expect(page.locator("[data-progress]")).to_contain_text("3 graded · item 4 of 9 · study ")


def test_the_next_item_is_there_before_the_server_answers(page: Page, database: Database) -> None:
    held: list[Route] = []
    page.route(re.compile("/answer$"), lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it is given
    press(page, "2")
    mark_text = page.locator("[data-saved]")
    expect(mark_text).to_have_text("saving…")
    assert grades(database) == []
    while not held:  # the request leaves a moment after the mark says so
        page.wait_for_timeout(20)
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


@pytest.mark.fault("F07")
def test_back_works_after_a_reload(page: Page) -> None:
    first = item_id(page)
    press(page, "2")
    saved(page)
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    assert press(page, "Backspace") == first
    expect(page.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")


@pytest.mark.fault("F02")
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


@pytest.mark.fault("F02")
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
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you, your part is done")
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
    saved(page)
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


@pytest.mark.parametrize("width", [320, 390])
def test_longer_words_than_english_ones_have_room_below_the_answers(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    page.keyboard.press("2")
    expect(page.locator("[data-saved]")).to_have_text("gespeichert ✓")
    shown = page.locator("[data-back], .side-actions summary, [data-saved]").all()
    boxes = [box for each in shown if (box := each.bounding_box())]
    assert len(boxes) == 4
    for one, other in combinations(boxes, 2):
        is_apart = one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]
        assert is_apart, (one, other)


def test_going_back_shows_the_number_of_that_item(page: Page) -> None:
    for key in "23":
        page.keyboard.press(key)
        page.wait_for_timeout(PAUSE)
    line = page.locator("[data-progress]")
    expect(line).to_contain_text("2 graded · item 3 of 9 ·")
    page.keyboard.press("Backspace")
    expect(line).to_contain_text("2 graded · item 2 of 9 ·")


def test_the_personal_link_has_a_copy_button(page: Page) -> None:
    page.goto("/grade/link")
    page.get_by_role("button", name="Make a personal link").click()
    expect(page.get_by_role("button", name="Copy the link")).to_be_visible()


def test_a_message_reaches_whoever_is_grading(page: Page, database: Database) -> None:
    def tell(text: str) -> None:
        with database.write() as session:
            session.scalars(select(Study)).one().message = text

    tell("Mind the *units*")
    press(page, "2")
    place = page.locator("[data-message-place]")
    expect(place).to_contain_text("Mind the units")
    expect(place).to_have_attribute("aria-live", "polite")
    page.get_by_role("button", name="Put away").click()
    expect(place.locator("section")).to_have_count(0)
    press(page, "3")
    saved(page)
    expect(place.locator("section")).to_have_count(0)
    tell("Another")
    press(page, "1")
    expect(place).to_contain_text("Another")
    tell("")
    press(page, "4")
    expect(place.locator("section")).to_have_count(0)


def test_a_key_pressed_before_the_scripts_run_counts_once(page: Page, database: Database) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/grading/main.js*", hold)
    page.goto("/grade", wait_until="commit")
    page.locator("[data-answer-form]").wait_for()
    first = item_id(page)
    for key in "31":
        page.keyboard.press(key)
    held[0].continue_()
    expect(page.locator("[data-stage] .item")).not_to_have_attribute("data-id", first)
    saved(page)
    assert grades(database) == [3], "the second key would have graded an item that nobody had seen"


def test_a_flag_is_sent_from_its_field(page: Page) -> None:
    page.keyboard.press("f")
    page.keyboard.type("broken")
    page.keyboard.press("Enter")
    expect(page.locator("[data-flag]")).to_have_attribute("open", "")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-flag] summary")).to_have_text("flagged")
