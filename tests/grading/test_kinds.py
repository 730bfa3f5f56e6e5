"""Each kind of question without script, and one's own answers found again."""

import re
from collections.abc import Sequence
from html import unescape
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services import invitation_links
from app.storage.engine import Database
from app.storage.models import Artifact, Assignment, Grade, GradeEvent, Item, Problem, Question, Study
from tests.grading.every_kind import WITH_LABELS, make_kind_study
from tests.grading.test_pages import current_id, hidden, progress_line

SUMMARY = {"answer-direct-assessment": "85", "answer-content-adequacy": "3", "answer-conciseness": "4"}


def enter(client: TestClient, database: Database, names: Sequence[str], **settings: object) -> None:
    """Join a study with these instruments."""
    with database.write() as session:
        token = invitation_links.create_invitation(session, "test", make_kind_study(session, names, **settings))
    ticket = hidden(client.get(f"/join/{token}").text, "ticket")
    assert client.post(f"/join/{token}", data={"ticket": ticket}).status_code == 200


def send(client: TestClient, page: str, fields: dict[str, object]) -> tuple[int, str]:
    """Send the page's form; status and page that follow."""
    form = {"submission_id": uuid4().hex, "revision": hidden(page, "revision"), **fields}
    answer = client.post(f"/grade/{current_id(page)}", data=form)
    return answer.status_code, answer.text


def answers(database: Database) -> list[tuple[str, float | None, str | None]]:
    with database.read() as session:
        statement = select(Question.name, Grade.value, Grade.text).join(Grade, Grade.question_id == Question.id)
        return [tuple(row) for row in session.execute(statement.order_by(Grade.id))]


def instrument(page: str) -> str:
    found = re.search(r'data-instrument="([^"]*)"', page)
    assert found
    return found[1]


def test_four_questions_by_form(client: TestClient, database: Database) -> None:
    enter(client, database, ["code-summary"])
    page = client.get("/grade").text
    status, after = send(client, page, SUMMARY | {"answer-fluency": "5"})
    assert status == 200
    assert current_id(after) != current_id(page)
    assert [value for _, value, _ in answers(database)] == [85, 3, 4, 5]
    with database.read() as session:
        assert [event.part for event in session.scalars(select(GradeEvent).order_by(GradeEvent.id))] == [0, 1, 2, 3]


def test_a_missing_answer_is_named_and_the_others_are_kept(client: TestClient, database: Database) -> None:
    enter(client, database, ["code-summary"])
    status, page = send(client, client.get("/grade").text, SUMMARY)
    assert status == 422
    assert "Nothing is stored yet." in page
    assert re.search(r'<a href="#question-4">Is it well written\?</a>\s+This needs an answer\.', page)
    assert re.search(r'name="answer-content-adequacy" value="3"[^>]* checked', page)
    assert re.search(r'type="number" name="answer-direct-assessment"[^>]* value="85"', page)
    assert answers(database) == []
    status, _ = send(client, page, SUMMARY | {"answer-fluency": "1"})
    assert status == 200
    assert len(answers(database)) == 4


@pytest.mark.parametrize("text", ["101", "0.5", "many"])
def test_a_number_off_the_scale_is_named_and_kept(client: TestClient, database: Database, text: str) -> None:
    enter(client, database, ["code-summary"])
    wrong = SUMMARY | {"answer-fluency": "5", "answer-direct-assessment": text}
    status, page = send(client, client.get("/grade").text, wrong)
    assert status == 422
    assert "An answer is a number from 0 to 100" in page
    assert f'value="{text}"' in page
    assert answers(database) == []


def test_labels_and_a_comment_by_form(client: TestClient, database: Database) -> None:
    enter(client, database, [WITH_LABELS.name])
    fields = {
        "answer-how-helpful": "0",
        "answer-labels": ["incomplete", "does-not-run"],
        "answer-comment": "a\r\n <b>",
    }
    status, _ = send(client, client.get("/grade").text, fields)
    assert status == 200
    assert answers(database) == [
        ("how-helpful", 0, None),
        ("labels", None, '["does-not-run", "incomplete"]'),
        ("comment", None, "a\n <b>"),
    ]
    back = client.get(
        re.search(r'href="(/grade/\w{32}\?from=/grade/answers)"', client.get("/grade/answers").text)[1]
    ).text  # type: ignore[index]
    assert re.search(r'value="incomplete"[^>]* checked', back)
    assert "a\n &lt;b&gt;</textarea>" in back
    status, _ = send(client, back, {"answer-how-helpful": "1", "answer-comment": " "})
    assert status == 200
    assert answers(database) == [("how-helpful", 1, None), ("labels", None, "[]")], "what was emptied is taken back"


