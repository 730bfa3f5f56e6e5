"""A study with traps in it, people who came by a link, and (for browser tests) their page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from app.services import invitation_links
from app.services.questionnaires.instruments import output_instrument
from app.storage.engine import Database
from app.storage.models import Item, Problem, Reference, Study, System
from tests.factories import add_output, make_study
from tests.grading.browsing import Open
from tests.grading.every_kind import make_kind_study

# Names that must never reach an annotator's browser.
SECRETS = ("system-alpha", "system-beta", "gold-picture")


@dataclass(frozen=True)
class Invited:
    """A study and the way into it."""

    study_id: int
    token: str


def make_texts(session: Session, study: Study, texts: dict[str, list[str]]) -> None:
    """Problems by intent, each with one output of each system; the last text is the reference's."""
    systems = [System(study_id=study.id, name=name, position=n) for n, name in enumerate(SECRETS[:2])]
    session.add_all(systems)
    session.flush()
    for position, (intent, outputs) in enumerate(texts.items()):
        problem = Problem(study_id=study.id, key=f"key-{position}", position=position, intent=intent)
        session.add(problem)
        session.flush()
        for system, text in zip(systems, outputs, strict=False):
            add_output(session, study, problem, system, text)
        _add_reference(session, study, problem, outputs[-1])


def _add_reference(session: Session, study: Study, problem: Problem, text: str) -> None:
    item = Item(
        study_id=study.id,
        instrument_id=output_instrument(session, study).id,
        problem_id=problem.id,
        identity=f"reference-{problem.id}",
        text=text,
        shuffle=problem.id * 10**17,
        is_reference=True,
    )
    session.add(item)
    session.flush()
    session.add(Reference(problem_id=problem.id, position=0, text=text, item_id=item.id))


@pytest.fixture
def invited(database: Database) -> Invited:
    """An open study of three problems with two outputs and a reference each."""
    with database.write() as session:
        study = make_study(session, problems=0, systems=0, title="Which code helps?", state="open")
        texts = {f"Return {n}": [f"return {n}", f"\treturn <unk>  # {n}\n", f"return int('{n}')"] for n in range(3)}
        make_texts(session, study, texts)
        token = invitation_links.create_invitation(session, "test", study)
        return Invited(study.id, token)


@pytest.fixture
def annotator_client(client: TestClient, invited: Invited) -> TestClient:
    """A browser without script whose owner has joined the study."""
    page = client.get(f"/join/{invited.token}").text
    ticket = page.split('name="ticket" value="')[1].split('"')[0]
    answer = client.post(f"/join/{invited.token}", data={"ticket": ticket})
    assert answer.status_code == 200, answer.text
    return client


@pytest.fixture
def page(browser: Browser, live_server: str, invited: Invited) -> Iterator[Page]:
    """The grading page of somebody who has just joined; a failure of a script fails the test."""
    context = browser.new_context(base_url=live_server)
    page = context.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(f"/join/{invited.token}")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Start grading").click()
    page.wait_for_selector("html[data-ready=grading]")
    yield page
    context.close()
    assert failures == []


@pytest.fixture
def opened(browser: Browser, live_server: str, database: Database) -> Iterator[Open]:
    """Opens the grading page of a study with these instruments; a failure of a script fails the test."""
    contexts, failures = [], []

    def open_page(names: Sequence[str], **settings: object) -> Page:
        with database.write() as session:
            token = invitation_links.create_invitation(session, "test", make_kind_study(session, names, **settings))
        context = browser.new_context(base_url=live_server)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(f"/join/{token}")
        page.get_by_role("button", name="Start").click()
        page.goto("/grade")
        page.wait_for_selector("html[data-ready=grading]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert failures == []
