"""A questionnaire made by keyboard, its preview following each key, in a real browser."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.services import studies
from app.services.questionnaires import editing
from app.services.questionnaires.instruments import instruments_of
from app.services.questionnaires.ready_made import CODE_SUMMARY
from app.storage.engine import Database
from app.storage.models import FormVersion, Question, Study
from tests.factories import make_study
from tests.security.world import World
from tests.way.helpers import counts

pytestmark = pytest.mark.browser

WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
HERE = "/studies/here/questionnaire"


@pytest.fixture
def page(browser: Browser, live_server: str, world: World) -> Iterator[Page]:
    """The admin's browser; a failure of a script or of the policy fails the test."""
    context = browser.new_context(base_url=live_server, viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "codejury", "value": world.cookies["admin"], "url": live_server}])
    page = context.new_page()
    page.add_init_script(WATCH)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    yield page
    assert page.evaluate("window.violations ?? []") == []
    context.close()
    assert failures == []


def press_until(page: Page, name: str, key: str = "Tab", most: int = 60) -> None:
    """Go on with the key until what has the focus is called this."""
    names = """() => { const e = document.activeElement;
        return e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim(); }"""
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate(names) == name:
            return
    raise AssertionError(f"{name!r} can't be reached")


def test_a_questionnaire_is_made_by_keyboard(page: Page, database: Database) -> None:
    page.goto(HERE)
    press_until(page, "A prompt by itself", most=40)
    page.keyboard.press("Enter")
    page.wait_for_url("**/instruments/*?done=added")
    preview = page.locator("#preview")
    press_until(page, "What is asked")
    page.keyboard.press("Control+a")
    page.keyboard.type("Would a *person* write this?")
    expect(preview).to_contain_text("Would a person write this?")
    expect(preview.locator(".asked em")).to_have_text("person")
    press_until(page, "Help")
    page.keyboard.type("Think of **your** colleagues.")
    press_until(page, "Label of answer 1")
    page.keyboard.press("Control+a")
    page.keyboard.type("Never")
    expect(preview).to_contain_text("Never")
    page.keyboard.press("Enter")  # in a field it shows, and saves nothing
    expect(page.get_by_role("status").filter(has_text="added")).to_have_count(0)
    expect(page.get_by_label("Label of answer 1")).to_be_focused()
    press_until(page, "Add an answer")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Value of answer 3")).to_be_focused()
    page.keyboard.type("0.5")
    press_until(page, "Key of answer 3")
    page.keyboard.type("s")
    press_until(page, "Label of answer 3")
    page.keyboard.type("At times")
    expect(preview).to_contain_text("can’t be shown yet")
    press_until(page, "Save")
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert").filter(has_text="Nothing is saved yet")
    expect(alert).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Question 1, answer 3")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Key of answer 3")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("2")
    expect(preview).to_contain_text("At times")
    press_until(page, "Save")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instruments/*?done=saved")
    with database.read() as session:
        question = session.scalars(select(Question).where(Question.text.like("Would%"))).one()
    assert [(each["value"], each["key"], each["label"]) for each in question.scale["choices"]] == [
        (0, "0", "Never"),
        (0.5, "2", "At times"),
        (1, "1", "Yes"),
    ]
    assert page.get_by_label("What is asked").input_value() == "Would a *person* write this?"


def test_what_was_typed_is_not_left_behind_unasked(page: Page) -> None:
    page.goto(f"{HERE}/instruments/2")
    page.get_by_label("What is asked").fill("Something else")
    page.get_by_role("button", name="Add the question").click()
    expect(page.get_by_role("group", name="Question 2")).to_be_visible()
    asked: list[str] = []

    def leave(dialog: object) -> None:
        asked.append(dialog.type)  # type: ignore[attr-defined]
        dialog.accept()  # type: ignore[attr-defined]

    page.on("dialog", leave)
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url(f"**{HERE}")
    assert asked == ["beforeunload"]
    page.goto(f"{HERE}/forms/closing")
    page.get_by_role("button", name="Begin with the starting text").click()
    expect(page.get_by_label("Introduction")).not_to_be_empty()
    page.get_by_label("Introduction").fill("Thank **you**.")
    expect(page.locator("#preview strong")).to_have_text("you")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**{HERE}?done=form#forms")
    assert asked == ["beforeunload"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_editor_is_accessible(page: Page, theme: str, world: World, database: Database) -> None:
    with database.write() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        study.state = "draft"
        editing.add(session, "user:1", study, CODE_SUMMARY)
        studies.change_state(session, study, "open")
        latest = session.scalars(select(FormVersion.id).where(FormVersion.kind == "questionnaire")).one()
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 360, "height": 780})
    pages = [HERE, f"{HERE}/instruments/2", f"{HERE}/forms/consent", f"{HERE}/forms/profile", f"{HERE}/versions"]
    pages += [world.address(f"{HERE}/versions/{{version_id}}"), f"{HERE}/versions/{latest}", "/studies/new"]
    for address in pages:
        page.goto(address)
        if address.endswith("profile"):
            page.get_by_role("button", name="Begin with the starting text").click()
            page.get_by_role("group", name="Question 1").wait_for()
        found = [each["id"] for each in Axe().run(page).response["violations"]]
        assert found == [], f"{address}: {found}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{address} scrolls sideways"


def test_keys_and_sliders_of_a_preview_work(page: Page, database: Database) -> None:
    with database.write() as session:
        study = make_study(
            session, problems=1, systems=1, state="open", instruments=(CODE_SUMMARY,), title="Looked at"
        )
        address = f"/studies/{study.slug}/way/preview/grading"
    before = counts(database)
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-ready", "preview")
    expect(page.get_by_role("slider")).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("grading$"))  # nothing is answered yet
    page.get_by_role("spinbutton").fill("50")
    page.get_by_role("spinbutton").press("Enter")
    expect(page).to_have_url(re.compile("grading$"))
    for number in range(3):
        page.get_by_role("radiogroup").nth(number).get_by_role("radio").nth(number).check()
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("done$"))
    assert counts(database) == before


def test_the_editors_preview_has_the_slider(page: Page, database: Database) -> None:
    with database.write() as session:
        study = make_study(session, problems=1, systems=1, instruments=(CODE_SUMMARY,), title="Edited")
        number = instruments_of(session, study.id)[0].id
    page.goto(f"/studies/edited/questionnaire/instruments/{number}")
    expect(page.locator("#preview").get_by_role("slider")).to_be_visible()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.get_by_label("What is asked").first.fill("How good is it all?")
    expect(page.locator("#preview")).to_contain_text("How good is it all?")
    expect(page.locator("#preview").get_by_role("slider")).to_be_visible()
    assert complaints == []
