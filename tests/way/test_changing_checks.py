"""Practice and checks changed afterwards: what is right, the order, and an example that the study itself takes."""

import json
import re

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services.questionnaires.instruments import add_instrument
from app.services.questionnaires.ready_made import CODE_SUMMARY, FREE_LABELS, SIMILARITY
from app.services.studies import find_study
from app.services.way import check_editing
from app.services.way.check_example import example_lines
from app.services.way.expected import marked_as, read_marked
from app.services.way.practice import practice_items
from app.storage.engine import Database
from app.storage.models import AuditEvent, Item, Question
from tests.security.world import build
from tests.way.helpers import add_check, come, invite, open_way

CHECKS = "/studies/the-way/way/checks"


@pytest.fixture
def practice(database: Database) -> list[int]:
    """Three practice items."""
    with database.write() as session:
        study = open_way(session, forms=False)
        return [add_check(session, study, "practice", number).id for number in (1, 2, 3)]


@pytest.fixture
def admin(app: FastAPI, database: Database, portal: BlockingPortal, practice: list[int]) -> TestClient:
    """An admin's browser."""
    return build(app, database, portal).client("admin")


def test_what_is_right_can_be_changed(admin: TestClient, database: Database, practice: list[int]) -> None:
    page = admin.get(f"{CHECKS}/{practice[0]}/edit").text
    assert re.search(r'name="answer-helpfulness" value="3" checked', page)
    assert "Because of *practice* 1." in page
    form = {"answer-helpfulness": ["2", "3"], "feedback": "Either."}
    assert admin.post(f"{CHECKS}/{practice[0]}/edit", data=form).status_code == 303
    assert admin.post(f"{CHECKS}/{practice[0]}/edit", data={"feedback": ""}).status_code == 422
    with database.read() as session:
        assert session.get_one(Item, practice[0]).expected == {
            "answers": {"helpfulness": [2, 3]},
            "feedback": "Either.",
        }
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "check changed")).one()
        assert event.details["changes"]["answers"]["before"] == {"helpfulness": 3}
        main = session.scalars(select(Item.id).where(Item.role == "main")).first()
    assert admin.get(f"{CHECKS}/{main}/edit").status_code == 404


def test_practice_comes_in_the_order_that_was_chosen(
    admin: TestClient, client: TestClient, database: Database, practice: list[int]
) -> None:
    assert admin.post(f"{CHECKS}/{practice[2]}/move", data={"way": "up"}).status_code == 303
    assert admin.post(f"{CHECKS}/{practice[2]}/move", data={"way": "up"}).status_code == 303
    assert admin.post(f"{CHECKS}/{practice[2]}/move", data={"way": "up"}).status_code == 303  # it is the first one
    with database.write() as session:
        study = find_study(session, "the-way")
        last = add_check(session, study, "practice", 4).id
        wanted = [practice[2], practice[0], practice[1], last]
        assert [item.id for item, _ in practice_items(session, study)] == wanted
        assert [row.item.id for row in check_editing.check_rows(session, study)] == wanted
    assert "practice 3" in admin.get("/studies/the-way/way/preview/practice").text
    come(client, invite(database))
    assert "practice 3" in client.get("/grade").text


def test_the_example_is_taken_by_its_own_study(database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False)
        for draft in (CODE_SUMMARY, FREE_LABELS, SIMILARITY):
            add_instrument(session, study, draft)
        lines = example_lines(session, study)
        assert [json.loads(line)["instrument"] for line in lines][1:] == [
            "code-summary",
            "free-labels",
            "semantic-similarity",
        ]
        assert json.loads(lines[1])["answers"]["direct-assessment"] == {"least": 50, "most": 100}
        assert check_editing.import_lines(session, "test", study, "\n".join(lines)) == 4


@pytest.mark.parametrize(
    ("kind", "accepted"),
    [
        ("choice", 0.5),
        ("choice", [0, 1]),
        ("number", {"least": 0.5, "most": 20}),
        ("number", 7),
        ("labels", ["a", "b"]),
    ],
)
def test_what_was_marked_is_marked_again(kind: str, accepted: object) -> None:
    assert read_marked(Question(kind=kind), marked_as(accepted)) == accepted
