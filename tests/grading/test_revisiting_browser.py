"""Items that one comes back to, and items nobody has read yet: what keys do there, and what is said of answers."""

import pytest
from playwright.sync_api import Page, expect

from app.storage.engine import Database
from tests.grading.browsing import PAUSE, Open, active, given, grades, item_id, press, saved, type_keys
from tests.grading.every_kind import WITH_LABELS

pytestmark = pytest.mark.browser


def ready(page: Page) -> None:
    page.wait_for_selector("html[data-ready=grading]")


def test_keys_change_an_answer_as_soon_as_one_is_back(opened: Open, database: Database) -> None:
    page = opened(["free-labels"])
    type_keys(page, ["2", "Enter", "Backspace"])
    assert active(page) == "what-is-wrong", "not the comment, which takes no digits"
    type_keys(page, ["3", "Enter"])
    saved(page)
    assert given(database)["what-is-wrong"] == ['["wrong-result", "incomplete"]']


def test_back_at_labels_left_empty_keys_answer_the_first_question(opened: Open, database: Database) -> None:
    page = opened([WITH_LABELS.name])
    type_keys(page, ["2", "ArrowDown", "Enter", "Backspace"])
    assert active(page) == "how-helpful"
    type_keys(page, ["4", "Enter"])
    saved(page)
    assert given(database)["how-helpful"] == [4]


def test_a_change_that_was_not_sent_is_called_so(opened: Open, database: Database) -> None:
    page = opened(["code-summary"])
    type_keys(page, ["1", "0", "Enter", "3", "4", "5", "Enter"])
    saved(page)
    page.goto("/grade/answers")
    page.locator(".own-answers a").click()
    ready(page)
    mark = page.locator(".side-actions [data-saved]")
    expect(mark).to_be_empty()
    type_keys(page, ["9"])
    expect(mark).to_have_text("not sent yet")
    expect(page.locator("#live-region")).to_have_text("not sent yet")
    page.reload()
    ready(page)
    number = page.locator("input[type=number]")
    expect(number).to_have_value("9")
    expect(mark).to_have_text("not sent yet")
    number.fill("10")
    expect(mark).to_be_empty()
    page.reload()
    ready(page)
    expect(mark).to_be_empty()
    assert given(database)["direct-assessment"] == [10]


def test_what_is_begun_at_a_new_item_is_kept_without_a_word(opened: Open) -> None:
    page = opened(["code-summary"])
    type_keys(page, ["9"])
    page.reload()
    ready(page)
    expect(page.locator("input[type=number]")).to_have_value("9")
    expect(page.locator(".side-actions [data-saved]")).to_be_empty()


@pytest.mark.parametrize("apart", [0, 40, 150])
def test_another_key_at_once_is_not_for_the_item_that_just_came(page: Page, database: Database, apart: int) -> None:
    page.keyboard.press("3")
    page.wait_for_timeout(apart)
    page.keyboard.press("1")
    expect(page.locator("[data-hint]")).to_contain_text("Too soon")
    second = item_id(page)
    page.wait_for_timeout(PAUSE)
    assert item_id(page) == second
    press(page, "1")
    saved(page)
    assert grades(database) == [3, 1]


def test_enter_twice_sends_no_item_unread(opened: Open, database: Database) -> None:
    page = opened(["free-labels"])
    type_keys(page, ["1", "Enter"])
    for key in ("2", "Enter"):
        page.keyboard.press(key)
    saved(page)
    page.wait_for_timeout(PAUSE)
    expect(page.locator("[data-panel] :checked")).to_have_count(0)
    assert given(database)["what-is-wrong"] == ['["does-not-run"]']


def test_the_digits_of_a_number_may_follow_at_once(opened: Open) -> None:
    page = opened(["code-summary"])
    type_keys(page, ["5", "Enter", "3", "4", "5", "Enter"])
    page.wait_for_timeout(PAUSE)
    page.keyboard.type("85")
    expect(page.locator("input[type=number]")).to_have_value("85")


def test_labels_count_as_answered_once_somebody_touched_them(opened: Open) -> None:
    page = opened(["free-labels"])
    count = page.locator("[data-count]")
    expect(count).to_have_text("0 of 1 answered")
    type_keys(page, ["2", "2"])
    expect(count).to_have_text("1 of 1 answered")
    type_keys(page, ["Enter"])
    expect(count).to_have_text("0 of 1 answered")
    type_keys(page, ["Backspace"])
    expect(count).to_have_text("1 of 1 answered")
    expect(page.locator("#live-region")).to_contain_text("Your answer was none of the labels")
    saved(page)
    page.goto("/grade/answers")
    expect(page.locator(".own-more")).to_have_text("none of the labels")
    page.locator(".own-answers a").click()
    ready(page)
    expect(count).to_have_text("1 of 1 answered")


@pytest.mark.parametrize("wrong", ["999", "e"])
def test_what_was_wrong_with_a_number_goes_when_it_is_right(opened: Open, wrong: str) -> None:
    page = opened(["code-summary"])
    number, error = page.locator("input[type=number]"), page.locator("[data-question=direct-assessment] [data-error]")
    number.focus()
    page.keyboard.type(wrong)
    page.keyboard.press("Enter")
    expect(error).to_contain_text("from 0 to 100")
    page.keyboard.type("60")
    expect(number).to_have_value("60")
    expect(error).to_be_empty()
    number.fill("999")
    page.keyboard.press("Enter")
    expect(error).to_contain_text("from 0 to 100")
    type_keys(page, ["s", "s", "Backspace"])
    expect(number).to_have_value("")
    expect(error).to_be_empty()
