"""The whole way by plain forms: consent, questions, practice, grading, closing, thanks; and each way to leave it."""

from datetime import timedelta

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from app.clock import utc_now
from app.services import study_settings
from app.services.questionnaires.forms import NOTHING, publish_form
from app.services.study_options import Ending, Endings
from app.services.way import check_editing
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, AuditEvent, FormResponse, Grade, Item, Study
from tests.way.helpers import (
    CLOSING,
    CONSENT,
    FROM_PROLIFIC,
    add_check,
    come,
    counts,
    grade,
    invite,
    open_way,
    send,
    set_options,
    stage_of,
)

CODES = Endings(done=Ending(code="DONE1"), failed=Ending(code="FAIL1"), declined=Ending(code="NO1")).model_dump()
pytestmark = pytest.mark.sqlite_is_enough


def begin(
    database: Database, client: TestClient, *, forms: bool = False, problems: int = 3, **options: object
) -> None:
    """Somebody has come by Prolific."""
    with database.write() as session:
        open_way(session, forms=forms, problems=problems, endings=CODES, **options)
    come(client, invite(database, "prolific"), **FROM_PROLIFIC)


def test_the_whole_way(client: TestClient, database: Database) -> None:
    begin(database, client, forms=True)
    assert client.get("/way").url.path == "/way/consent"
    assert client.get("/grade").url.path == "/way/consent", "nothing is handed out before"
    assert send(client, "consent", answer="agree") == "/way/profile"
    assert client.get("/grade").url.path == "/way/profile"
    wrong = client.post("/way/profile", data={"version": "2", "answer-years": "-1"})
    assert (wrong.status_code, "The least is 0." in wrong.text) == (422, True)
    assert send(client, "profile", **{"answer-years": "7"}) == "/grade/instructions"
    assert "DONE1" not in client.get("/grade/thanks").text
    for value in (4, 0, 2):
        assert grade(client, value) == "/grade"
    page = client.get("/grade")
    assert page.url.path == "/way/closing"
    assert "DONE1" not in client.get("/grade/thanks").text
    assert send(client, "closing", **{"answer-hard": "no"}) == "/grade/thanks"
    thanks = client.get("/grade/thanks").text
    assert "DONE1" in thanks
    assert 'href="https://app.prolific.com/submissions/complete?cc=DONE1"' in thanks
    with database.read() as session:
        person = session.scalars(select(Annotator)).one()
        assert person.stage == "done"
        assert person.crowd
        assert person.crowd["ending"]["code"] == "DONE1"
        answers = session.scalars(select(FormResponse.answers).order_by(FormResponse.id)).all()
        assert answers == [{"agreed": True}, {"years": 7}, {"hard": "no"}]


def test_a_study_without_anything_more_goes_straight_to_the_items(client: TestClient, database: Database) -> None:
    begin(database, client)
    assert client.get("/way").url.path == "/grade/instructions"
    for stage in ("consent", "profile", "closing", "break", "practice"):
        assert client.get(f"/way/{stage}").url.path == "/grade/instructions"
    assert client.get("/grade").url.path == "/grade"
    assert stage_of(database) == "grading"
    assert client.get("/grade/instructions").url.path == "/grade/instructions", "going back is always possible"


def test_declining_ends_it_with_a_code_of_its_own(client: TestClient, database: Database) -> None:
    begin(database, client, forms=True)
    assert send(client, "consent", answer="decline") == "/grade/thanks"
    page = client.get("/grade")
    assert page.url.path == "/grade/thanks"
    assert "NO1" in page.text
    assert "DONE1" not in page.text
    with database.read() as session:
        assert session.scalars(select(FormResponse.answers)).all() == [{"agreed": False}]
        assert session.scalar(select(func.count()).select_from(Assignment)) == 0


def test_pressing_twice_stores_once(client: TestClient, database: Database) -> None:
    begin(database, client, forms=True)
    for _ in range(2):
        client.post("/way/consent", data={"version": "1", "answer": "agree"})
    assert counts(database)["form_responses"] == 1
    assert stage_of(database) == "profile"


