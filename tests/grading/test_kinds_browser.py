"""Every ready-made instrument by keyboard alone in a real Chromium, and what must not be lost on the way."""

import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.storage.engine import Database
from app.storage.models import Assignment, GradeEvent, Study
from tests.grading.browsing import Open, active, given, item_id, saved, type_keys
from tests.grading.every_kind import WITH_LABELS

pytestmark = pytest.mark.browser

# What is pressed at each of two items, and what must be stored then.
BY_KEYBOARD = {
    "helpfulness": (["4", "0"], {"helpfulness": [4, 0]}),
    "naturalness": (["1", "2"], {"naturalness": [0.5, 1]}),
    "semantic-similarity": (["0", "1"], {"semantic-similarity": [0, 0.5]}),
    "code-summary": (
        ["8", "5", "Enter", "3", "4", "5", "Enter", "ArrowRight", "Enter", "1", "2", "1", "Enter"],
        {"direct-assessment": [85, 50], "content-adequacy": [3, 1], "conciseness": [4, 2], "fluency": [5, 1]},
    ),
    WITH_LABELS.name: (
        ["2", "1", "3", "1", "c", "o", "k", "Control+Enter", "0", "Enter"],
        {"how-helpful": [2, 0], "labels": ['["incomplete"]', "[]"], "comment": ["ok"]},
    ),
}


@pytest.mark.parametrize("name", BY_KEYBOARD)
def test_each_instrument_by_keyboard(opened: Open, database: Database, name: str) -> None:
    keys, expected = BY_KEYBOARD[name]
    page = opened([name])
    type_keys(page, keys)
    page.wait_for_url("**/grade/thanks")
    assert given(database) == expected


def test_the_same_key_twice_at_once_answers_two_questions(opened: Open, database: Database) -> None:
    page = opened(["code-summary"])
    type_keys(page, ["6", "0", "Enter"])
    for key in "443":
        page.keyboard.press(key)
    type_keys(page, ["Enter"])
    saved(page)
    assert [given(database)[name][0] for name in ("content-adequacy", "conciseness", "fluency")] == [4, 4, 3]


