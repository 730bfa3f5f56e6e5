"""What people read after practice: the answers by the words and keys of the page that they answered on."""

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services import invitation_links
from app.services.way import check_editing
from app.services.way.expected import answer_in_words
from app.storage.engine import Database
from app.storage.models import Question
from tests.grading.every_kind import make_kind_study
from tests.way.helpers import come, grade


def test_answers_are_told_by_word_and_key(client: TestClient, database: Database) -> None:
    with database.write() as session:
        study = make_kind_study(session, ["naturalness"])
        line = '{"role": "practice", "intent": "i", "text": "t", "answers": {"naturalness": [0, 0.5]}}'
        check_editing.import_lines(session, "test", study, line)
        token = invitation_links.create_invitation(session, "test", study)
    come(client, token)
    instructions = client.get("/grade/instructions").text
    assert "<kbd>1</kbd> Possible but rare<" in instructions, "two numbers beside each other would be mixed up"
    told = client.get(grade(client, 1)).text
    assert "Your answer: <b>Natural (key 2)</b>" in told
    assert "Right: <b>Not natural (key 0), Possible but rare (key 1)</b>" in told


def test_each_kind_of_question_has_its_words(database: Database) -> None:
    with database.write() as session:
        make_kind_study(session, ["helpful-and-why", "code-summary"])
        asked = {question.name: question for question in session.scalars(select(Question))}
    assert answer_in_words(asked["how-helpful"], 3) == "3 (Small change)"
    assert answer_in_words(asked["conciseness"], [1, 3]).endswith(", 3"), "no words but its number"
    assert answer_in_words(asked["labels"], ["incomplete"]).endswith(")")
    assert answer_in_words(asked["direct-assessment"], {"least": 40, "most": 60}) == "40 to 60"
