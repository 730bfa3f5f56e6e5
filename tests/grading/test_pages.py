"""The pages without script: joining, grading by forms, going back, one's own answers, and what they must not tell."""

import re
from datetime import timedelta

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.clock import utc_now
from app.ids import hash_token
from app.services import invitation_links
from app.storage.engine import Database
from app.storage.models import (
    Annotator,
    Artifact,
    Assignment,
    Grade,
    GradeEvent,
    Invitation,
    Item,
    PersonalLink,
    Problem,
    Study,
)
from app.web.templating import STATIC_DIR
from tests.grading.conftest import SECRETS, Invited
from tests.grading.every_kind import DRAFTS, make_kind_study


def hidden(page: str, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"the page has a field {name}"
    return found[1]


def current_id(page: str) -> str:
    found = re.search(r'action="/grade/([0-9a-f]{32})"', page)
    assert found, "the page has an item"
    return found[1]


def press(client: TestClient, page: str, **fields: str) -> str:
    """Press a button of the page's form; the page that follows."""
    form = {"submission_id": hidden(page, "submission_id"), "revision": hidden(page, "revision"), **fields}
    answer = client.post(f"/grade/{current_id(page)}", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return client.get(answer.headers["location"]).text


def count(database: Database, table: type) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_opening_an_invitation_uses_nothing_up(client: TestClient, database: Database, invited: Invited) -> None:
    for _ in range(3):
        page = client.get(f"/join/{invited.token}")
        assert "Which code helps?" in page.text
        assert "set-cookie" not in page.headers
    assert count(database, Annotator) == 0
    with database.read() as session:
        assert session.scalar(select(Invitation.uses)) == 0


def test_pressing_start_twice_makes_one_annotator(client: TestClient, database: Database, invited: Invited) -> None:
    ticket = hidden(client.get(f"/join/{invited.token}").text, "ticket")
    for _ in range(2):
        client.post(f"/join/{invited.token}", data={"ticket": ticket})
    assert count(database, Annotator) == 1
    with database.read() as session:
        assert session.scalar(select(Invitation.uses)) == 1


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_only_an_open_study_takes_people_in(
    client: TestClient, database: Database, invited: Invited, state: str
) -> None:
    with database.write() as session:
        session.get_one(Study, invited.study_id).state = state
    page = client.get(f"/join/{invited.token}")
    assert page.status_code == 200
    assert "<button" not in page.text.split("<main")[1].split("</main")[0]
    assert client.post(f"/join/{invited.token}", data={"ticket": "x" * 43}).status_code == 409
    assert count(database, Annotator) == 0


def test_a_wrong_link_is_not_found(client: TestClient) -> None:
    assert client.get("/join/nonsense").status_code == 404
    assert client.get("/me/nonsense").status_code == 404


def test_the_personal_link_shows_once_and_works_elsewhere(
    client: TestClient, database: Database, invited: Invited
) -> None:
    ticket = hidden(client.get(f"/join/{invited.token}").text, "ticket")
    made = re.search(r"/me/([\w-]{43})", client.post(f"/join/{invited.token}", data={"ticket": ticket}).text)
    assert made
    link = made[1]
    assert link != ticket, "a browser doesn't choose its own secret"
    assert link not in client.get("/grade/instructions").text
    client.cookies.clear()
    assert client.get(f"/me/{ticket}").status_code == 404
    with time_machine.travel(utc_now() + timedelta(minutes=11)):
        assert client.post(f"/join/{invited.token}", data={"ticket": ticket}).status_code == 409
    assert client.get("/grade", headers={"Accept": "application/json"}).status_code == 401
    assert "Welcome back, A01" in client.get(f"/me/{link}").text
    assert "How to grade" in client.post(f"/me/{link}").text, "who has read nothing yet begins there"
    assert current_id(client.get("/grade").text)
    assert count(database, Annotator) == 1


def test_a_fresh_personal_link_works_beside_the_first(annotator_client: TestClient, database: Database) -> None:
    made = re.search(r"/me/([\w-]{43})", annotator_client.post("/grade/link").text)
    assert made
    assert "Welcome back, A01" in annotator_client.get(f"/me/{made[1]}").text
    with database.read() as session:
        hashes = session.scalars(select(PersonalLink.token_hash)).all()
    assert hash_token(made[1]) in hashes
    assert len(hashes) == 2


def test_a_whole_study_by_forms(annotator_client: TestClient, database: Database) -> None:
    page = annotator_client.get("/grade").text
    for number in range(9):
        page = press(annotator_client, page, value=str(number % 5))
    assert "Thank you, your part is done" in page
    with database.read() as session:
        assert sorted(session.scalars(select(Grade.value))) == [0, 0, 1, 1, 2, 2, 3, 3, 4]
        assert {event["by"] for event in session.scalars(select(GradeEvent.details)) if event} == {"form"}


@pytest.mark.fault("F02", "F07")
def test_sending_a_form_twice_is_one_grade(annotator_client: TestClient, database: Database) -> None:
    page = annotator_client.get("/grade").text
    press(annotator_client, page, value="3")
    press(annotator_client, page, value="3")
    assert count(database, Grade) == count(database, GradeEvent) == 1


@pytest.mark.fault("F03", "F07")
def test_an_old_form_with_another_answer_is_refused(annotator_client: TestClient, database: Database) -> None:
    page = annotator_client.get("/grade").text
    press(annotator_client, page, value="3")
    form = {"submission_id": hidden(page, "submission_id"), "revision": "0", "value": "1"}
    answer = annotator_client.post(f"/grade/{current_id(page)}", data=form)
    assert answer.status_code == 409
    assert "The first one stands" in answer.text


def test_going_back_shows_the_earlier_answer_and_changes_it(annotator_client: TestClient, database: Database) -> None:
    first = annotator_client.get("/grade").text
    second = press(annotator_client, first, value="0")
    back = annotator_client.get(f"/grade/{current_id(first)}").text
    assert re.search(r'value="0"[^>]*aria-pressed="true"', back), "a grade of 0 is an answer, too"
    assert f'href="/grade/{current_id(first)}"' in second
    again = press(annotator_client, back, value="4")
    assert current_id(again) == current_id(second)
    with database.read() as session:
        assert session.scalars(select(Grade.value)).all() == [4]


def test_own_answers_can_be_changed_from_the_list(annotator_client: TestClient, database: Database) -> None:
    press(annotator_client, annotator_client.get("/grade").text, value="2")
    answers = annotator_client.get("/grade/answers").text
    link = re.search(r'href="(/grade/[0-9a-f]{32}\?from=/grade/answers)"', answers)
    assert link
    page = press(annotator_client, annotator_client.get(link[1]).text, value="1", back_to="answers")
    assert "My answers</h1>" in page


def test_skip_and_flag_by_form(annotator_client: TestClient, database: Database) -> None:
    page = annotator_client.get("/grade").text
    flagged = press(annotator_client, page, action="flag", note="Cut off", submission_id="f" * 32)
    assert current_id(flagged) == current_id(page)
    assert "Cut off" in flagged
    after = press(annotator_client, flagged, action="skip")
    assert current_id(after) != current_id(page)
    with database.read() as session:
        states = session.scalars(select(Assignment.state).order_by(Assignment.position)).all()
    assert states[0] == "skipped"


def test_nothing_tells_who_wrote_what(annotator_client: TestClient, database: Database, tmp_path: object) -> None:
    with database.write() as session:
        artifact = Artifact(
            public_id="a" * 32,
            kind="image",
            file_name="gold-picture.png",
            media_type="image/png",
            size=4,
            sha256="ab" + "0" * 62,
        )
        session.add(artifact)
        session.flush()
        for problem in session.scalars(select(Problem)):
            problem.image_id = artifact.id
    folder = annotator_client.app.state.settings.artifacts_dir / "ab"  # type: ignore[attr-defined]
    folder.mkdir(parents=True)
    (folder / artifact.sha256).write_bytes(b"\x89PNG")

    seen = list(crawl(annotator_client))
    assert len(seen) > 25, "the crawl saw every kind of page"
    for text in seen:
        for secret in (*SECRETS, "reference", artifact.sha256, artifact.public_id, "etag", "last-modified", "key-"):
            assert secret not in text.lower()


def crawl(client: TestClient) -> list[str]:
    """Headers, addresses and bodies of all that a grading browser gets, without the words of the instructions."""
    seen: list[str] = []

    def note(response: object) -> str:
        headers = dict(response.headers)  # type: ignore[attr-defined]
        headers.pop("permissions-policy")  # the same on every answer; a name in it looks like a problem's
        seen.append(f"{response.url}\n{headers}\n{response.text}")  # type: ignore[attr-defined]
        return response.text  # type: ignore[attr-defined, no-any-return]

    for number in range(9):
        page = note(client.get("/grade"))
        item = current_id(page)
        note(client.get(f"/grade/{item}"))
        note(client.get(f"/grade/{item}", headers={"Accept": "application/json"}))
        note(client.get(f"/grade/{item}/image"))
        note(client.post("/grade/next", json={"have": []}))
        body = {"submission_id": f"submission-{number}", "kind": "grade", "value": number % 5, "revision": 0}
        note(client.post(f"/grade/{item}/answer", json=body))
    for path in ("thanks", "answers", "instructions", "link"):
        note(client.get(f"/grade/{path}"))
    return seen


def test_all_kinds_of_items_look_alike(annotator_client: TestClient, database: Database) -> None:
    shapes = set()
    for number in range(9):
        page = annotator_client.get("/grade").text
        article = re.search(r"<article.*?</article>", page, re.DOTALL)
        assert article
        shapes.add(tuple(re.findall(r"<(\w+)[^>]*?(?:class=\"([^\"]*)\")", article[0].split("<pre")[0])))
        press(annotator_client, page, value=str(number % 5))
    assert len(shapes) == 1, "outputs and references differ in nothing but their text"


def test_items_of_others_do_not_exist(annotator_client: TestClient, database: Database, invited: Invited) -> None:
    mine = current_id(annotator_client.get("/grade").text)
    annotator_client.cookies.clear()
    page = annotator_client.get(f"/join/{invited.token}").text
    annotator_client.post(f"/join/{invited.token}", data={"ticket": hidden(page, "ticket")})
    body = {"submission_id": "submission-1", "kind": "grade", "value": 1, "revision": 0}
    for answer in (
        annotator_client.get(f"/grade/{mine}"),
        annotator_client.get(f"/grade/{mine}/image"),
        annotator_client.post(f"/grade/{mine}/answer", json=body),
        annotator_client.post(f"/grade/{mine}", data=body | {"action": "grade"}),
    ):
        assert answer.status_code == 404
    assert count(database, Grade) == 0


@pytest.mark.parametrize("value", [5, -1, 1.5, 2**53 + 1, 2**63, 10**400, True, "3", [3]])
def test_other_values_are_refused_in_words(annotator_client: TestClient, database: Database, value: object) -> None:
    item = current_id(annotator_client.get("/grade").text)
    body = {"submission_id": "submission-1", "kind": "grade", "value": value, "revision": 0}
    headers = {"Accept": "application/json"}
    answer = annotator_client.post(f"/grade/{item}/answer", json=body, headers=headers)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert count(database, Grade) == 0


def test_a_number_of_five_thousand_digits_is_no_failure_of_ours(annotator_client: TestClient) -> None:
    item = current_id(annotator_client.get("/grade").text)
    body = '{"submission_id": "submission-1", "kind": "grade", "revision": 0, "value": 1' + "0" * 5000 + "}"
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    answer = annotator_client.post(f"/grade/{item}/answer", content=body, headers=headers)
    assert 400 <= answer.status_code < 500


def test_the_replay_of_an_answer_says_stored_again(annotator_client: TestClient) -> None:
    item = current_id(annotator_client.get("/grade").text)
    body = {"submission_id": "submission-1", "kind": "grade", "value": 0, "revision": 0}
    first = annotator_client.post(f"/grade/{item}/answer", json=body)
    again = annotator_client.post(f"/grade/{item}/answer", json=body)
    # The study's count is one of the numbers that may be a little old (app/services/kept.py).
    count = re.compile(r'"study":\d+')
    assert count.search(first.text)
    assert count.sub("", first.text) == count.sub("", again.text)
    assert first.json()["stored"] == "submission-1"
    assert again.headers["idempotent-replayed"] == "true"
    other = annotator_client.post(f"/grade/{item}/answer", json=body | {"value": 1})
    assert other.status_code == 409


@pytest.mark.parametrize("names", [["helpfulness"], list(DRAFTS)])
def test_pages_are_light(client: TestClient, database: Database, names: list[str]) -> None:
    """Uncompressed, so that it holds behind any proxy: the first page with all that it loads, and each next item."""
    with database.write() as session:
        token = invitation_links.create_invitation(session, "test", make_kind_study(session, names))
    client.post(f"/join/{token}", data={"ticket": hidden(client.get(f"/join/{token}").text, "ticket")})
    page = client.get("/grade")
    addresses = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text))
    modules = {f"/static/{path.relative_to(STATIC_DIR)}" for path in STATIC_DIR.glob("js/grading/*.js")}
    modules.add("/static/js/words.js")
    assert len(addresses) > 6, "sheets and scripts"
    size = len(page.content) + sum(len(client.get(address).content) for address in addresses | modules)
    assert size < 150_000
    with database.write() as session:
        for item in session.scalars(select(Item)):
            item.text = "for key, value in sorted(d.items()):\n    print(key, 'x', value + 1)\n" * 20
    for item in client.post("/grade/next", json={"have": []}).json()["items"]:
        assert len(item["html"]) < 15_000