def test_the_answers_follow_the_instrument_of_the_item(opened: Open, database: Database) -> None:
    page = opened(["semantic-similarity", "code-summary"])
    expect(page.locator(".now")).to_contain_text("Now: Do both mean the same")
    type_keys(page, ["2"])
    expect(page.locator(".now")).to_have_count(0)
    type_keys(page, ["2"])
    expect(page.locator(".now")).to_contain_text("Now: How good is this summary of the code")
    expect(page.locator("[data-panel] [data-question]")).to_have_count(4)
    saved(page)
    page.keyboard.press("h")
    keys = page.locator("[data-keys]")
    expect(keys.get_by_text("Is it well written?")).to_be_visible()
    expect(keys.get_by_text("Do both mean the same?")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("Backspace")
    expect(page.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#live-region")).to_contain_text("Your answer was Exactly preserved (key 2)")


def test_a_missing_answer_is_gone_to_named_and_announced(opened: Open, database: Database) -> None:
    page = opened(["code-summary"])
    first = item_id(page)
    type_keys(page, ["7", "Enter", "3"])
    assert active(page) == "conciseness"
    page.locator("[data-send]").click()
    missing = page.locator("[data-question=conciseness]")
    expect(missing).to_be_focused()
    expect(missing.locator("[data-error]")).to_have_text("This needs an answer.")
    expect(page.locator("#live-region")).to_contain_text("Is it free of what nobody needs to know?")
    assert item_id(page) == first
    type_keys(page, ["3"])
    expect(missing.locator("[data-error]")).to_be_empty()
    type_keys(page, ["4", "Enter"])
    saved(page)
    assert given(database)["fluency"] == [4]


def test_a_number_off_the_range_is_not_sent(opened: Open, database: Database) -> None:
    page = opened(["code-summary"])
    type_keys(page, ["4", "0", "0", "Enter", "ArrowDown", "1", "1", "1", "Enter"])
    expect(page.locator("[data-question=direct-assessment] [data-error]")).to_contain_text("from 0 to 100")
    assert given(database) == {}


def test_a_begun_item_survives_a_reload(opened: Open, database: Database) -> None:
    page = opened([WITH_LABELS.name])
    type_keys(page, ["3", "2", "c"])
    page.keyboard.type("It is 4 s too slow")
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    expect(page.locator("textarea[name=answer-comment]")).to_have_value("It is 4 s too slow")
    expect(page.locator("[data-question=labels] input[value=wrong-result]")).to_be_checked()
    page.keyboard.press("Enter")
    saved(page)
    expected = {"how-helpful": [3], "labels": ['["wrong-result"]'], "comment": ["It is 4 s too slow"]}
    assert given(database) == expected
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    expect(page.locator("[data-panel] :checked")).to_have_count(0)


def test_skipping_with_a_ready_reason_one_s_own_or_none(opened: Open, database: Database) -> None:
    page = opened(["helpfulness"], items=4)
    before = item_id(page)
    type_keys(page, ["s", "4"])
    assert item_id(page) == before, "no key grades behind the open form"
    page.keyboard.press("Escape")
    type_keys(page, ["s", "2", "s", "s", "s"])
    page.get_by_label("Another reason").fill("It is 2 s in Latin")
    page.keyboard.press("Enter")
    type_keys(page, ["s", "Enter"])
    page.wait_for_url("**/grade/thanks")
    with database.read() as session:
        rows = session.execute(select(Assignment.state, Assignment.skip_reason).order_by(Assignment.position)).all()
    reasons = ["It is cut off or broken", None, "It is 2 s in Latin", None]
    assert rows == [("skipped", reason) for reason in reasons]


def test_what_is_measured(opened: Open, database: Database) -> None:
    page = opened(["code-summary"])
    page.wait_for_timeout(500)
    type_keys(page, ["5", "0", "Enter", "3", "ArrowUp", "4", "2", "1", "Enter"])
    saved(page)
    with database.read() as session:
        first = select(GradeEvent.details, GradeEvent.active_ms).where(GradeEvent.part == 0)
        details, active = session.execute(first).one()
    assert details is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z", details["shown_at"])
    assert details["changes"] == 1, "3 gave way to 4"
    assert 500 <= details["first_key_ms"] < details["submit_ms"]
    assert (details["hidden_ms"], details["idle_ms"], details["by"]) == (0, 0, "key")
    assert active == details["submit_ms"]


def test_hidden_and_idle_time_are_told_apart(opened: Open, database: Database) -> None:
    page = opened(["helpfulness"])
    page.clock.install()
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    page.clock.fast_forward(45_000)  # 30 s may be thought, 15 s are idle
    page.mouse.move(5, 5)
    turn = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(turn, True)
    page.clock.fast_forward(100_000)
    page.evaluate(turn, False)
    page.keyboard.press("3")
    saved(page)
    with database.read() as session:
        details = session.scalars(select(GradeEvent.details)).one()
    assert details is not None
    assert details["hidden_ms"] == pytest.approx(100_000, abs=5_000)
    assert details["idle_ms"] == pytest.approx(15_000, abs=5_000)


def test_a_pair_stands_side_by_side_where_there_is_room(opened: Open) -> None:
    page = opened(["semantic-similarity"])
    sides = page.locator(".pair-side")
    expect(sides.locator("figcaption")).to_have_text(["A", "B"])

    def tops() -> list[float]:
        return [box["y"] for box in (side.bounding_box() for side in sides.all()) if box]

    page.set_viewport_size({"width": 1000, "height": 800})
    assert len(set(tops())) == 1
    page.set_viewport_size({"width": 880, "height": 800})
    assert tops()[0] < tops()[1]


def test_the_team_s_message_is_put_away_in_place(opened: Open, database: Database) -> None:
    page = opened(["helpfulness"])
    with database.write() as session:
        session.scalars(select(Study)).one().message = "Mind the *units*"
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    with page.expect_response("**/grade/message"):
        page.get_by_role("button", name="Put away").click()
    expect(page.locator("[data-message]")).to_have_count(0)
    page.reload()
    page.wait_for_selector("html[data-ready=grading]")
    expect(page.locator("[data-message]")).to_have_count(0)


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (1280, 800)])
def test_the_questions_stay_where_they_are_and_in_the_window(opened: Open, size: tuple[int, int]) -> None:
    page = opened(["code-summary"])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    last = page.locator("[data-question=fluency] [data-key='5']")
    # In a low window the questions scroll by themselves, so that the item can be read: then their frame stays.
    fixed = last if size[1] > 700 else page.locator("[data-send]")
    before = fixed.bounding_box()
    type_keys(page, ["7", "Enter", "3", "4"])
    assert fixed.bounding_box() == before
    expect(last).to_be_in_viewport()
    send = page.locator("[data-send]").bounding_box()
    assert send is not None
    assert send["y"] + send["height"] <= size[1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", ["semantic-similarity", "code-summary", WITH_LABELS.name])
def test_every_kind_is_accessible(opened: Open, name: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened([name])
    for keys in ([], ["s"], ["Escape", "h"]):
        type_keys(page, keys)
        results = Axe().run(page)
        assert not results.response["violations"], results.generate_report()


@pytest.mark.parametrize(
    ("names", "width", "height"),
    [(["code-summary"], 640, 450), ([WITH_LABELS.name], 360, 740), (["code-summary"], 360, 740)],
)
def test_the_item_stays_readable_where_the_window_is_low(
    opened: Open, names: Sequence[str], width: int, height: int
) -> None:
    page = opened(names)
    page.set_viewport_size({"width": width, "height": height})
    head = page.locator(".grading-head").evaluate("(e) => e.getBoundingClientRect().bottom")
    answers = page.locator("[data-answers]").evaluate("(e) => e.getBoundingClientRect().top")
    assert answers - head >= 0.33 * height, "a third is left for what is asked about"
    for _ in page.locator("[data-question]").all():
        page.keyboard.press("ArrowDown")
        active, send = page.locator("[data-question][data-active]"), page.locator(".send")
        shown = active.evaluate("(e) => e.querySelector('.asked').getBoundingClientRect().bottom")
        assert shown <= send.evaluate("(e) => e.getBoundingClientRect().top") + 1, "nothing covers what is asked"
