"""In a real Chromium: a survey made by the pages, both questions answered by keyboard alone, measured, looked at."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.services import invitation_links
from app.services.studies import change_state, find_study
from app.storage.engine import Database
from app.storage.models import Assignment, Grade, Item, Question
from tests.dashboards.study import sign_in
from tests.grading.browsing import PAUSE, item_id, press
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
    page.get_by_role("link", name="Naturalness").click()
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
    page.get_by_role("navigation", name="Study").get_by_role("link", name="Naturalness").click()
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
    expect(annotator.get_by_role("heading", name="Thank you, your part is done")).to_be_visible()
    context.close()


def _given(database: Database) -> list[tuple[str, float | None]]:
    rows = select(Question.name, Grade.value).join(Grade, Grade.question_id == Question.id)
    with database.read() as session:
        found = session.execute(rows.join(Item, Item.id == Grade.item_id).order_by(Question.name, Grade.value))
        return [(name, value) for name, value in found]


def test_twenty_items_are_graded_by_keyboard_alone(
    browser: Browser, page: Page, perturbed: Database, work: Work, live_server: str
) -> None:
    """Two people, who differ in the first six items that the second one sees; the results are worked out here."""
    page.goto(f"{AT}/survey?title=Twenty&unperturbed=8&perturbed=12&pairs=0&annotators=2&seed=3")
    expect(page.locator("body")).to_contain_text("8 unperturbed and 12 perturbed prompts, mixed and shuffled")
    page.get_by_role("button", name="Make the study").click()
    expect(page).to_have_url(f"{live_server}/studies/twenty/desk")
    with perturbed.write() as session:
        study = find_study(session, "twenty")
        change_state(session, study, "open")
        token = invitation_links.create_invitation(session, "test", study)
    pressed = _grade_by_keyboard(browser, live_server, token)
    pressed |= _grade_by_keyboard(browser, live_server, token, other=6)
    assert len(pressed) == 2 * 20
    answers = _answers(perturbed, pressed)
    measure(perturbed, work, "twenty")
    page.goto("/studies/twenty/naturalness")
    page.wait_for_function(READY)
    row = page.locator("#robustness-survey tr").filter(has_text="All perturbed prompts").first
    shown = [each.split("\n")[0].replace("−", "-") for each in row.locator("th, td").all_inner_texts()]
    values = [value for both in answers for value in both]
    assert shown[3:6] == [f"{100 * values.count(each) / len(values):.1f}" for each in (0.0, 0.5, 1.0)]
    assert (shown[8], shown[-2:]) == (f"{_fleiss(answers):.2f}", ["12", "24"])


def _fleiss(answers: list[list[float]]) -> float:
    """Of two people, from its definition."""
    values = [value for both in answers for value in both]
    alike = sum(first == second for first, second in answers) / len(answers)
    by_chance = sum((values.count(each) / len(values)) ** 2 for each in set(values))
    return (alike - by_chance) / (1 - by_chance)


def _grade_by_keyboard(browser: Browser, live_server: str, token: str, other: int = 0) -> dict[str, int]:
    """From the invitation to the thanks, without a pointer; which key was pressed at which item.

    The key follows from the prompt; at so many ``other`` items, the first ones, another is pressed.
    """
    context = browser.new_context(base_url=live_server)
    annotator = context.new_page()
    annotator.goto(f"/join/{token}")
    annotator.get_by_role("button", name="Start").press("Enter")
    annotator.get_by_role("link", name="Start grading").press("Enter")
    annotator.wait_for_selector("html[data-ready=grading]")
    pressed: dict[str, int] = {}
    for number in range(20):
        annotator.wait_for_timeout(PAUSE)
        text = annotator.locator("[data-stage] .item .code").inner_text()
        pressed[item_id(annotator)] = key = (len(text) + (number < other)) % 3
        annotator.keyboard.press(str(key))
        if number < 19:
            expect(annotator.locator("[data-stage] .item")).not_to_have_attribute("data-id", list(pressed)[-1])
    expect(annotator.get_by_role("heading", name="Thank you, your part is done")).to_be_visible()
    context.close()
    return pressed


def _answers(database: Database, pressed: dict[str, int]) -> list[list[float]]:
    """What both said of each perturbed prompt; of all prompts it is what they pressed."""
    given = (
        select(Assignment.public_id, Item.id, Item.variant_id, Grade.value)
        .join(Grade, (Grade.item_id == Assignment.item_id) & (Grade.annotator_id == Assignment.annotator_id))
        .join(Item, Item.id == Grade.item_id)
    )
    with database.read() as session:
        rows = session.execute(given).all()
    assert {shown: value for shown, _, _, value in rows} == {shown: key / 2 for shown, key in pressed.items()}
    found: dict[int, list[float]] = {}
    for _, item, variant, value in rows:
        if variant is not None:
            found.setdefault(item, []).append(value)
    return list(found.values())


def test_a_finished_check_shows_its_tables_without_a_reload(page: Page, work: Work) -> None:
    page.goto(f"{AT}/naturalness")
    page.get_by_role("button", name="Check all changed prompts").click()
    expect(page.get_by_role("button", name="Cancel this run")).to_be_visible()
    work.all()
    expect(page.get_by_role("heading", name="How alike perturbed prompts are, by category")).to_be_visible()
    page.wait_for_function(READY)
    assert problems_of(page) == []


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