def test_instruments_come_one_after_the_other_each_announced_once(client: TestClient, database: Database) -> None:
    enter(client, database, ["semantic-similarity", "naturalness", "helpfulness"])
    page, seen, announced, lines = client.get("/grade").text, [], [], []
    for _ in range(6):
        shown = page.split("<template data-ahead")[0]
        seen.append(instrument(shown))
        announced.append("data-now" in shown)
        lines.append(progress_line(page).split(" · ")[1])
        field = re.search(r'class="choice"[^>]* name="(answer-[^"]*)"', page.split("data-answer-form")[1])
        assert field
        status, page = send(client, page, {field[1]: "1"})
        assert status == 200
    assert seen == ["semantic-similarity"] * 2 + ["naturalness"] * 2 + ["helpfulness"] * 2
    assert announced == [True, False] * 3
    assert lines == ["item 1 of 2", "item 2 of 2"] * 3
    assert len(answers(database)) == 6


def test_annotators_read_what_is_asked_and_never_the_researchers_titles(
    client: TestClient, database: Database
) -> None:
    enter(client, database, ["semantic-similarity", "naturalness"])
    page = client.get("/grade").text
    assert "Now: <bdi>Do both mean the same?</bdi>" in page
    send(client, page, {"answer-semantic-similarity": "1"})
    pages = [page, client.get("/grade/answers").text, client.get("/grade/instructions").text]
    for title in ("Semantic similarity of a pair", "Naturalness:"):
        assert not any(title in each for each in pages)
    assert '<option value="naturalness">Could a programmer have written this?</option>' in pages[1]
    assert "<h2>Part 2</h2>" in pages[2]


def test_own_answers_are_found_by_instrument_answer_state_and_words(client: TestClient, database: Database) -> None:
    enter(client, database, ["helpfulness", WITH_LABELS.name], items=3)
    page = client.get("/grade").text
    _, page = send(client, page, {"answer-helpfulness": "4"})
    _, page = send(client, page, {"action": "skip", "other": "It is in Latin"})
    send(client, page, {"action": "flag", "note": "Look"})
    _, page = send(client, page, {"answer-helpfulness": "0"})
    send(client, page, {"answer-how-helpful": "4", "answer-labels": "incomplete", "answer-comment": "x"})

    def found(query: str) -> int:
        return client.get(f"/grade/answers?{query}").text.count('class="own-title"')

    assert found("") == 4
    assert found("instrument=helpfulness") == 3
    assert found("answer=helpfulness:0") == 1
    assert found("answer=how-helpful:4") == 1
    assert found("answer=labels:incomplete") == 1
    assert found("answer=labels:needless-code") == found("answer=helpfulness:nan") == 0
    assert (found("state=skipped"), found("state=flagged"), found("state=graded")) == (1, 1, 3)
    assert found("instrument=helpfulness&text=SORT") == 1
    assert found("text=%25") == 0, "a percent sign is a percent sign"
    listed = client.get("/grade/answers?state=skipped").text
    assert "It is in Latin" in listed
    assert client.get("/grade/answers?text=nothing").text.count("No answer of yours is like that.") == 1


def test_a_pair_s_intent_is_neither_shown_nor_searched(client: TestClient, database: Database) -> None:
    enter(client, database, ["semantic-similarity"])
    with database.write() as session:
        for item in session.scalars(select(Item)):
            item.original, item.text = f"first {item.id}", f"second {item.id}"
    send(client, client.get("/grade").text, {"answer-semantic-similarity": "1"})
    with database.read() as session:
        swapped = session.scalars(select(Assignment.swapped).order_by(Assignment.position)).first()
    listed = client.get("/grade/answers").text
    assert ("second" if swapped else "first") in listed
    assert "Sort the list" not in listed
    assert "own-title" not in client.get("/grade/answers?text=Sort").text
    for words in ("first", "SECOND"):
        assert "own-title" in client.get(f"/grade/answers?text={words}").text, "both sides are searched"


def test_a_pair_stands_as_it_was_drawn(client: TestClient, database: Database) -> None:
    enter(client, database, ["semantic-similarity"], items=4)
    seen = set()
    page = client.get("/grade").text
    for _ in range(4):
        with database.read() as session:
            row = session.execute(
                select(Assignment.swapped, Item.text, Item.original)
                .join(Item, Item.id == Assignment.item_id)
                .where(Assignment.public_id == current_id(page))
            ).one()
        article = unescape(re.sub(r"<[^>]*>", "", page.split("</article>")[0].split("<article")[1]))
        first, second = (row.text, row.original) if row.swapped else (row.original, row.text)
        assert article.index(first) < article.index(second)
        seen.add(row.swapped)
        _, page = send(client, page, {"answer-semantic-similarity": "0.5"})
    assert seen == {True, False}


def test_the_measured_times_are_stored_as_they_came(client: TestClient, database: Database) -> None:
    enter(client, database, ["naturalness"])
    item = current_id(client.get("/grade").text)
    timing = {
        "shown_at": "2026-11-28T02:05:21.123Z",
        "first_key_ms": 900,
        "submit_ms": 700_000,
        "hidden_ms": 600_000,
        "idle_ms": 60_000,
        "changes": 2,
    }
    body = {"submission_id": "submission-1", "kind": "grade", "answers": {"naturalness": 0.5}, "revision": 0}
    assert client.post(f"/grade/{item}/answer", json=body | {"timing": timing}).status_code == 200
    with database.read() as session:
        details, active = session.execute(select(GradeEvent.details, GradeEvent.active_ms)).one()
    assert details is not None
    assert {name: details[name] for name in timing} == timing
    assert active == 40_000
    wrong = body | {"submission_id": "submission-2", "timing": timing | {"submit_ms": -1}}
    assert client.post(f"/grade/{item}/answer", json=wrong).status_code == 422


