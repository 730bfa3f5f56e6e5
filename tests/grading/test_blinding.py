"""What researchers wrote for each other never reaches an annotator, on whatever page or reply."""

import re

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.storage.engine import Database
from app.storage.models import Problem, Study, System
from tests.grading.conftest import Invited
from tests.grading.test_pages import crawl, hidden

CANARY = "canary-4711"
STATES = ("open", "draft", "paused", "closed")


def plant(database: Database, study_id: int) -> None:
    """Put the canary into every field that is not an annotator's to read."""
    with database.write() as session:
        study = session.get_one(Study, study_id)
        study.slug, study.description = f"{CANARY}-slug", f"{CANARY} wrote half of the outputs"
        study.instructions, study.notice = "Mind the *units*.", "Grades here are simulated."
        for system in session.scalars(select(System)):
            system.name = f"{CANARY}-{system.position}"
        for problem in session.scalars(select(Problem)):
            problem.key, problem.tests = f"{CANARY}-{problem.position}", f"assert {CANARY!r}"


def set_state(database: Database, study_id: int, state: str) -> None:
    with database.write() as session:
        session.get_one(Study, study_id).state = state


def test_a_guest_reads_title_notice_and_instructions_only(
    client: TestClient, database: Database, invited: Invited
) -> None:
    plant(database, invited.study_id)
    for state in STATES:
        set_state(database, invited.study_id, state)
        page = client.get(f"/join/{invited.token}").text
        assert "Which code helps?" in page
        assert "Grades here are simulated." in page
        assert CANARY not in page
        assert ("<em>units</em>" in page) == (state == "open")


def test_no_page_or_reply_tells_what_is_the_researchers_own(
    client: TestClient, database: Database, invited: Invited
) -> None:
    plant(database, invited.study_id)
    ticket = hidden(client.get(f"/join/{invited.token}").text, "ticket")
    started = client.post(f"/join/{invited.token}", data={"ticket": ticket}).text
    link = re.search(r"/me/[\w-]{43}", client.post("/grade/link").text)
    assert link
    seen = [started, *crawl(client)]
    for state in STATES:
        set_state(database, invited.study_id, state)
        for path in (f"/join/{invited.token}", link[0], "/", "/grade", "/grade/thanks", "/grade/instructions"):
            seen.append(client.get(path).text)
        # Where an annotator has no business, the refusal says nothing either.
        seen += [client.get(path).text for path in ("/studies", "/runs", "/api/v1/studies")]
    assert len(seen) > 50
    assert not [page for page in seen if CANARY in page]
