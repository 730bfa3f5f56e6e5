"""Targets, the message, copies of a study, and the log of all decisions."""

import csv
import io
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.services import audit
from app.services.desk import copying, runs
from app.services.desk.log_names import ACTIONS
from app.services.invitation_links import create_invitation, revoke_invitation
from app.services.questionnaires.forms import publish_form
from app.services.questionnaires.instruments import add_instrument, instruments_of, questions_of
from app.services.questionnaires.ready_made import NATURALNESS
from app.services.questionnaires.versions import latest_version, publish
from app.services.runs import execute
from app.services.studies import find_study
from app.services.study_options import parse_options
from app.services.way.check_editing import use_item
from app.services.way.options import change_options
from app.storage.models import AuditEvent, Grade, Invitation, Item, Output, Problem, Reference, Run, Study, System
from tests.desk.conftest import DESK, Desk
from tests.way.helpers import CLOSING, CONSENT, PROFILE


def test_targets_of_instruments(desk: Desk) -> None:
    with desk.database.write() as session:
        study = session.get_one(Study, desk.study)
        add_instrument(session, study, NATURALNESS)
        first, second = (each.id for each in instruments_of(session, study.id))
    assert f'name="target_{first}"' in desk.get("/settings")
    form = {f"target_{first}": "6", f"target_{second}": ""}
    assert desk.client.post(f"{DESK}/targets", data=form, follow_redirects=False).status_code == 303
    assert "12 of 24 grades are in" in desk.get("")
    for bad in ("0", "101", "x", "²", "9" * 50):
        refused = desk.client.post(f"{DESK}/targets", data=form | {f"target_{second}": bad})
        assert refused.status_code == 422, bad
        assert f"target_{second}-error" in refused.text
    assert desk.client.post(f"{DESK}/targets", data={"target_99": "1"}).status_code == 422
    with desk.database.read() as session:
        events = session.scalars(select(AuditEvent).where(AuditEvent.action == "targets changed")).all()
    assert [event.details["changes"] for event in events] == [
        {"grades per item of helpfulness": {"before": None, "after": 6}}
    ]
    assert "Grades per item of helpfulness: from nothing to 6." in desk.get("/log")


def test_the_message_is_seen_before_it_is_kept(desk: Desk) -> None:
    text = "**Thanks**\r\n\r\n<script>alert(1)</script>"
    page = desk.client.post(f"{DESK}/message", data={"message": text, "action": "preview"}).text
    assert "<strong>Thanks</strong>" in page
    assert "<script>alert" not in page
    with desk.database.read() as session:
        assert session.get_one(Study, desk.study).message == ""
    desk.client.post(f"{DESK}/message", data={"message": text, "action": "save"})
    desk.client.post(f"{DESK}/message", data={"message": "Bye", "action": "save"})
    with desk.database.read() as session:
        assert session.get_one(Study, desk.study).message == "Bye"
    assert "Message: from “**Thanks** &lt;script&gt;alert(1)&lt;/script&gt;” to “Bye”." in desk.get("/log")


def counts(desk: Desk, slug: str) -> list[int]:
    with desk.database.read() as session:
        study = find_study(session, slug)
        found = [
            session.scalar(select(func.count()).where(table.study_id == study.id)) for table in (Problem, System)
        ]
        found.append(session.scalar(select(func.count()).where(Item.study_id == study.id)))
        for table in (Output, Reference):
            mine = (
                select(func.count()).join(Problem, Problem.id == table.problem_id).where(Problem.study_id == study.id)
            )
            found.append(session.scalar(mine.select_from(table)))
        return [each or 0 for each in found]


def test_a_copy_has_all_but_grades_and_people(desk: Desk) -> None:
    with desk.database.write() as session:
        study = session.get_one(Study, desk.study)
        study.options, study.message = {"retire_after": 3}, "Only for you"
        publish(session, study, "consent", {"text": "Old"})
        publish(session, study, "consent", {"text": "New"})
        item = session.scalars(select(Item)).all()[0]
        item.skips = 3
    refused = desk.client.post(f"{DESK}/copy", data={"title": "A study"})
    assert refused.status_code == 422
    assert "There is a study" in refused.text
    desk.client.post(f"{DESK}/copy", data={"title": "Again", "material": "yes"})
    assert counts(desk, "again") == counts(desk, "a-study") == [2, 2, 4, 4, 2]
    with desk.database.read() as session:
        source, copy = find_study(session, "a-study"), find_study(session, "again")
        assert (copy.state, copy.seed, copy.options, copy.message) == ("draft", source.seed, {"retire_after": 3}, "")
        assert [each.scale for each in questions_of(session, copy.id)] == [
            each.scale for each in questions_of(session, source.id)
        ]
        consent = latest_version(session, copy, "consent")
        assert consent is not None
        assert (consent.number, consent.content) == (1, {"text": "New"})
        items = session.scalars(select(Item).where(Item.study_id == copy.id)).all()
        assert {(each.load, each.skips) for each in items} == {(0, 0)}
        graded = select(func.count()).select_from(Grade).join(Item, Item.id == Grade.item_id)
        assert session.scalar(graded.where(Item.study_id == copy.id)) == 0
        pairs = select(Output, Item).join(Item, Item.id == Output.item_id).where(Item.study_id == copy.id)
        assert all(output.problem_id == item.problem_id for output, item in session.execute(pairs))
        shuffle = [
            set(session.scalars(select(Item.shuffle).where(Item.study_id == each.id))) for each in (source, copy)
        ]
        assert shuffle[0] == shuffle[1]
    assert "as a copy of “A study”" in desk.get("/studies/again/desk/log")


