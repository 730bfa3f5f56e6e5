"""A study closes while people are under way: whoever worked comes to the end, and everybody reads what is true."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.clock import utc_now
from app.services import study_settings
from app.services.questionnaires.forms import NOTHING, publish_form
from app.services.study_options import Ending, Endings
from app.storage.engine import Database
from app.storage.models import Annotator, FormResponse, Study
from tests.way.helpers import CONSENT, FROM_PROLIFIC, add_check, come, grade, invite, open_way, send, stage_of

CODES = Endings(done=Ending(code="DONE1"), failed=Ending(code="FAIL1"), declined=Ending(code="NO1")).model_dump()
BACK = 'href="https://app.prolific.com/submissions/complete?cc=DONE1"'
# People without a code come again and again: no address of theirs may lead round in a circle.
ADDRESSES = ("/way", "/grade", "/grade/thanks", "/way/closing", "/way/profile", "/way/practice")


@pytest.fixture
def way(client: TestClient, database: Database) -> TestClient:
    """Somebody has come by Prolific to a study with all forms, and something to practise with."""
    with database.write() as session:
        study = open_way(session, endings=CODES, practice={"pass_mark": 1.0})
        add_check(session, study, "practice", 1, 3)
    come(client, invite(database, "prolific"), **FROM_PROLIFIC)
    return client


def work(way: TestClient) -> TestClient:
    """Up to the first item that counts, and no further."""
    send(way, "consent", answer="agree")
    send(way, "profile", **{"answer-years": "7"})
    grade(way, 3)  # practice
    grade(way, 2)
    return way


def close(database: Database) -> None:
    """The admin closes the study."""
    with database.write() as session:
        session.scalars(select(Study)).one().state = "closed"


@pytest.mark.parametrize("address", ADDRESSES)
def test_whoever_worked_is_asked_the_closing_questions_and_gets_the_code(
    way: TestClient, database: Database, address: str
) -> None:
    work(way)
    close(database)
    page = way.get(address)
    assert page.url.path == "/way/closing"
    assert "The study is closed." in page.text
    assert "DONE1" not in page.text
    assert send(way, "closing", **{"answer-hard": "no"}) == "/grade/thanks"
    thanks = way.get("/way").text
    assert "DONE1" in thanks
    assert BACK in thanks
    assert stage_of(database) == "done"
    with database.read() as session:
        assert session.scalars(select(FormResponse.answers)).all()[-1] == {"hard": "no"}


@pytest.mark.sqlite_is_enough
def test_whoever_stood_before_the_closing_questions_still_does(way: TestClient, database: Database) -> None:
    work(way)
    grade(way, 1)
    grade(way, 1)
    assert way.get("/grade").url.path == "/way/closing"
    close(database)
    assert way.get("/grade").url.path == "/way/closing", "no code before what was to be answered is stored"
    assert stage_of(database) == "closing"
    send(way, "closing")
    assert "DONE1" in way.get("/grade").text


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("kind", ["consent", "closing"])
def test_a_form_that_changed_or_went_keeps_nobody_from_the_code(
    way: TestClient, database: Database, kind: str, address: str
) -> None:
    work(way)
    with database.write() as session:
        study = study_settings.lock(session, "the-way")
        publish_form(session, "test", study, kind, NOTHING if kind == "closing" else CONSENT | {"text": "Anew."})
    close(database)
    page = way.get(address)
    assert page.url.path == "/grade/thanks"
    assert "DONE1" in page.text


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("stage", ["consent", "profile", "instructions", "practice", "grading"])
def test_whoever_had_graded_nothing_reads_that_there_is_no_code(
    way: TestClient, database: Database, stage: str
) -> None:
    with database.write() as session:
        session.execute(update(Annotator).values(stage=stage))
    close(database)
    for address in (*ADDRESSES, "/way/consent"):
        page = way.get(address)
        assert page.url.path == "/grade/thanks", address
        assert "The study is closed" in page.text
        assert "there is no completion code. Return the task where you took it" in page.text
        assert "DONE1" not in page.text
    assert stage_of(database) == stage


@pytest.mark.sqlite_is_enough
def test_who_came_by_a_plain_link_reads_nothing_of_codes(client: TestClient, database: Database) -> None:
    with database.write() as session:
        open_way(session)
    come(client, invite(database))
    close(database)
    page = client.get("/way").text
    assert "Thank you for coming." in page
    assert "completion code" not in page


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("stage", ["grading", "closing"])
def test_whoever_was_excluded_gets_no_code_and_is_not_led_in_a_circle(
    way: TestClient, database: Database, stage: str
) -> None:
    work(way)
    with database.write() as session:
        session.execute(update(Annotator).values(excluded_at=utc_now(), excluded_reason="test", stage=stage))
    close(database)
    for address in ("/way", "/grade", "/grade/thanks"):
        page = way.get(address)
        assert page.url.path == "/grade/thanks"
        assert "DONE1" not in page.text
