"""What researchers wrote for each other never reaches an annotator, on whatever page or reply."""

import re

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services import invitation_links
from app.storage.engine import Database
from app.storage.models import Item, Problem, Study, System, Variant
from tests.grading.conftest import Invited
from tests.grading.every_kind import DRAFTS, make_kind_study
from tests.grading.test_pages import crawl, current_id, hidden

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


# Words for what an item is, as the tables have them; none stands in a page's own words, names or classes.
ROLES = ("silent", "loud", "repeat", "practice", "role", "stratum", "variant", "expected", "swapped", "original")


def plant_in_items(database: Database, study_id: int) -> None:
    """Give items all that only the team may know: what they were made from, and what is right."""
    with database.write() as session:
        items = session.scalars(select(Item).where(Item.study_id == study_id).order_by(Item.id)).all()
        for number, item in enumerate(items):
            variant = Variant(
                problem_id=item.problem_id, transformation=f"{CANARY}-{number}", category=CANARY, text="x"
            )
            variant.original = f"{CANARY} before"
            session.add(variant)
            session.flush()
            item.variant_id, item.stratum = variant.id, f"{CANARY}-nominal"
            item.expected = {"answers": {"helpfulness": 4}, "feedback": f"{CANARY} is right"}
            item.repeats_id = items[0].id if number else None


def fragments(client: TestClient) -> list[str]:
    """Every kind of reply about an item, with its headers, while all items are answered one way or another."""
    seen: list[str] = []

    def note(response: object) -> str:
        seen.append(f"{response.url}\n{response.headers}\n{response.text}")  # type: ignore[attr-defined]
        return response.text  # type: ignore[attr-defined, no-any-return]

    for number in range(2 * len(DRAFTS)):
        page = note(client.get("/grade"))
        item = current_id(page)
        note(client.get(f"/grade/{item}", headers={"Accept": "application/json"}))
        note(client.post("/grade/next", json={"have": []}))
        form = {"submission_id": f"form-{number:04}", "revision": "0"}
        note(client.post(f"/grade/{item}", data=form))  # an answer is missing
        body = {"submission_id": f"skip-{number:04}", "kind": "skip", "note": "unclear", "revision": 0}
        note(client.post(f"/grade/{item}/answer", json=body))
    note(client.get("/grade/answers"))
    return seen


def test_no_fragment_of_any_kind_tells_what_an_item_is(client: TestClient, database: Database) -> None:
    with database.write() as session:
        study = make_kind_study(session, list(DRAFTS))
        study_id, token = study.id, invitation_links.create_invitation(session, "test", study)
    plant_in_items(database, study_id)
    ticket = hidden(client.get(f"/join/{token}").text, "ticket")
    client.post(f"/join/{token}", data={"ticket": ticket})
    seen = fragments(client)
    assert len(seen) == 5 * 2 * len(DRAFTS) + 1
    for page in seen:
        assert CANARY not in page
        own_words = re.sub(r'role=\\?"[^"]*"', "", page)  # ARIA's roles say nothing of the item's
        for word in ROLES:
            assert not re.search(rf"(?i)\b{word}\b", own_words), word


def test_both_sides_of_a_pair_look_alike(client: TestClient, database: Database) -> None:
    """Whichever of the two is the original, the page is the same but for the texts."""
    with database.write() as session:
        study = make_kind_study(session, ["semantic-similarity"])
        token = invitation_links.create_invitation(session, "test", study)
    ticket = hidden(client.get(f"/join/{token}").text, "ticket")
    client.post(f"/join/{token}", data={"ticket": ticket})
    page = client.get("/grade").text
    turned = []
    for _ in range(2):
        turned.append(
            client.get(f"/grade/{current_id(page)}").text.split("<template data-ahead")[0].split("<article")[1]
        )
        with database.write() as session:
            for item in session.scalars(select(Item)):
                item.text, item.original = item.original or "", item.text
    assert turned[0] != turned[1]
    tags = [re.findall(r"<[^>]*>", part) for part in turned]
    assert tags[0] == tags[1]