def test_large_material_is_copied_by_a_run_that_may_be_killed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "SMALL", 3)
    monkeypatch.setattr(copying, "AT_ONCE", 1)
    answer = desk.client.post(f"{DESK}/copy", data={"title": "Again", "material": "yes"}, follow_redirects=False)
    assert answer.headers["location"].startswith("/runs/")
    assert counts(desk, "again")[0] == 0
    with desk.database.write() as session:  # the first attempt came so far
        copying.copy_problems(session, find_study(session, "a-study"), find_study(session, "again"), after=0)
        run = session.scalars(select(Run.id).where(Run.kind == runs.COPY)).one()
    execute(desk.database, desk.settings, run)
    assert counts(desk, "again") == counts(desk, "a-study")


def test_a_copy_without_material_is_empty(desk: Desk) -> None:
    desk.client.post(f"{DESK}/copy", data={"title": "Empty"})
    assert counts(desk, "empty") == [0] * 5


def test_the_log_tells_who_and_what_and_goes_on(desk: Desk) -> None:
    with desk.database.write() as session:
        for number in range(60):
            event = {"action": "something new", "details": {"number": number, "note": "=1+1"}}
            session.add(AuditEvent(actor="user:1" if number % 2 else "annotator:1", study_id=desk.study, **event))
        session.add(
            AuditEvent(actor="user:1", action="role changed", details={"user": 1, "before": "a", "after": "b"})
        )
    page = desk.get("/log")
    assert "Something new (Note: =1+1; Number: 59)." in page
    assert ">A01<" in page
    assert ">admin<" in page
    assert "role of" not in page, "that is no decision about the study"
    assert "Changed the role of admin from a to b." in desk.client.get("/log").text
    older = page.split('class="button" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "Number: 59" not in desk.get(older)
    assert "Made the invitation 1." in desk.get(older)
    mine = desk.get("/log?person=annotator:1&kind=something new")
    assert "Number: 58" in mine
    assert "Number: 59" not in mine
    rows = list(csv.DictReader(io.StringIO(desk.get("/log.csv?kind=something+new"))))
    assert len(rows) == 60
    assert {row["who"] for row in rows} == {"A01", "admin"}
    assert rows[0]["at"].endswith("Z")


def test_the_log_says_of_what_and_by_what(desk: Desk) -> None:
    """Three versions of three forms, an invitation, a check: each can be told from the others."""
    ends = datetime(2030, 5, 6, 7, 8, tzinfo=UTC)
    with desk.database.write() as session:
        study = session.get_one(Study, desk.study)
        for kind, content in (("consent", CONSENT), ("profile", PROFILE), ("closing", CLOSING)):
            publish_form(session, "user:1", study, kind, content)
        create_invitation(session, "user:1", study, label="Spring <1>", max_uses=13, expires_at=ends)
        invitation = session.scalars(select(Invitation).order_by(Invitation.id.desc())).all()[0]
        revoke_invitation(session, "user:1", study, invitation.id)
        item = session.scalars(select(Item)).all()[0]
        use_item(session, "user:1", study, item, role="loud", answers={"helpfulness": [3, 4]}, feedback="")
        parsed = parse_options({"practice": {"on_failing": "go on"}, "checks": {"loud_every": 9}})
        change_options(session, "user:1", study, parsed)
    page = desk.get("/log")
    for words in (
        *("The consent changed.", "The questions about people changed.", "The closing questions changed."),
        *("Made the invitation “Spring &lt;1&gt;”.", "Kind of link: plain.", "For 13 people at most."),
        *("Good until 2030-05-06 07:08 UTC.", "Revoked the invitation “Spring &lt;1&gt;”."),
        *("Added a practice item or check (loud check).", "Right for helpfulness: 3, 4."),
        *("One loud check in so many items: from 0 to 9.", "from the work ends to grading begins all the same."),
        '<option value="consent changed">the consent changed</option>',
    ):
        assert words in page, words
    assert "{&#34;" not in page
    assert '{"' not in page.split("<main")[1]


@pytest.mark.sqlite_is_enough
def test_every_action_has_a_name() -> None:
    """What is recorded under a name that stands in the sources can be read in the log, in each language."""
    sources = "".join(each.read_text() for each in Path(audit.__file__).parent.parent.rglob("*.py"))
    recorded = set(re.findall(r'audit\.record\(\s*session,\s*[\w.]+(?:\([^)]*\))?,\s*"([^"]+)"', sources))
    assert len(recorded) > 15
    assert recorded <= ACTIONS.keys()
