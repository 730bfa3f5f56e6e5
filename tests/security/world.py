"""A small world to attack: two studies, everybody who may come, and a value for each path parameter."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import hash_token, new_opaque_id, new_token
from app.services import invitation_links, passwords, setup_links, sign_ins
from app.services.imports.uploads import UploadedFile, keep, record
from app.services.questionnaires.forms import publish_form
from app.storage.base import Base
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from app.storage.models import (
    Annotator,
    Artifact,
    Assignment,
    FormResponse,
    FormVersion,
    Instrument,
    Invitation,
    Item,
    PersonalLink,
    Question,
    Run,
    SetupLink,
    Study,
    User,
)
from tests.factories import add_grade, make_study

PRINCIPALS = ("anonymous", "annotator", "annotator_elsewhere", "researcher", "admin")

UPLOAD = b"problem,intent,system,output\np,i,s,o\n"
PASSWORD = "correct purple battery"


@cache
def _password_hash() -> str:
    return passwords.hash_password(PASSWORD)


def make_user(session: Session, role: str, name: str | None = None) -> User:
    """A user with PASSWORD."""
    name = name or role
    user = User(email=f"{name}@example.org".lower(), name=name, role=role, password_hash=_password_hash())
    session.add(user)
    session.flush()
    return user


def make_annotator(session: Session, study: Study, pseudonym: str = "A01") -> Annotator:
    """A person who grades."""
    annotator = Annotator(study_id=study.id, pseudonym=pseudonym, name=f"Name of {pseudonym}", order_seed=1)
    session.add(annotator)
    session.flush()
    return annotator


def make_claim(session: Session, study: Study, annotator: Annotator) -> Assignment:
    """The annotator's first item, claimed."""
    item = session.scalars(select(Item).where(Item.study_id == study.id).order_by(Item.id).limit(1)).one()
    item.load += 1
    now = utc_now()
    claim = Assignment(public_id=new_opaque_id(), annotator_id=annotator.id, item_id=item.id, slot=1, position=1)
    claim.claimed_at, claim.lease_until = now, now + timedelta(hours=1)
    session.add(claim)
    session.flush()
    return claim


def make_run(session: Session, study: Study, user: User, state: str) -> Run:
    """A run that this user asked for."""
    run = Run(public_id=new_opaque_id(), study_id=study.id, user_id=user.id, kind="analysis", payload={}, state=state)
    session.add(run)
    session.flush()
    return run


def make_bundle(session: Session, study: Study, folder: Path) -> Artifact:
    """A finished export."""
    stored = FileStore(folder).save([b"PK"])
    names = {"file_name": "here.zip", "media_type": "application/zip"}
    return add_artifact(session, stored, kind="export", study_id=study.id, **names)


def make_version(session: Session, study: Study) -> FormVersion:
    """The first version of the study's consent, to which its annotators have agreed."""
    version = publish_form(session, "test", study, "consent", {"text": "Some words"})
    assert version is not None
    for annotator in session.scalars(select(Annotator).where(Annotator.study_id == study.id)):
        agreed = FormResponse(annotator_id=annotator.id, form_version_id=version.id, answers={"agreed": True})
        session.add(agreed)
    return version


