"""Studies and their desk."""

import io
import json
import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.clock import utc_now
from app.ids import hash_token
from app.services import annotators, assignments, grading, invitation_links, sign_ins
from app.services.exports.bundle import write_bundle
from app.services.questionnaires.forms import NOTHING, publish_form
from app.services.studies import find_study
from app.services.study_progress import progress_of
from app.storage.engine import Database
from app.storage.files import FileStore
from app.storage.models import Annotator, AuditEvent, Invitation, Item, PersonalLink, Question, Study
from tests.factories import add_grade, make_study
from tests.security.world import World, make_annotator, make_user

SETTINGS = {
    "title": "Here",
    "description": "",
    "instructions": "",
    "grades_per_item": "3",
    "claim_minutes": "60",
}


def test_the_list_offers_what_one_may_do(world: World) -> None:
    page = world.client("admin").get("/studies").text
    assert "/studies/here" in page
    assert "/studies/new" in page
    assert "/studies/new" not in world.client("researcher").get("/studies").text


def test_an_empty_list_says_what_belongs_there(client: TestClient, database: Database) -> None:
    with database.write() as session:
        token = sign_ins.start_session(session, user_id=make_user(session, "admin").id)
    client.cookies.set("codejury", token)
    page = client.get("/studies").text
    assert "Here will be your studies" in page
    assert "/import" in page
    assert "codejury demo" in page


def test_progress_counts_each_item_up_to_its_goal(database: Database) -> None:
    with database.write() as session:
        study = make_study(session, problems=2, systems=2, grades_per_item=2)
        question = session.scalars(select(Question.id)).one()
        items = session.scalars(select(Item).order_by(Item.id)).all()
        items[3].gradable = False
        for number, count in enumerate((3, 1, 0, 2)):
            for grader in range(count):
                who = make_annotator(session, study, f"P{number}{grader}")
                add_grade(session, who, items[number].id, question, 0.0)
        session.expire_all()
        study.state = "open"
        token = invitation_links.create_invitation(session, "test", study)
        assignments.upcoming(session, annotators.join(session, token, "t" * 43).id)  # claims are no grades yet
    with database.read() as session:
        counts = progress_of(session, [study])[study.id]
    assert (counts.problems, counts.systems, counts.outputs, counts.items) == (2, 2, 4, 3)
    assert (counts.graded, counts.held, counts.wanted, counts.percent) == (4, 3, 6, 50)


def test_a_new_study_leads_to_its_desk(world: World, database: Database) -> None:
    client = world.client("admin")
    answer = client.post(
        "/studies/new", data={"title": " Third one ", "grades_per_item": "5", "ask-helpfulness": "yes"}
    )
    assert answer.headers["location"] == "/studies/third-one/desk"
    page = client.get("/studies/third-one/desk").text
    assert "It has no material" in page
    assert client.post("/studies/third-one/desk/state", data={"state": "open"}).status_code == 409
    with database.read() as session:
        study = session.scalars(select(Study).where(Study.slug == "third-one")).one()
        assert (study.title, study.grades_per_item, study.state) == ("Third one", 5, "draft")


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        ({"title": "", "grades_per_item": "3"}, "title", "This is needed."),
        ({"title": "Here", "grades_per_item": "3"}, "title", "There is a study"),
        ({"title": "???", "grades_per_item": "3"}, "title", "at least one letter"),
        ({"title": "New", "grades_per_item": "3"}, "title", "taken by another page"),
        ({"title": "x" * 201, "grades_per_item": "3"}, "title", "at most 200"),
        ({"title": "Fine", "grades_per_item": "0"}, "grades_per_item", "The least is 1."),
        ({"title": "Fine", "grades_per_item": "9" * 5000}, "grades_per_item", "number"),
        ({"title": "Fine", "grades_per_item": "many"}, "grades_per_item", "Enter a whole number."),
        ({"title": "Fine", "grades_per_item": "3"}, "instruments", "choose at least one"),
    ],
)
def test_a_bad_form_comes_back_with_its_values_and_reasons(
    world: World, form: dict[str, str], field: str, words: str
) -> None:
    before = world.rows()
    asked = {} if field == "instruments" else {"ask-naturalness": "yes"}
    answer = world.client("admin").post("/studies/new", data=form | asked | {"description": "kept <b>"})
    assert answer.status_code == 422
    assert words in answer.text
    assert f'id="{field}-error"' in answer.text
    assert re.search(rf'aria-describedby="[^"]*{field}-error"', answer.text)
    assert "kept &lt;b&gt;" in answer.text
    assert world.rows() == before


