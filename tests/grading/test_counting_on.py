"""A page that has all it needs is told no progress: it counts on by itself, and shows what the server would say."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.services import pace
from app.services.claims import claimed, give_back
from app.services.grading import Submission
from app.services.sitting import Sitting
from app.services.supply import Supply, supply
from app.services.way import answering
from app.storage.engine import Database
from app.storage.models import Annotator
from tests.grading.browsing import PAUSE, press, saved
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


def test_whoever_works_in_two_windows_is_told(begun: State) -> None:
    _, _, items = begun
    told = sent(begun, [*items[1:], "another-windows-item"])
    assert told.progress is not None


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


@pytest.mark.browser
def test_after_each_item_the_line_is_what_the_server_would_say(page: Page, database: Database) -> None:
    line = page.locator("[data-progress]")
    for key in "30412":
        press(page, key)
        page.wait_for_timeout(PAUSE)
        saved(page)
        with database.read() as session:
            person = session.scalars(select(Annotator.id)).one()
            progress = pace.progress_of(session, person)
        # What the study has may be a little old, and the pace is told with the next items.
        shown = progress.text.partition("study ")[0]
        assert shown.startswith(f"{progress.mine} graded · item {progress.mine + 1} of 9 · ")
        expect(line).to_contain_text(shown)