def finish(client: TestClient, database: Database) -> None:
    """To the end of a study of three items, with consent given; then the consent changes."""
    begin(database, client, forms=True)
    send(client, "consent", answer="agree")
    send(client, "profile", **{"answer-years": "7"})
    for _ in range(3):
        grade(client, 3)
    assert client.get("/grade").url.path == "/way/closing"
    send(client, "closing")
    assert stage_of(database) == "done"
    with database.write() as session:
        study = study_settings.lock(session, "the-way")
        publish_form(session, "test", study, "consent", CONSENT | {"text": "We keep them longer."})


def test_whoever_was_done_agrees_to_a_changed_consent_before_getting_more(
    client: TestClient, database: Database
) -> None:
    finish(client, database)
    with database.write() as session:
        old = session.scalars(select(Item).limit(1)).one()
        names = ("study_id", "instrument_id", "problem_id", "shuffle")
        session.add(Item(identity="new", text="new", **{name: getattr(old, name) for name in names}))
    before = counts(database)["assignments"]
    page = client.get("/grade")
    assert page.url.path == "/way/consent"
    assert "We keep them longer." in page.text
    assert counts(database)["assignments"] == before, "nothing is handed out before"
    assert send(client, "consent", answer="agree") == "/grade"
    assert stage_of(database) == "grading"
    assert counts(database)["assignments"] == before + 1


def test_whoever_is_done_and_gets_nothing_more_is_asked_nothing(client: TestClient, database: Database) -> None:
    finish(client, database)
    page = client.get("/grade")
    assert page.url.path == "/grade/thanks"
    assert "DONE1" in page.text
    assert stage_of(database) == "done"


def test_a_consent_that_changed_is_asked_again_before_the_next_item(client: TestClient, database: Database) -> None:
    begin(database, client, forms=True)
    send(client, "consent", answer="agree")
    send(client, "profile", **{"answer-years": "7"})
    grade(client, 3)
    with database.write() as session:
        study = study_settings.lock(session, "the-way")
        publish_form(session, "test", study, "consent", CONSENT | {"text": "We keep them longer."})
    page = client.get("/grade")
    assert page.url.path == "/way/consent"
    assert "has changed since you agreed" in page.text
    stale = client.post("/way/consent", data={"version": "1", "answer": "agree"}, headers={"Accept": "text/html"})
    assert stale.status_code == 409, "nobody agrees to what they have not read"
    assert send(client, "consent", answer="agree") == "/grade"
    assert client.get("/grade").url.path == "/grade"
    assert "We keep them longer." in client.get("/way/consent").text, "it can be read again"
    assert counts(database)["form_responses"] == 3


def test_a_consent_that_came_later_does_not_say_that_it_changed(client: TestClient, database: Database) -> None:
    begin(database, client, forms=False)
    grade(client, 3)
    with database.write() as session:
        publish_form(session, "test", study_settings.lock(session, "the-way"), "consent", CONSENT)
    page = client.get("/grade")
    assert page.url.path == "/way/consent"
    assert "has changed since you agreed" not in page.text


def practice(database: Database, client: TestClient, **settings: object) -> None:
    """Two items of practice: the first's answer is 3, the second's 1."""
    with database.write() as session:
        study = open_way(session, forms=False, endings=CODES, practice=settings)
        add_check(session, study, "practice", 1, 3)
        add_check(session, study, "practice", 2, 1)
    come(client, invite(database, "prolific"), **FROM_PROLIFIC)


def test_practice_passed(client: TestClient, database: Database) -> None:
    practice(database, client, pass_mark=1.0)
    told = client.get(grade(client, 3)).text
    assert "✓ Right" in told
    assert "Because of <em>practice</em> 1." in told
    told = client.get(grade(client, 1)).text
    assert "2 of 2 right" in told
    assert "You passed the practice" in told
    assert stage_of(database) == "grading"
    assert client.get("/grade").url.path == "/grade"


