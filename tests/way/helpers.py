"""A study with the whole way, and steps along it."""

import re
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.ids import content_hash
from app.services import invitation_links, study_settings
from app.services.questionnaires.forms import publish_form
from app.services.study_options import parse_options
from app.services.way import check_editing
from app.services.way.options import change_options
from app.storage.base import Base
from app.storage.engine import Database
from app.storage.models import Annotator, Item, Study
from tests.factories import make_study

CONSENT = {"text": "We keep your **answers**.", "agree": "I agree", "decline": "I do not"}
PROFILE = {"intro": "", "fields": [{"name": "years", "label": "Years of experience?", "kind": "number", "least": 0}]}
CLOSING = {"intro": "", "fields": [{"name": "hard", "label": "Was it hard?", "kind": "text", "required": False}]}
PERSON = "5f1c0e2b9d3a4c0012345678"
FROM_PROLIFIC = {"PROLIFIC_PID": PERSON, "STUDY_ID": "s1", "SESSION_ID": "x1"}


def open_way(session: Session, *, forms: bool = True, problems: int = 3, **options: Any) -> Study:
    """An open study of so many problems with one output each; with consent, profile and closing questions."""
    study = make_study(session, problems=problems, systems=1, state="open", title="The way")
    for kind, content in (("consent", CONSENT), ("profile", PROFILE), ("closing", CLOSING)) if forms else ():
        publish_form(session, "test", study, kind, content)
    change_options(session, "test", study, parse_options(options))
    return study


def set_options(database: Database, **options: Any) -> None:
    """Other settings of the only study, while it runs."""
    with database.write() as session:
        change_options(session, "test", study_settings.lock(session, "the-way"), parse_options(options))


def add_check(session: Session, study: Study, role: str, number: int, right: float = 3) -> Item:
    """A practice item or check of its own problem, whose right answer is ``right``."""
    line = f'{{"role": "{role}", "intent": "{role} {number}", "text": "text of {role} {number}", '
    line += f'"answers": {{"helpfulness": {right}}}, "feedback": "Because of *{role}* {number}."}}'
    check_editing.import_lines(session, "test", study, line)
    identity = content_hash(role, f"text of {role} {number}", "")
    return session.query(Item).filter_by(identity=identity).one()


def invite(database: Database, source: str = "link", **limits: Any) -> str:
    """An invitation's secret."""
    with database.write() as session:
        study = study_settings.lock(session, "the-way")
        return invitation_links.create_invitation(session, "test", study, source=source, **limits)


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the page's first form in its main part."""
    main = page.split("<main", 1)[1].split("</main>", maxsplit=1)[0]
    return dict(re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', main))


def come(client: TestClient, token: str, **parameters: str) -> str:
    """Open the link and press its button; the address of the page that follows."""
    page = client.get(f"/join/{token}", params=parameters)
    assert page.status_code == 200, page.text
    answer = client.post(f"/join/{token}", params=parameters, data=hidden(page.text))
    assert answer.status_code == 200, answer.text
    return answer.url.path


def send(client: TestClient, kind: str, **answers: str) -> str:
    """Answer a form of the way; the address of the page that follows."""
    fields = hidden(client.get(f"/way/{kind}").text)
    answer = client.post(f"/way/{kind}", data=fields | answers)
    assert answer.status_code == 200, answer.text
    return answer.url.path


def grade(client: TestClient, value: float) -> str:
    """Answer the item that is next; the address of the page that follows."""
    page = client.get("/grade")
    assert page.url.path == "/grade", page.url
    item = re.search(r'action="/grade/([0-9a-f]{32})"', page.text)
    assert item, page.text
    fields = {"submission_id": hidden_in(page.text, "submission_id"), "revision": hidden_in(page.text, "revision")}
    answer = client.post(
        f"/grade/{item[1]}/answer",
        json={
            "submission_id": fields["submission_id"],
            "kind": "grade",
            "value": value,
            "revision": int(fields["revision"]),
        },
    )
    assert answer.status_code == 200, answer.text
    onward: str = answer.json()["go"] or "/grade"
    return onward


def hidden_in(page: str, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, name
    return found[1]


def stage_of(database: Database) -> str:
    """The stage of the newest annotator."""
    with database.read() as session:
        return session.query(Annotator).order_by(Annotator.id.desc()).first().stage  # type: ignore[union-attr]


def counts(database: Database) -> dict[str, int]:
    """How many rows each table has."""
    with database.read() as session:
        return {table.name: len(session.execute(table.select()).all()) for table in Base.metadata.sorted_tables}
