"""A page that has all it needs is told no progress: it counts on by itself, and shows what the server would say."""

import re
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.services import pace
from app.services.claims import claimed, give_back
from app.services.grading import Submission
from app.services.sign_ins import start_session
from app.services.sitting import Sitting
from app.services.supply import Supply, supply
from app.services.way import answering
from app.storage.engine import Database
from app.storage.models import Annotator
from tests.grading.browsing import press, saved
from tests.grading.helpers import add_annotators, open_study

State = tuple[Database, int, list[str]]


@pytest.fixture
def begun(database: Database) -> State:
    """Somebody whose page has three items and has sent nothing."""
    study = open_study(database, problems=40, systems=3)
    (person,) = add_annotators(database, study, 1)
    with database.write() as session:
        return database, person, [each.id for each in supply(Sitting.held(session, person), []).items]


def sent(
    state: State, have: list[str], kind: str = "grade", change: Callable[[Sitting], None] | None = None
) -> Supply:
    """What a page that has these items is told after it sent an answer to its first one."""
    database, person, items = state
    answers = {"helpfulness": 3.0} if kind == "grade" else {}
    with database.write() as session:
        sitting = Sitting.held(session, person)
        if change is not None:
            change(sitting)
        submission = Submission(items[0], uuid4().hex, kind, answers)  # type: ignore[arg-type]
        receipt, _ = answering.submit(sitting, submission)
        return supply(sitting, have, one_more=receipt.one_more)


def test_one_graded_more_is_all_there_is_to_tell(begun: State) -> None:
    told = sent(begun, begun[2][1:])
    assert (told.progress, told.items, told.is_done) == (None, (), False)


@pytest.mark.parametrize("kind", ["skip", "flag"])
def test_anything_else_is_told(begun: State, kind: str) -> None:
    items = begun[2]
    told = sent(begun, items if kind == "flag" else items[1:], kind)
    assert told.progress is not None
    assert told.progress.mine == 0


def test_a_changed_answer_is_told(begun: State) -> None:
    sent(begun, begun[2][1:])
    told = sent(begun, begun[2][1:])
    assert told.progress is not None
    assert told.progress.mine == 1


def test_whoever_lacks_an_item_is_told(begun: State) -> None:
    told = sent(begun, begun[2][2:])
    assert told.progress is not None
    assert [each.id for each in told.items] == [begun[2][1]]


def test_a_paused_study_is_told(begun: State) -> None:
    def pause(sitting: Sitting) -> None:
        sitting.study.state = "paused"

    told = sent(begun, begun[2][1:], change=pause)
    assert told.progress is not None
    assert told.progress.text == "1 graded · paused · 2 to finish"


def test_late_work_is_told(begun: State) -> None:
    def lapse(sitting: Sitting) -> None:
        give_back(sitting.session, claimed(sitting.session, sitting.annotator))

    assert sent(begun, begun[2][1:], change=lapse).progress is not None


@pytest.fixture
def page(browser: Browser, live_server: str, database: Database) -> Iterator[Page]:
    """The grading page of a study in which items are plenty."""
    (person,) = add_annotators(database, open_study(database, problems=40, systems=3), 1)
    with database.write() as session:
        token = start_session(session, annotator_id=person)
    context = browser.new_context()
    context.add_cookies([{"name": "codejury", "value": token, "url": live_server}])
    page = context.new_page()
    page.goto(f"{live_server}/grade")
    page.wait_for_selector("html[data-ready=grading]")
    yield page
    context.close()


@pytest.mark.browser
def test_after_each_item_the_line_is_what_the_server_would_say(page: Page, database: Database) -> None:
    line = page.locator("[data-progress]")
    told = []
    for key in "3041230":
        with page.expect_response(re.compile("/answer$")) as reply:
            press(page, key)
        saved(page)
        told.append(reply.value.json()["progress"] is not None)
        with database.read() as session:
            progress = pace.progress_of(session, session.scalars(select(Annotator.id)).one())
        # What the study has may be a little old, and the pace is told with the next items.
        shown = progress.text.partition("study ")[0]
        assert shown.startswith(f"{progress.mine} graded · item {progress.mine + 1} of 120 · ")
        expect(line).to_contain_text(shown)
    assert set(told) == {True, False}