def test_the_team_s_message_shows_until_it_is_put_away(client: TestClient, database: Database) -> None:
    enter(client, database, ["naturalness"])

    def tell(text: str) -> None:
        with database.write() as session:
            session.scalars(select(Study)).one().message = text

    assert "data-message-form" not in client.get("/grade").text
    tell("Mind the *units* <b>x</b>")
    page = client.get("/grade").text
    assert "Mind the <em>units</em> &lt;b&gt;" in page
    assert "Mind the <em>" in client.get("/grade/answers").text
    client.post("/grade/message", data={"read": hidden(page, "read")})
    assert "Mind the" not in client.get("/grade").text
    tell("Mind the meaning")
    assert "Mind the meaning" in client.get("/grade").text


def test_replies_bring_a_message_that_the_page_does_not_show(client: TestClient, database: Database) -> None:
    enter(client, database, ["naturalness"])
    item = re.search(r'data-id="(\w{32})"', client.get("/grade").text)[1]  # type: ignore[index]
    with database.write() as session:
        session.scalars(select(Study)).one().message = "Mind the *units*"
    told = client.post("/grade/next", json={"have": [], "message": ""}).json()["message"]
    assert "Mind the <em>units</em>" in told["html"]
    assert f'value="{told["key"]}"' in told["html"], "it can be put away"
    body = {"submission_id": "submission-1", "kind": "flag", "note": "!", "revision": 0}
    for asked, brings in ((told["key"], False), (None, False), ("0" * 16, True)):
        body |= {"submission_id": f"submission-{asked}", "message": asked}
        reply = client.post(f"/grade/{item}/answer", json=body).json()
        assert ("message" in reply) == brings
    with database.write() as session:
        session.scalars(select(Study)).one().message = " "
    over = client.post("/grade/next", json={"have": [], "message": told["key"]}).json()["message"]
    assert over == {"key": "", "html": ""}


def test_the_limit_of_items_counts_in_what_is_to_go(client: TestClient, database: Database) -> None:
    enter(client, database, ["naturalness", "helpfulness"], items=3, options={"limits": {"items": 4}})
    page = client.get("/grade").text
    assert "item 1 of 3 ·" in progress_line(page)
    for _ in range(3):
        _, page = send(client, page, {"answer-naturalness": "1"})
    assert "item 1 of 1 ·" in progress_line(page)


def test_a_picture_has_its_words(client: TestClient, database: Database) -> None:
    enter(client, database, ["helpfulness"])
    with database.write() as session:
        artifact = Artifact(public_id="a" * 32, kind="image", file_name="x.png", media_type="image/png", size=4)
        artifact.sha256 = "ab" + "0" * 62
        session.add(artifact)
        session.flush()
        for problem in session.scalars(select(Problem)):
            problem.image_id, problem.image_alt = artifact.id, 'A card: "Costs 2"'
    page = client.get("/grade").text
    assert 'alt="A card: &#34;Costs 2&#34;"' in page
    assert "data-picture-dialog" in page


def test_outputs_are_told_apart_and_found_by_their_text(client: TestClient, database: Database) -> None:
    enter(client, database, ["helpfulness"], items=3)
    prompt = "from typing import List\ndef task_{}(a: List):\n    pass"
    with database.write() as session:
        for n, problem in enumerate(session.scalars(select(Problem))):
            problem.intent = prompt.format(n // 2)  # the first two share theirs
        for n, item in enumerate(session.scalars(select(Item))):
            item.text = f"import math\ndef solve(a):\n    return a[{n}]"
    page = client.get("/grade").text
    for _ in range(3):
        _, page = send(client, page, {"answer-helpfulness": "3"})
    rows = re.findall(r'class="own-item">(.*?)class="own-more', client.get("/grade/answers").text, re.DOTALL)
    assert len(set(rows)) == 3
    assert not any("import" in row for row in rows), rows
    assert all("def task_" in row and "return a[" in row for row in rows)
    found = client.get("/grade/answers", params={"text": "a[1]"}).text
    assert found.count("own-title") == 1
    assert "return a[1]" in found
    assert "import math" in client.get("/grade/answers", params={"text": "MATH"}).text, "the line that was looked for"


def test_the_list_of_answers_has_the_page_s_own_keys(client: TestClient, database: Database) -> None:
    enter(client, database, ["naturalness"])
    send(client, client.get("/grade").text, {"answer-naturalness": "0.5"})
    listed = client.get("/grade/answers").text
    assert re.search(r'class="own-answer">1</span>', listed)
    assert "0.5 " not in listed