def test_practice_failed_tried_again_and_passed(client: TestClient, database: Database) -> None:
    practice(database, client, pass_mark=1.0, tries=2)
    first = grade(client, 0)
    told = client.get(first).text
    assert "✗ Not right" in told
    assert "Your answer: <b>0 (Not helpful)</b>" in told
    assert "Right: <b>3 (Small change)</b>" in told
    grade(client, 1)
    page = client.get("/grade")
    assert page.url.path == "/way/practice"
    assert "You got 1 of 2 right" in page.text
    assert client.post("/way/practice").url.path == "/grade"
    assert client.get(first).status_code == 404, "the next round is unanswered"
    grade(client, 3)
    grade(client, 1)
    assert stage_of(database) == "grading"
    assert client.post("/way/practice").url.path == "/grade", "there is nothing to try again"


def test_practice_failed_for_good(client: TestClient, database: Database) -> None:
    practice(database, client, pass_mark=0.6, tries=1)
    grade(client, 3)
    last = client.get(grade(client, 0))
    assert "1 of 2 right" in last.text
    page = client.get("/grade")
    assert page.url.path == "/grade/thanks"
    assert "FAIL1" in page.text
    assert stage_of(database) == "failed"


def test_practice_failed_may_lead_on(client: TestClient, database: Database) -> None:
    practice(database, client, pass_mark=1.0, tries=1, on_failing="go on")
    grade(client, 0)
    grade(client, 0)
    assert stage_of(database) == "grading"
    assert client.get("/grade").url.path == "/grade"


def test_an_answer_that_was_told_stands(client: TestClient, database: Database) -> None:
    practice(database, client, pass_mark=1.0)
    item = grade(client, 0).rsplit("/", 1)[-1]
    body = {"submission_id": "another-one", "kind": "grade", "value": 3, "revision": 1}
    assert client.post(f"/grade/{item}/answer", json=body).status_code == 409
    with database.read() as session:
        assert session.scalars(select(Grade.value)).all() == [0]


def test_nobody_is_stuck_at_a_stage_that_the_study_dropped(client: TestClient, database: Database) -> None:
    practice(database, client, pass_mark=1.0)
    assert client.get("/grade").url.path == "/grade"
    assert stage_of(database) == "practice"
    with database.write() as session:
        for item in session.scalars(select(Item).where(Item.role == "practice")):
            check_editing.remove(session, "test", study_settings.lock(session, "the-way"), item.id)
        session.execute(update(Assignment).values(state="lapsed", slot=None))
    assert client.get("/grade").url.path == "/grade"
    assert stage_of(database) == "grading"
    with database.write() as session:
        publish_form(session, "test", study_settings.lock(session, "the-way"), "closing", CLOSING)
    for value in (1, 2, 3):
        grade(client, value)
    assert client.get("/grade").url.path == "/way/closing"
    with database.write() as session:
        publish_form(session, "test", study_settings.lock(session, "the-way"), "closing", NOTHING)
    assert "DONE1" in client.get("/way").text
    assert stage_of(database) == "done"


def failed_checks(database: Database, client: TestClient, role: str) -> list[str]:
    """Answer wrongly until the work ends; where each answer led."""
    with database.write() as session:
        every = {f"{role}_every": 2, "most_failed": 2}
        study = open_way(session, forms=False, problems=12, endings=CODES, checks=every)
        for number in range(3):
            add_check(session, study, role, number, 3)
    come(client, invite(database, "prolific"), **FROM_PROLIFIC)
    led = []
    while client.get("/grade").url.path == "/grade":
        led.append(grade(client, 0))
    return led


def test_silent_checks_end_the_work_and_say_nothing(client: TestClient, database: Database) -> None:
    led = failed_checks(database, client, "silent")
    assert set(led[:-1]) == {"/grade"}
    assert led[-1] == "/way"
    page = client.get("/way")
    assert "FAIL1" in page.text
    with database.read() as session:
        roles = session.scalars(select(Item.role).join(Assignment).where(Assignment.state == "graded")).all()
        assert roles.count("silent") == 2
        held = select(func.count()).where(Assignment.state == "claimed")
        assert session.scalar(held) == 0, "others may have what was begun"


def test_loud_checks_tell_afterwards(client: TestClient, database: Database) -> None:
    told = [path for path in failed_checks(database, client, "loud") if path.startswith("/way/told/")]
    assert len(told) == 2
    page = client.get(told[0]).text
    assert "check of attention" in page
    assert "real" not in page.split("<main")[1].split("<section")[0], "other checks say nothing"
    end = client.get("/way").text
    assert "FAIL1" in end
    assert 'class="farewell"' in end, "without the edge of success"
    assert "stored already" not in end
    assert "Because of <em>loud</em>" in page