def test_notice_and_instructions_show(annotator_client: TestClient, database: Database, invited: Invited) -> None:
    with database.write() as session:
        study = session.get_one(Study, invited.study_id)
        study.notice, study.instructions = "Grades here are simulated.", "## Mind\n\n- **speed** <b>x</b>"
    page = annotator_client.get("/grade/instructions").text
    assert "<strong>speed</strong> &lt;b&gt;x" in page
    for path in ("", "/answers", "/thanks", "/instructions"):
        assert "Grades here are simulated." in annotator_client.get(f"/grade{path}").text


def set_state(database: Database, invited: Invited, state: str) -> None:
    with database.write() as session:
        session.get_one(Study, invited.study_id).state = state


def progress_line(page: str) -> str:
    found = re.search(r"data-progress[^>]*>([^<]*)<", page)
    assert found
    return found[1]


def test_the_line_above_an_earlier_item_has_its_own_number(annotator_client: TestClient) -> None:
    pages = [annotator_client.get("/grade").text]
    for _ in range(3):
        pages.append(press(annotator_client, pages[-1], value="2"))
    assert progress_line(pages[-1]).startswith("3 graded · item 4 of 9 · study ")
    back = annotator_client.get(f"/grade/{current_id(pages[1])}").text
    assert progress_line(back).startswith("3 graded · item 2 of 9 ·")