def test_states_follow_each_other(world: World, database: Database) -> None:
    client = world.client("admin")
    for state in ("paused", "open", "closed", "open"):
        assert client.post("/studies/here/desk/state", data={"state": state}).status_code == 303
    assert client.post("/studies/here/desk/state", data={"state": "open"}).status_code == 409
    assert client.post("/studies/here/desk/state", data={"state": "draft"}).status_code == 422
    with database.read() as session:
        changes = session.scalars(select(AuditEvent).where(AuditEvent.action == "study state changed")).all()
        assert [(event.details["before"], event.details["after"]) for event in changes] == [
            ("open", "paused"),
            ("paused", "open"),
            ("open", "closed"),
            ("closed", "open"),
        ]


def test_settings_change_while_the_study_runs(world: World, database: Database) -> None:
    client = world.client("admin")
    form = SETTINGS | {"title": "Here & now", "grades_per_item": "5", "instructions": "# Read\r\n\r\nthis"}
    assert client.post("/studies/here/desk", data=form).status_code == 303
    page = client.get("/studies/here/desk/settings?done=settings").text
    assert "The settings are saved." in page
    assert "Here &amp; now" in page
    with database.read() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        assert (study.grades_per_item, study.instructions) == (5, "# Read\n\nthis")
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "study settings changed")).one()
        assert event.details["changes"]["grades_per_item"] == {"before": 3, "after": 5}
        assert "claim_minutes" not in event.details["changes"]


def test_how_items_are_made_can_change_until_there_are_any(world: World, database: Database) -> None:
    client = world.client("admin")
    new = {"title": "Empty", "grades_per_item": "3", "merge_identical": "no", "ask-helpfulness": "yes"}
    assert 'name="merge_identical"' in client.get("/studies/new").text
    assert client.post("/studies/new", data=new).status_code == 303
    page = client.get("/studies/empty/desk/settings").text
    assert '<option value="no" selected>are graded one by one' in page
    change = SETTINGS | {"title": "Empty", "merge_identical": "yes", "include_references": "no"}
    assert client.post("/studies/empty/desk", data=change).status_code == 303
    with database.read() as session:
        study = session.scalars(select(Study).where(Study.slug == "empty")).one()
        assert (study.merge_identical, study.include_references) == (True, False)
    page = client.get("/studies/here/desk/settings").text
    assert "graded once for all" in page
    assert 'name="merge_identical"' not in page
    before = world.rows()
    assert client.post("/studies/here/desk", data=SETTINGS | {"merge_identical": "no"}).status_code == 409
    assert world.rows() == before


@pytest.mark.parametrize("extra", [{"seed": "1"}, {"slug": "x"}, {"state": "closed"}, {"id": "9"}])
def test_nothing_else_can_be_set_by_the_way(world: World, extra: dict[str, str]) -> None:
    before = world.rows()
    assert world.client("admin").post("/studies/here/desk", data=SETTINGS | extra).status_code == 422
    assert world.rows() == before


def test_an_invitation_is_shown_once(world: World, database: Database) -> None:
    client = world.client("admin")
    form = {"label": "Course <A>", "max_uses": "2", "expires_at": "2126-11-28T10:30"}
    page = client.post("/studies/here/way/invitations", data=form).text
    token = re.search(r"/join/([\w-]{43})<", page)
    assert token
    again = client.get("/studies/here/way/invitations").text
    assert token[1] not in again
    assert "Course &lt;A&gt;" in again
    assert "0 of 2" in again
    with database.read() as session:
        row = session.scalars(select(Invitation).order_by(Invitation.id.desc()).limit(1)).one()
        assert row.token_hash == hash_token(token[1])
        assert row.expires_at == datetime(2126, 11, 28, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "form", [{"max_uses": "0"}, {"max_uses": "x"}, {"count": "-1"}, {"expires_at": "99999999999"}]
)
def test_impossible_limits_are_refused(world: World, form: dict[str, str]) -> None:
    before = world.rows()
    answer = world.client("admin").post("/studies/here/way/invitations", data=form)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert world.rows() == before


def test_a_revoked_invitation_says_so(world: World, database: Database) -> None:
    client = world.client("admin")
    assert client.post("/studies/here/way/invitations/1/revoke").status_code == 303
    assert "revoked" in client.get("/studies/here/way/invitations").text
    client.post("/studies/here/way/invitations/1/revoke")
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent).where(AuditEvent.action == "invitation revoked")).all()) == 1


