"""Ready-made questionnaires come in the language of whoever makes a study, and are stored as its own words."""

from typing import Any

import pytest
from sqlalchemy import select

from app.errors import InvalidInput
from app.services.questionnaires.form_content import parse_form
from app.services.questionnaires.ready_made import (
    BLANK,
    READY_MADE,
    READY_MADE_QUESTIONS,
    in_words,
    question_in_words,
)
from app.services.questionnaires.ready_made_forms import ready_made_form
from app.services.questionnaires.scales import check_answer, parse_scale, scale_words
from app.services.studies import create_study
from app.storage.engine import Database
from app.storage.models import Instrument, Question
from tests.words.marked import marked_words

READ = ("title", "text", "help", "label", "description", "low_label", "high_label", "intro", "agree", "decline")


def read_in(content: Any, name: str = "") -> list[str]:
    """All that people read of it."""
    if isinstance(content, dict):
        return [text for key, value in content.items() for text in read_in(value, key)]
    if isinstance(content, list):
        return [text for each in content for text in read_in(each, name)]
    is_words = name in READ or (name == "options" and any(letter.isalpha() for letter in content))
    return [content] if is_words and content else []


@pytest.mark.parametrize("name", [*READY_MADE, *BLANK])
def test_all_words_of_an_instrument_are_translated_and_nothing_else(name: str) -> None:
    draft = (READY_MADE | BLANK)[name]
    with marked_words():
        said = in_words(draft)
    texts = [said.title, *(text for each in said.questions for text in [each.text, *read_in(each.scale)])]
    assert len(texts) > len(draft.questions)
    assert all(text.startswith("«") for text in texts)
    plain, marked = ([(each.name, str(each.scale)) for each in one.questions] for one in (draft, said))
    assert plain == [(question, scale.replace("«", "").replace("»", "")) for question, scale in marked]
    for each in said.questions:
        parse_scale(each.kind, each.scale)


@pytest.mark.parametrize("name", READY_MADE_QUESTIONS)
def test_a_ready_made_question_is_translated(name: str) -> None:
    with marked_words():
        said = question_in_words(READY_MADE_QUESTIONS[name])
    assert all(text.startswith("«") for text in [said.text, *read_in(said.scale)])
    assert said.name == name


@pytest.mark.parametrize("kind", ["consent", "profile", "closing"])
def test_all_words_of_a_form_are_translated(kind: str) -> None:
    with marked_words():
        said = ready_made_form(kind)
    found = [text for text in read_in(said) if any(letter.isalpha() for letter in text)]
    assert len(found) > 2
    assert all(text.startswith("«") for text in found), [text for text in found if not text.startswith("«")]
    parse_form(kind, ready_made_form(kind))


def test_what_is_stored_stays_as_it_was_made(database: Database) -> None:
    with marked_words(), database.write() as session:
        create_study(session, "A study", instruments=[in_words(READY_MADE["naturalness"])])
    with database.read() as session:
        assert session.scalars(select(Instrument.title)).one() == "«Naturalness: 0, 0.5, 1»"
        question = session.scalars(select(Question)).one()
        assert question.text == "«Could a programmer have written this?»"
        assert [choice["value"] for choice in question.scale["choices"]] == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        ("choice", {"choices": [{"value": 0, "key": "ab"}, {"value": 1}]}),
        ("choice", {"choices": [{"value": 0, "key": "s"}, {"value": 1}]}),
        ("choice", {"choices": [{"value": 0, "key": "1"}, {"value": 1, "key": "1"}]}),
        ("choice", {"choices": [{"value": 1}, {"value": 0}]}),
        ("labels", {"choices": [{"name": "a"}, {"name": "a"}]}),
        ("labels", {"choices": [{"name": "a"}], "least": 2}),
        ("number", {"low": 2, "high": 1}),
    ],
)
def test_what_is_wrong_with_a_scale_is_told_in_the_readers_language(kind: str, scale: dict[str, Any]) -> None:
    with marked_words(), pytest.raises(InvalidInput) as failure:
        parse_scale(kind, scale)
    assert failure.value.message.count("«") == 2


def test_a_wrong_number_and_a_scale_are_told_in_the_readers_language() -> None:
    question = Question(name="q", text="", kind="number", scale={"low": 0, "high": 100, "step": 1})
    with marked_words(), pytest.raises(InvalidInput) as failure:
        check_answer(question, 101)
    assert failure.value.message == "«An answer is a number from 0 to 100 in steps of 1.»"
    with marked_words():
        assert scale_words(question) == "«0 to 100 in steps of 1»"
        assert scale_words(Question(kind="comment", scale={})) == "«free text»"