@dataclass
class World:
    """What the walk needs: cookies of each principal and values for path parameters."""

    app: FastAPI
    database: Database
    portal: BlockingPortal | None = None  # without one, each request starts an event loop and threads of its own
    cookies: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    by_path: dict[str, dict[str, str]] = field(default_factory=dict)

    def address(self, path: str) -> str:
        """The path with real values in place of its parameters; KeyError names one that is unknown here."""
        values = self.parameters | self.by_path.get(path, {})
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda match: values[match[1]], path)

    def client(self, principal: str, **headers: str) -> TestClient:
        """A browser of that principal; without headers it acts from our own pages."""
        client = TestClient(
            self.app,
            base_url="http://localhost",
            headers=headers or {"Sec-Fetch-Site": "same-origin"},
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        client.portal = self.portal
        if principal in self.cookies:
            self.carry(client, self.cookies[principal])
        return client

    def carry(self, client: TestClient, cookie: str, name: str | None = None) -> None:
        """Put a session cookie into the browser, where the server's own would lie."""
        client.cookies.set(name or self.app.state.session_cookie, cookie, domain="localhost.local", path="/")

    def rows(self) -> dict[str, list[Any]]:
        """Everything that is stored, to see that nothing changed."""
        with self.database.read() as session:
            return {
                table.name: [tuple(row) for row in session.execute(table.select().order_by(*table.primary_key))]
                for table in Base.metadata.sorted_tables
            }


def build(app: FastAPI, database: Database, portal: BlockingPortal | None = None) -> World:
    """The world, in a fresh database."""
    world = World(app, database, portal)
    with database.write() as session:
        here, elsewhere = make_study(session, title="Here"), make_study(session, title="Elsewhere")
        here.state = elsewhere.state = "open"
        admin, researcher = make_user(session, "admin"), make_user(session, "researcher")
        other = make_user(session, "researcher", "other")
        annotator, stranger = make_annotator(session, here), make_annotator(session, elsewhere)
        world.cookies = {
            "admin": sign_ins.start_session(session, user_id=admin.id),
            "researcher": sign_ins.start_session(session, user_id=researcher.id),
            "annotator": sign_ins.start_session(session, annotator_id=annotator.id),
            "annotator_elsewhere": sign_ins.start_session(session, annotator_id=stranger.id),
        }
        personal = new_token()
        session.add(PersonalLink(annotator_id=annotator.id, token_hash=hash_token(personal)))
        setup = setup_links.invite_user(session, f"user:{admin.id}", "researcher")
        joining = invitation_links.create_invitation(session, f"user:{admin.id}", here)
        claimed = make_claim(session, here, annotator)
        question = session.scalars(select(Question.id).where(Question.study_id == here.id)).one()
        add_grade(session, annotator, claimed.item_id + 1, question, 3.0)
        with_upload = keep(app.state.settings, [UploadedFile("outputs.csv", BytesIO(UPLOAD))])
        world.parameters = {
            "upload": record(session, with_upload, None).public_id,
            "file_name": "systems.csv",
            "page": "annotators",
            "item": claimed.public_id,
            "item_id": str(claimed.item_id),
            "stage": "grading",
            "public_id": make_run(session, here, researcher, "done").public_id,
            "slug": here.slug,
            "user_id": str(other.id),
            "annotator_id": str(annotator.id),
            "link_id": str(session.scalar(select(SetupLink.id))),
            "invitation_id": str(session.scalar(select(Invitation.id))),
            "instrument_id": str(session.scalar(select(Instrument.id).where(Instrument.study_id == here.id))),
            "kind": "consent",
            "version_id": str(make_version(session, here).id),
        }
        check = Item(
            study_id=here.id, instrument_id=session.get_one(Item, claimed.item_id).instrument_id, role="loud"
        )
        check.problem_id, check.identity, check.text = session.get_one(Item, claimed.item_id).problem_id, "check", "x"
        check.shuffle, check.expected = 0, {"answers": {"helpfulness": 3}, "feedback": ""}
        session.add(check)
        session.flush()
        previewed = invitation_links.create_invitation(session, f"user:{admin.id}", here, source="mturk")
        world.by_path = {
            **{
                f"/studies/{{slug}}/way/checks/{{item_id}}/{deed}": {"item_id": str(check.id)}
                for deed in ("edit", "move", "remove")
            },
            "/join/{token}/preview/{stage}": {"token": previewed},
            "/join/{token}/preview/{stage}/image": {"token": previewed},
            "/setup/{token}": {"token": setup},
            "/join/{token}": {"token": joining},
            "/me/{token}": {"token": personal},
            "/runs/{public_id}/cancel": {"public_id": make_run(session, here, researcher, "queued").public_id},
            "/runs/{public_id}/retry": {"public_id": make_run(session, here, researcher, "failed").public_id},
            "/artifacts/{public_id}": {
                "public_id": make_bundle(session, here, app.state.settings.artifacts_dir).public_id
            },
        }
    return world