def test_an_expired_invitation_says_so(world: World) -> None:
    client = world.client("admin")
    end = (utc_now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    client.post("/studies/here/way/invitations", data={"expires_at": end})
    with time_machine.travel(utc_now() + timedelta(hours=11), tick=False):
        client.get("/studies")
    with time_machine.travel(utc_now() + timedelta(hours=22), tick=False):
        client.get("/studies")
    with time_machine.travel(utc_now() + timedelta(hours=25), tick=False):
        assert "expired" in client.get("/studies/here/way/invitations").text


def test_names_of_annotators_are_on_the_desk_only(world: World) -> None:
    assert "Name of A01" in world.client("admin").get("/studies/here/desk/annotators").text
    for path in ("/", "/studies", "/people", "/account"):
        assert "Name of A01" not in world.client("admin").get(path).text


def test_a_new_personal_link_replaces_the_old(world: World, database: Database) -> None:
    page = world.client("admin").post("/studies/here/desk/annotators/1/link").text
    token = re.search(r"/me/([\w-]{43})<", page)
    assert token
    assert "new personal link of A01" in page
    with database.read() as session:
        links = session.scalars(select(PersonalLink).order_by(PersonalLink.id)).all()
        assert [link.revoked_at is None for link in links] == [False, True]
        assert links[1].token_hash == hash_token(token[1])


def test_an_annotator_gets_a_name_or_a_note(world: World, database: Database) -> None:
    client = world.client("admin")
    for name in ("From <course> A", "From <course> A"):
        assert client.post("/studies/here/desk/annotators/1/name", data={"name": name}).status_code == 303
    assert 'value="From &lt;course&gt; A"' in client.get("/studies/here/desk/annotators").text
    client.post("/studies/here/desk/annotators/1/name", data={"name": ""})
    with database.read() as session:
        assert session.get_one(Annotator, 1).name is None
        events = session.scalars(select(AuditEvent).where(AuditEvent.action.like("annotator%"))).all()
    assert [event.details for event in events] == [{"annotator": 1}, {"annotator": 1}]
    assert client.post("/studies/here/desk/annotators/1/name", data={"name": "x" * 201}).status_code == 422
    assert client.post("/studies/elsewhere/desk/annotators/1/name", data={"name": "x"}).status_code == 404


def test_the_desk_tells_which_invitation_brought_whom(world: World, database: Database) -> None:
    with database.write() as session:
        study = find_study(session, "here")
        study.state = "open"
        token = invitation_links.create_invitation(session, "test", study, label="Mailing list")
        annotators.join(session, token, "t" * 43)
    assert re.search(
        r'data-label="Came by">Mailing list<', world.client("admin").get("/studies/here/desk/annotators").text
    )


def test_flags_reach_the_desk_and_the_bundle(world: World, database: Database, tmp_path: Path) -> None:
    with database.write() as session:
        study = find_study(session, "here")
        study.state = "open"
        publish_form(session, "test", study, "consent", NOTHING)
        token = invitation_links.create_invitation(session, "test", study)
        person = annotators.join(session, token, "t" * 43)
        first, second = assignments.upcoming(session, person.id)
        for claim, notes in ((first, ["Early", "Cut <off>"]), (second, [""])):
            for number, note in enumerate(notes):
                sent = f"{claim.public_id}-{number}"
                grading.submit(session, person.id, grading.Submission(claim.public_id, sent, "flag", note=note))
        texts = [session.get_one(Item, claim.item_id).text for claim in (first, second)]
    page = world.client("admin").get("/studies/here/desk/items?show=flags").text
    assert re.search(r'id="flags">Flags <span class="muted">2<', page)
    assert "Cut &lt;off&gt;" in page
    assert "Early" not in page
    with database.read() as session:
        file = io.BytesIO()
        write_bundle(session, find_study(session, "here"), FileStore(tmp_path), file)
    with zipfile.ZipFile(file) as bundle:
        rows = [json.loads(line) for line in bundle.read("flags.jsonl").splitlines()]
    assert {(row["text"], row["note"]) for row in rows} == {(texts[0], "Cut <off>"), (texts[1], "")}
    assert all(row["worker"] == person.pseudonym and row["problem"] and row["systems"] for row in rows)