def test_a_limit_of_items_is_kept_to_the_item(client: TestClient, database: Database) -> None:
    begin(database, client, problems=6, limits={"items": 2})
    grade(client, 1)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Assignment)) == 2, "none too many is held"
    grade(client, 1)
    page = client.get("/grade")
    assert page.url.path == "/grade/thanks"
    assert "DONE1" in page.text
    assert client.post("/grade/next", json={"have": []}).json()["items"] == []
    set_options(database, endings=CODES, limits={"items": 3})
    assert client.get("/grade").url.path == "/grade", "a limit raised while it runs lets people go on"


def test_a_limit_of_minutes(client: TestClient, database: Database) -> None:
    begin(database, client, problems=9, limits={"minutes": 6})
    now = utc_now()
    for minutes in (0, 4, 8):
        with time_machine.travel(now + timedelta(minutes=minutes), tick=False):
            grade(client, 1)
    with time_machine.travel(now + timedelta(minutes=9), tick=False):
        assert client.get("/grade").url.path == "/grade/thanks"
    assert stage_of(database) == "done"


def test_the_first_item_is_work_from_when_it_was_handed_out(client: TestClient, database: Database) -> None:
    begin(database, client, problems=9, limits={"pause_after": 1, "pause": 10})
    now = utc_now()
    with time_machine.travel(now, tick=False):
        client.get("/grade")
    with time_machine.travel(now + timedelta(seconds=67), tick=False):
        grade(client, 1)
        assert client.get("/grade").url.path == "/way/break"


def test_a_break_is_due_and_over(client: TestClient, database: Database) -> None:
    begin(database, client, problems=9, limits={"pause_after": 6, "pause": 10})
    now = utc_now()
    for minutes in (0, 4, 8):
        with time_machine.travel(now + timedelta(minutes=minutes), tick=False):
            grade(client, 1)
    with time_machine.travel(now + timedelta(minutes=10), tick=False):
        page = client.get("/grade")
        assert page.url.path == "/way/break"
        until = (now + timedelta(minutes=18)).strftime("%Y-%m-%dT%H:%M:%SZ")
        assert f'datetime="{until}"' in page.text
        assert '<meta http-equiv="refresh" content="481;url=/way">' in page.text, "without script, too"
        assert client.get("/grade/answers").status_code == 200
    with time_machine.travel(now + timedelta(minutes=18), tick=False):
        assert client.get("/grade").url.path == "/grade"
    assert stage_of(database) == "grading"


def test_work_ends_with_the_study(client: TestClient, database: Database) -> None:
    begin(database, client)
    grade(client, 2)
    with database.write() as session:
        session.scalars(select(Study)).one().state = "closed"
    page = client.get("/grade")
    assert "The study is closed" in page.text
    assert "DONE1" in page.text


def test_a_code_stays_what_it_was(client: TestClient, database: Database) -> None:
    begin(database, client, problems=1)
    grade(client, 2)
    assert "DONE1" in client.get("/grade").text
    set_options(database, endings=Endings(done=Ending(code="LATER")).model_dump())
    assert "DONE1" in client.get("/grade/thanks").text


def test_whoever_was_done_goes_on_when_there_is_more(client: TestClient, database: Database) -> None:
    with database.write() as session:
        open_way(session, forms=False, problems=1, quotas={"": 0})
    come(client, invite(database))
    assert client.get("/grade").url.path == "/grade/thanks"
    assert stage_of(database) == "done"
    set_options(database)
    assert client.get("/grade").url.path == "/grade"
    assert stage_of(database) == "grading"


def test_settings_are_kept_from_what_to_what(client: TestClient, database: Database) -> None:
    with database.write() as session:
        open_way(session)
    set_options(database, limits={"items": 5})
    set_options(database, limits={"items": 5})
    with database.read() as session:
        events = session.scalars(select(AuditEvent).where(AuditEvent.action == "study way changed")).all()
    assert [event.details for event in events] == [{"changes": {"limits.items": {"before": None, "after": 5}}}]
