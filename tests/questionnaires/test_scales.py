"""Scales: every stored answer reads back as it was given, and what is off the scale is refused, on both databases."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.errors import InvalidInput
from app.services.questionnaires.scales import KINDS, as_given, bounds_of, check_answer, parse_scale, scale_of
from app.storage.engine import Database
from app.storage.models import Question
from tests.factories import make_study

WORDS = st.text(st.characters(exclude_categories=("C",)), max_size=8)
NUMBERS = st.one_of(
    st.integers(-1_000_000, 1_000_000),
    st.floats(-1_000_000, 1_000_000, allow_nan=False).filter(lambda value: value == 0 or abs(value) > 1e-9),
)
NAMES = st.text(st.characters(exclude_categories=("C",)), min_size=1, max_size=8)


@st.composite
def choices(draw: st.DrawFn) -> dict[str, Any]:
    values = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=8, unique_by=float)))
    return {"choices": [{"value": value, "label": draw(WORDS)} for value in values]}


@st.composite
def labels(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    return {"choices": [{"name": name} for name in names], "least": draw(st.integers(0, len(names)))}


@st.composite
def ranges(draw: st.DrawFn) -> dict[str, Any]:
    low, steps = draw(st.integers(-50, 50)), draw(st.integers(1, 200))
    step = draw(st.sampled_from([0.1, 0.25, 0.5, 1, 2.5, 5]))
    return {"low": low, "high": low + steps * step, "step": step}


def asked(kind: str, scale: dict[str, Any]) -> Question:
    return Question(name="q", text="?", kind=kind, scale=parse_scale(kind, scale).model_dump())


def read_back(question: Question, given_answer: Any) -> Any:
    stored = check_answer(question, given_answer)
    assert (stored.value is None) != (stored.text is None)
    return as_given(question, stored.value, stored.text)


@settings(max_examples=50)
@given(choices(), st.data())
def test_a_choice_reads_back_and_nothing_beside_it_is_taken(scale: dict[str, Any], data: st.DataObject) -> None:
    question = asked("choice", scale)
    values = [choice["value"] for choice in scale["choices"]]
    value = data.draw(st.sampled_from(values))
    assert read_back(question, value) == value
    other = data.draw(NUMBERS)
    if other in values:
        assert read_back(question, other) == other
    else:
        with pytest.raises(InvalidInput, match="one of"):
            check_answer(question, other)


@given(ranges(), st.data())
def test_a_number_is_taken_on_each_step_and_between_none(scale: dict[str, Any], data: st.DataObject) -> None:
    question = asked("number", scale)
    steps = round((scale["high"] - scale["low"]) / scale["step"])
    number = scale["low"] + data.draw(st.integers(0, steps)) * scale["step"]
    assert read_back(question, min(number, scale["high"])) == min(number, scale["high"])
    for wrong in (scale["low"] - scale["step"], scale["high"] + scale["step"], scale["low"] + scale["step"] / 3):
        with pytest.raises(InvalidInput, match="in steps of"):
            check_answer(question, wrong)


@settings(max_examples=50)
@given(labels(), st.randoms(use_true_random=False), st.data())
def test_labels_are_a_set_whose_order_does_not_matter(
    scale: dict[str, Any], shuffled: random.Random, data: st.DataObject
) -> None:
    question = asked("labels", scale)
    names = [choice["name"] for choice in scale["choices"]]
    given_names = data.draw(st.lists(st.sampled_from(names), unique=True))
    again = [*given_names, *given_names[:1]]
    shuffled.shuffle(again)
    if len(given_names) < scale["least"]:
        with pytest.raises(InvalidInput, match="at least"):
            check_answer(question, given_names)
        return
    assert check_answer(question, again) == check_answer(question, given_names)
    assert read_back(question, again) == [name for name in names if name in given_names]
    unknown = "".join(names) + "x"
    with pytest.raises(InvalidInput, match="some of"):
        check_answer(question, [*given_names, unknown])


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=30))
def test_a_comment_is_kept_to_the_letter_up_to_its_length(text: str) -> None:
    question = asked("comment", {"most": 20})
    if len(text) <= 20:
        assert read_back(question, text) == text
    else:
        with pytest.raises(InvalidInput, match="at most 20"):
            check_answer(question, text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", [True, None, "1", ["1"], {"a": 1}, float("nan"), float("inf"), 7, [7]])
def test_an_answer_of_another_kind_is_refused(kind: str, answer: Any) -> None:
    scales = {
        "choice": {"choices": [{"value": 0}, {"value": 1}]},
        "labels": {"choices": [{"name": "1"}], "least": 1},
        "number": {"low": 0, "high": 5},
        "comment": {},
    }
    if (kind, answer) in (("labels", ["1"]), ("comment", "1")):
        assert read_back(asked(kind, scales[kind]), answer) == answer
        return
    with pytest.raises(InvalidInput):
        check_answer(asked(kind, scales[kind]), answer)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scale=choices())
def test_a_stored_scale_comes_back_the_same(database: Database, scale: dict[str, Any]) -> None:
    """PostgreSQL keeps numbers as decimals, SQLite as text: whole ones stay whole, others keep every digit."""
    with database.write() as session:
        if session.scalar(select(Question.id)) is None:
            make_study(session, problems=0)
        question = session.scalars(select(Question)).one()
        question.scale = parse_scale("choice", scale).model_dump()
        session.flush()
        session.expire(question)
        values = [choice.value for choice in scale_of(question).choices]  # type: ignore[union-attr]
        assert values == [choice["value"] for choice in scale["choices"]]
        assert bounds_of(question) == (float(values[0]), float(values[-1]))
        for value in values:
            assert read_back(question, value) == value


@pytest.mark.parametrize(
    ("kind", "scale", "words"),
    [
        ("choice", {"choices": [{"value": 1}, {"value": 0}]}, "must rise"),
        ("choice", {"choices": [{"value": 1}, {"value": 1.0}]}, "must rise"),
        ("choice", {"choices": [{"value": 1, "key": "a"}, {"value": 2, "key": "A"}]}, "two answers"),
        ("choice", {"choices": [{"value": 1, "key": "s"}, {"value": 2}]}, "something else"),
        ("choice", {"choices": [{"value": 1, "key": "12"}, {"value": 2}]}, "one letter"),
        ("labels", {"choices": [{"name": "a"}, {"name": "a"}]}, "same name"),
        ("labels", {"choices": [{"name": "a"}], "least": 2}, "More labels"),
        ("number", {"low": 1, "high": 1}, "lower to a higher"),
        ("prose", {}, "no kind"),
    ],
)
def test_a_scale_that_can_not_be_answered_is_refused(kind: str, scale: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_scale(kind, scale)
