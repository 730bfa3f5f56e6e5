"""What the browser tests of the grading page share."""

from collections.abc import Callable, Sequence

from playwright.sync_api import Page, expect
from sqlalchemy import func, select

from app.storage.engine import Database
from app.storage.models import Assignment, Grade, GradeEvent, Question

Open = Callable[..., Page]  # opens the grading page of a study with these instruments

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


def press_last(page: Page, key: str) -> None:
    """Press when no further item is there: a placeholder shows."""
    page.wait_for_timeout(PAUSE)
    page.keyboard.press(key)
    expect(page.locator("[data-stage] .waiting")).to_be_visible()


def type_keys(page: Page, keys: Sequence[str]) -> None:
    for key in keys:
        page.wait_for_timeout(PAUSE)
        page.keyboard.press(key)


def given(database: Database) -> dict[str, list[float | str | None]]:
    """Current answers by question, in the order of the items."""
    statement = (
        select(Question.name, Grade.value, Grade.text)
        .join(Grade, Grade.question_id == Question.id)
        .join(Assignment, (Assignment.item_id == Grade.item_id) & (Assignment.annotator_id == Grade.annotator_id))
        .order_by(Assignment.position, Question.position)
    )
    found: dict[str, list[float | str | None]] = {}
    with database.read() as session:
        for name, value, text in session.execute(statement):
            found.setdefault(name, []).append(text if value is None else value)
    return found


def active(page: Page) -> str | None:
    return page.locator("[data-question][data-active]").get_attribute("data-question")