def test_a_pause_lets_people_finish_what_they_began(
    annotator_client: TestClient, database: Database, invited: Invited
) -> None:
    page = annotator_client.get("/grade").text
    set_state(database, invited, "paused")
    first = annotator_client.get("/grade").text
    assert current_id(first) == current_id(page)
    assert "takes a break" in first
    assert progress_line(first) == "0 graded · paused · 2 to finish"
    second = press(annotator_client, first, value="1")
    end = press(annotator_client, second, value="1")
    assert "takes a break" in end
    assert "Your 2 answers are stored" in end
    assert progress_line(end) == "2 graded · paused"
    assert "Go on grading" not in annotator_client.get("/grade/answers").text


def test_a_closed_study_offers_nothing_and_keeps_late_grades_as_surplus(
    annotator_client: TestClient, database: Database, invited: Invited
) -> None:
    first = annotator_client.get("/grade").text
    second = press(annotator_client, first, value="2")
    set_state(database, invited, "closed")
    for path in ("", f"/{current_id(first)}", f"/{current_id(second)}"):
        page = annotator_client.get(f"/grade{path}").text
        assert "The study is closed" in page
        assert "data-answer-form" not in page
        assert progress_line(page) == "1 graded · the study is closed"
    assert not re.search(r"/grade/[0-9a-f]{32}", annotator_client.get("/grade/answers").text)
    reply = annotator_client.post("/grade/next", json={"have": []}).json()
    assert (reply["items"], reply["done"], reply["closed"]) == ([], True, True)
    asked = {"Accept": "application/json"}
    assert annotator_client.get(f"/grade/{current_id(second)}", headers=asked).status_code == 409
    change = {"submission_id": "submission-1", "kind": "grade", "value": 1, "revision": 1}
    late = {"submission_id": "submission-2", "kind": "grade", "value": 4, "revision": 0}
    skip = {"submission_id": "submission-3", "kind": "skip", "revision": 0}
    statuses = [
        annotator_client.post(f"/grade/{current_id(page)}/answer", json=body, headers=asked).status_code
        for page, body in ((first, change), (second, skip), (second, late))
    ]
    assert statuses == [409, 409, 200]
    with database.read() as session:
        assert session.execute(select(Grade.value, Grade.surplus).order_by(Grade.id)).all() == [(2, False), (4, True)]
