"""In a real Chromium: a survey made by the pages, both questions answered by keyboard alone, measured, looked at."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.services import invitation_links
from app.services.studies import change_state, find_study
from app.storage.engine import Database
from app.storage.models import Grade, Item, Question
from tests.dashboards.study import sign_in
from tests.grading.browsing import PAUSE, press
from tests.naturalness.conftest import SET, give_scores, grade_all, make_survey, measure
from tests.perturbing.conftest import Work
from tests.web.page_checks import problems_of
from tests.web.test_every_page import READY

pytestmark = pytest.mark.browser

AT = f"/benchmarks/{SET}"


@pytest.fixture
def page(browser: Browser, client: TestClient, perturbed: Database, live_server: str) -> Iterator[Page]:
    """An admin's; a failure of a script fails the test."""
    token, failures = sign_in(client, perturbed, "admin"), []
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, reduced_motion="reduce", base_url=live_server
    )
    context.add_cookies([{"name": "codejury", "value": token, "url": live_server}])
    page = context.new_page()
    page.on("pageerror", lambda error: failures.append(str(error)))
    yield page
    context.close()
    assert failures == []


def test_a_survey_is_made_and_graded_by_keyboard(
    browser: Browser, page: Page, perturbed: Database, work: Work, live_server: str
) -> None:
    page.goto(AT)
    page.get_by_role("link", name="Are the changes natural?").click()
    page.get_by_role("link", name="Ask people whether the changes are natural").click()
    page.get_by_label("Title").fill("Natural?")
    for label, number in (("Unperturbed prompts", 1), ("Perturbed prompts", 3), ("Pairs", 2), ("Annotators", 1)):
        page.get_by_label(label, exact=label.endswith("prompts")).fill(str(number))
    page.get_by_role("button", name="Draw and look").click()
    expect(page.locator("body")).to_contain_text("1 unperturbed and 3 perturbed prompts, mixed and shuffled, then 2")
    page.get_by_role("button", name="Make the study").click()
    expect(page).to_have_url(f"{live_server}/studies/natural/desk")
    with perturbed.write() as session:
        study = find_study(session, "natural")
        change_state(session, study, "open")
        token = invitation_links.create_invitation(session, "test", study)
    _grade(browser, live_server, token)
    assert _given(perturbed) == [
        ("naturalness", 0.0),
        *[("naturalness", 1.0)] * 3,
        *[("semantic-similarity", 0.5)] * 2,
    ]
    measure(perturbed, work)
    page.goto("/studies/natural")
    page.get_by_role("link", name="Naturalness").click()
    page.wait_for_function(READY)
    expect(page.get_by_role("heading", name="What people say of perturbed prompts")).to_be_visible()
    expect(page.locator("#robustness-survey")).to_contain_text("Semantic similarity")


def _grade(browser: Browser, live_server: str, token: str) -> None:
    """Four prompts, the first of which is not natural; then two pairs that are slightly changed."""
    context = browser.new_context(base_url=live_server)
    annotator = context.new_page()
    annotator.goto(f"/join/{token}")
    annotator.get_by_role("button", name="Start").click()
    annotator.goto("/grade")
    annotator.wait_for_selector("html[data-ready=grading]")
    for key in "02221":
        press(annotator, key)
    annotator.wait_for_timeout(PAUSE)
    annotator.keyboard.press("1")
    expect(annotator.get_by_role("heading", name="Thank you, that was everything")).to_be_visible()
    context.close()


def _given(database: Database) -> list[tuple[str, float | None]]:
    rows = select(Question.name, Grade.value).join(Grade, Grade.question_id == Question.id)
    with database.read() as session:
        found = session.execute(rows.join(Item, Item.id == Grade.item_id).order_by(Question.name, Grade.value))
        return [(name, value) for name, value in found]


def test_every_page_is_sound(page: Page, perturbed: Database, work: Work) -> None:
    chosen = "title=T&unperturbed=12&perturbed=6&pairs=60&annotators=5&seed=1&separate=yes"
    page.goto(f"{AT}/naturalness")
    page.wait_for_function(READY)
    assert problems_of(page) == []
    for address in (f"{AT}/survey", f"{AT}/survey?{chosen}", f"{AT}/survey?{chosen}&transformations=no"):
        page.goto(address)
        assert problems_of(page) == [], address
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        give_scores(session, "codebleu_syntax", {"docstring": 0.5, "function_name": 0.6, "format": 0.9})
        give_scores(session, "cosine_docstring", {"docstring": 0.8})
    page.goto("/studies/natural/naturalness")
    assert problems_of(page) == []
    measure(perturbed, work)
    for address in ("/studies/natural/naturalness", f"{AT}/naturalness"):
        page.goto(address)
        page.wait_for_function(READY)
        assert problems_of(page) == [], address
