"""What programs do with studies, one resource after the other, and what of it reaches the pages and the trail."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from app.config import Settings
from app.services import runs
from app.storage.engine import Database
from app.storage.models import AuditEvent, Output, Run
from tests.api.conftest import Program
from tests.security.world import World

HERE = "/api/v1/studies/here"
ROWS = [
    {"problem": "p7", "intent": "Sort a", "reference": "a.sort()", "system": "system-0", "output": "sorted(a)"},
    {"problem": "p7", "intent": "Sort a", "reference": "a.sort()", "system": "system-1", "output": "a.sort(\n)\t"},
]
NDJSON = {"Content-Type": "application/x-ndjson"}


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _done(client: TestClient, database: Database, settings: Settings, answer: Response) -> dict[str, Any]:
    """The run behind an answer, done as a worker would."""
    assert answer.status_code in (201, 202), answer.text
    public_id = answer.json()["run"]
    with database.read() as session:
        run_id = session.scalars(select(Run.id).where(Run.public_id == public_id)).one()
    assert runs.execute(database, settings, run_id)
    found: dict[str, Any] = client.get(f"/api/v1/runs/{public_id}").json()
    return found


def test_a_study_is_made_changed_opened_and_copied(program: Program, database: Database) -> None:
    client = program("admin")
    made = client.post("/api/v1/studies", json={"title": "By a program", "seed": 5, "instruments": ["naturalness"]})
    assert made.status_code == 201
    at = made.json()["links"]["study"]
    assert made.json()["targets"] == {"naturalness": None}
    assert client.post("/api/v1/studies", json={"title": "By a program"}).status_code == 409
    assert client.post(f"{at}/state", json={"state": "open"}).status_code == 409  # nothing to grade yet
    changed = client.patch(at, json={"grades_per_item": 5, "message": "Hello"}).json()
    assert (changed["grades_per_item"], changed["message"], changed["title"]) == (5, "Hello", "By a program")
    assert client.put(f"{at}/targets", json={"targets": {"naturalness": 7}}).json()["targets"] == {"naturalness": 7}
    assert client.put(f"{at}/targets", json={"targets": {"nothing": 7}}).status_code == 422
    copy = client.post(f"{HERE}/copies", json={"title": "Here again", "material": True}).json()
    assert copy["study"]["progress"]["outputs"] == client.get(HERE).json()["progress"]["outputs"] == 6
    assert client.post(f"{HERE}/state", json={"state": "paused"}).json()["state"] == "paused"
    with database.read() as session:
        actions = session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)).all()
    for action in ("study made", "study settings changed", "message changed", "targets changed", "study copied"):
        assert action in actions


def test_rows_come_in_bulk_and_stay_byte_for_byte(program: Program, database: Database, settings: Settings) -> None:
    client = program("admin")
    checked = client.post(f"{HERE}/imports/outputs/check", content=_lines(ROWS), headers=NDJSON).json()
    assert checked["new"]["outputs"] == 2
    assert checked["problems"] == []
    run = _done(
        client, database, settings, client.post(f"{HERE}/imports/outputs", content=_lines(ROWS), headers=NDJSON)
    )
    assert run["state"] == "done", run["message"]
    assert run["result"]["added"] == {
        "problems": 1,
        "systems": 0,
        "outputs": 2,
        "variants": 0,
        "grades": 0,
        "annotators": 0,
        "scores": 0,
    }
    with database.read() as session:
        assert session.scalars(select(Output.text).order_by(Output.id.desc()).limit(1)).one() == "a.sort(\n)\t"
    grades = [{"problem": "p7", "system": "system-0", "worker": "w1", "label": 3}]
    run = _done(client, database, settings, client.post(f"{HERE}/imports/grades", json=grades))
    assert run["result"]["added"]["grades"] == 1, run["message"]
    scores = b"problem,system,metric,score\np7,system-0,mine,0.5\n"
    sent = client.post(f"{HERE}/imports/scores", content=scores, headers={"Content-Type": "text/csv"})
    assert _done(client, database, settings, sent)["result"]["added"]["scores"] == 1
    listed = client.get(f"{HERE}/outputs", params={"limit": 200}).json()["items"]
    assert {"problem": "p7", "system": "system-1", "output": "a.sort(\n)\t"} in listed


def test_what_is_wrong_with_rows_names_row_and_column(
    program: Program, database: Database, settings: Settings
) -> None:
    client = program("admin")
    bad = b'{"problem": "p8", "system": "system-0", "output": "x"}\n{"problem": "p8", "system": "", "output": "y"}\n'
    checked = client.post(f"{HERE}/imports/outputs/check", content=bad, headers=NDJSON).json()
    assert [(each["row"], each["column"]) for each in checked["problems"]] == [(2, "system")]
    run = _done(client, database, settings, client.post(f"{HERE}/imports/outputs", content=bad, headers=NDJSON))
    assert run["state"] == "failed"
    assert "row 2, column 'system'" in run["message"]
    assert client.get(HERE).json()["progress"]["outputs"] == 6  # nothing half-stored


def test_an_upload_that_is_sent_twice_is_one_run(program: Program) -> None:
    client = program("admin")
    headers = NDJSON | {"Idempotency-Key": "upload-1"}
    first = client.post(f"{HERE}/imports/outputs", content=_lines(ROWS), headers=headers)
    again = client.post(f"{HERE}/imports/outputs", content=_lines(ROWS), headers=headers)
    assert first.json() == again.json()
    other = client.post(f"{HERE}/imports/outputs", content=_lines(ROWS[:1]), headers=headers)
    assert other.status_code == 409


@pytest.mark.sqlite_is_enough
def test_uploads_that_are_none(program: Program) -> None:
    client = program("admin")
    assert (
        client.post(f"{HERE}/imports/outputs", content=b"x", headers={"Content-Type": "text/html"}).status_code == 415
    )
    assert client.post(f"{HERE}/imports/pictures", content=b"x", headers=NDJSON).status_code == 422
    wrong = client.post(f"{HERE}/imports/outputs?column=only", content=_lines(ROWS), headers=NDJSON)
    assert wrong.json()["problems"][0]["field"] == "column"
    assert program("admin", "studies:write").post(f"{HERE}/imports/grades", json=[]).status_code == 403


def test_a_new_study_from_a_file(program: Program, database: Database, settings: Settings) -> None:
    client = program("admin")
    sent = client.post("/api/v1/imports/outputs?title=From a file&seed=3", content=_lines(ROWS), headers=NDJSON)
    run = _done(client, database, settings, sent)
    assert run["study"] == "from-a-file", run["message"]
    assert client.get("/api/v1/studies/from-a-file").json()["seed"] == 3


def test_the_questionnaire_is_read_and_published(program: Program) -> None:
    client, at = program("admin"), f"{HERE}/questionnaire"
    asked = client.get(at).json()
    [instrument] = asked["instruments"]
    assert instrument["name"] == "helpfulness"
    assert asked["forms"]["consent"]["text"] == "Some words"
    sent = {name: instrument[name] for name in ("title", "kind", "instructions", "state", "questions")}
    sent["title"] = "How helpful?"
    saved = client.put(f"{at}/instruments/{instrument['id']}", json=sent)
    assert saved.status_code == 200, saved.text
    assert saved.json()["questions"] == instrument["questions"]
    late = client.put(f"{at}/instruments/{instrument['id']}", json=sent)  # with the state of before
    assert late.status_code == 409
    added = client.post(f"{at}/instruments", json={"instrument": "naturalness"}).json()
    moved = client.post(f"{at}/instruments/{added['id']}/move", json={"way": "up"}).json()
    assert [each["name"] for each in moved["instruments"]] == ["naturalness", "helpfulness"]
    left = client.delete(f"{at}/instruments/{added['id']}").json()
    assert [each["name"] for each in left["instruments"]] == ["helpfulness"]
    assert client.delete(f"{at}/instruments/{instrument['id']}").status_code == 409
    dropped = client.put(f"{at}/forms/consent", json={"content": None}).json()
    assert dropped["forms"]["consent"] is None
    refused = client.put(f"{at}/forms/profile", json={"content": {"fields": [{"label": ""}]}})
    assert refused.status_code == 422
    assert refused.json()["problems"][0]["field"].startswith("fields.0")
    assert [each["number"] for each in client.get(f"{at}/versions").json()["items"] if each["kind"] == "consent"] == [
        2,
        1,
    ]


def test_the_way_its_checks_and_who_comes(program: Program, world: World) -> None:
    client = program("admin")
    options = client.get(f"{HERE}/way").json()
    options["limits"]["items"] = 10
    assert client.put(f"{HERE}/way", json=options).json() == options
    check = {"role": "practice", "intent": "Sort a", "text": "a.sort()", "answers": {"helpfulness": [3, 4]}}
    added = client.post(f"{HERE}/checks", json={"checks": [check]}).json()["items"]
    practice = next(each for each in added if each["role"] == "practice")
    changed = client.put(f"{HERE}/checks/{practice['item']}", json={"answers": {"helpfulness": 4}, "feedback": "So."})
    assert changed.json()["answers"] == {"helpfulness": 4}
    for wrong in ({"helpfulness": 9}, {"helpfulness": {"least": "a", "most": 3}}, {"no such": 1}, {}):
        assert client.put(f"{HERE}/checks/{practice['item']}", json={"answers": wrong}).status_code == 422
    left = client.delete(f"{HERE}/checks/{practice['item']}").json()["items"]
    assert practice["item"] not in [each["item"] for each in left]
    links = client.post(f"{HERE}/invitations", json={"label": "Course A", "count": 2}).json()["links"]
    assert len(links) == 2
    [first, *_] = client.get(f"{HERE}/invitations").json()["items"]
    assert (first["label"], first["max_uses"], first["state"]) == ("Course A", 1, "open")
    revoked = client.post(f"{HERE}/invitations/{first['invitation']}/revoke").json()
    assert revoked["state"] == "revoked"
    [person] = client.get(f"{HERE}/annotators").json()["items"]
    at = f"{HERE}/annotators/{person['annotator']}"
    assert client.put(f"{at}/name", json={"name": "Ada"}).json()["name"] == "Ada"
    assert client.post(f"{at}/exclude", json={"reason": "All the same"}).json()["excluded_reason"] == "All the same"
    assert client.post(f"{at}/restore", json={"reason": "A mistake"}).json()["excluded_at"] is None
    log = client.get("/api/v1/log", params={"study": "here", "action": "annotator restored"}).json()["items"]
    assert [each["details"]["reason"] for each in log] == ["A mistake"]


def test_an_answer_with_a_secret_is_told_once(program: Program, world: World) -> None:
    client = program("admin")
    key = {"Idempotency-Key": "invite-1"}
    link = client.post(f"{HERE}/invitations", json={"label": "once"}, headers=key).json()["links"][0]
    again = client.post(f"{HERE}/invitations", json={"label": "once"}, headers=key)
    assert again.status_code == 409
    assert "only once" in again.json()["detail"]
    assert len([each for each in client.get(f"{HERE}/invitations").json()["items"] if each["label"] == "once"]) == 1
    stored = str(world.rows())
    assert link.rsplit("/", 1)[1] not in stored


def test_a_sample_is_looked_at_and_made(program: Program) -> None:
    client = program("admin")
    wanted = {"instrument": "helpfulness", "spec": {"outputs": 4, "seed": 2}}
    looked = client.post(f"{HERE}/sample/check", json=wanted).json()
    made = client.post(f"{HERE}/sample", json=wanted).json()
    assert looked["digest"] == made["digest"]
    assert client.post(f"{HERE}/sample", json={"instrument": "helpfulness", "spec": {"bins": "x"}}).status_code == 422


def test_users_are_invited_and_locked_out(program: Program) -> None:
    client = program("admin")
    [other] = [each for each in client.get("/api/v1/people").json()["items"] if each["name"] == "other"]
    at = f"/api/v1/people/{other['user']}"
    assert client.put(f"{at}/role", json={"role": "admin"}).json()["role"] == "admin"
    assert client.post(f"{at}/disable").json()["disabled_at"] is not None
    assert client.post(f"{at}/enable").json()["disabled_at"] is None
    person = {"name": "Ada", "email": "Ada@example.org", "role": "researcher"}
    added = client.post("/api/v1/people", json=person)
    assert (added.status_code, added.json()["name"], added.json()["role"]) == (201, "Ada", "researcher")
    assert client.post("/api/v1/people", json=person).status_code == 422, "one address is one account"
    assert "/setup/" in client.post("/api/v1/people/invitations", json={"role": "researcher"}).json()["links"][0]
    [newest, *others] = client.get("/api/v1/people/invitations").json()["items"]
    left = client.delete(f"/api/v1/people/invitations/{newest['invitation']}").json()["items"]
    assert len(left) == len(others)
