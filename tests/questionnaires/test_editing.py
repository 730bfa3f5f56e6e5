"""Editing what a study asks: free in a draft, versioned once it has opened, careful with what people answered."""

from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput
from app.services import assignments, studies
from app.services.questionnaires import editing
from app.services.questionnaires.editing_drafts import (
    blank_question,
    instrument_draft,
    question_draft,
    read_instrument,
)
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.ready_made import BLANK, CODE_SUMMARY, LABELS, NATURALNESS, READY_MADE
from app.services.questionnaires.version_texts import difference, versions_of
from app.storage.engine import Database
from app.storage.models import Assignment, AuditEvent, FormVersion, Grade, Instrument, Item, Question, Study
from tests.factories import make_study
from tests.grading.helpers import add_annotators, answer


def draft_of(session: Session, instrument: Instrument) -> dict[str, Any]:
    return instrument_draft(instrument, questions_of(session, instrument.study_id, instrument.id))


def saved(session: Session, study: Study, draft: dict[str, Any], instrument: Instrument | None = None) -> None:
    instrument = instrument or instruments_of(session, study.id)[0]
    editing.save(session, "user:1", study, instrument, read_instrument(draft))


def problems(session: Session, study: Study, draft: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused, session.begin_nested():
        saved(session, study, draft)
    return {str(each.field): each.message for each in refused.value.problems}


def graded_study(database: Database) -> int:
    """An open study, one item of which one annotator has given a 3."""
    with database.write() as session:
        study = make_study(session)
        studies.change_state(session, study, "open")
    annotator = add_annotators(database, study.id, 1)[0]
    with database.write() as session:
        answer(session, assignments.upcoming(session, annotator)[0], 3)
    return study.id


def test_a_draft_of_what_is_ready_made_means_the_same(database: Database) -> None:
    with database.write() as session:
        study = make_study(session, problems=0, instruments=())
        for ready in [*READY_MADE.values(), *BLANK.values()]:
            instrument = editing.add(session, "user:1", study, ready)
            before = editing.content_of(session, instrument)
            saved(session, study, draft_of(session, instrument), instrument)
            assert editing.content_of(session, instrument) == before
        actions = set(session.scalars(select(AuditEvent.action)))
        assert actions == {"instrument added"}, "nothing changed, so nothing happened"


def test_a_draft_study_is_edited_freely(database: Database) -> None:
    with database.write() as session:
        study = make_study(session)
        draft = draft_of(session, instruments_of(session, study.id)[0])
        draft |= {"title": "Our own", "instructions": "*Read* first.", "grades_per_item": "7"}
        rows = draft["questions"][0]["scale"]["choices"]
        rows[4]["value"], rows[0] = "0.5", {"value": "-1", "key": "x", "label": "Worse"}
        draft["questions"] = [{**question_draft(LABELS)}, draft["questions"][0], blank_question("comment")]
        draft["questions"][2]["text"] = "What else?"
        saved(session, study, draft)
    with database.read() as session:
        instrument = instruments_of(session, study.id)[0]
        assert (instrument.title, instrument.instructions, instrument.grades_per_item) == (
            "Our own",
            "*Read* first.",
            7,
        )
        asked = questions_of(session, study.id)
        assert [(each.name, each.kind, each.required) for each in asked] == [
            ("labels", "labels", False),
            ("helpfulness", "choice", True),
            ("what-else", "comment", False),
        ]
        assert [each["value"] for each in asked[1].scale["choices"]] == [-1, 0.5, 1, 2, 3]
        assert session.scalar(select(func.count(FormVersion.id))) == 0
        event = session.scalars(select(AuditEvent)).one()
        assert event.action == "instrument changed"
        changes = event.details["changes"]
        assert changes["title"] == {"before": "Helpfulness, 0 to 4", "after": "Our own"}
        assert changes["question what-else"] == {"before": None, "after": "What else?"}
        assert set(changes) == {
            "title",
            "instructions",
            "grades_per_item",
            "scale of helpfulness",
            "question labels",
            "question what-else",
        }, "and no version: nobody has read it yet"


def test_names_are_made_and_kept_apart(database: Database) -> None:
    with database.write() as session:
        study = make_study(session)
        second = editing.add(session, "user:1", study, READY_MADE["helpfulness"])
        assert (second.name, questions_of(session, study.id, second.id)[0].name) == ("helpfulness-2", "helpfulness-2")
        draft = draft_of(session, instruments_of(session, study.id)[0])
        draft["questions"] += [{**blank_question("comment"), "text": words} for words in ("Why?", "Why?", "¿?")]
        draft["questions"][0]["name"] = "helpfulness-2"
        assert list(problems(session, study, draft)) == ["questions.0.name"]
        draft["questions"][0]["name"] = "why"
        saved(session, study, draft)
        names = [each.name for each in questions_of(session, study.id, instruments_of(session, study.id)[0].id)]
        assert names == ["why", "why-2", "why-3", "question"]
        draft = draft_of(session, instruments_of(session, study.id)[0])
        draft["questions"][1]["name"], draft["questions"][2]["name"] = "why-3", "why-2"
        saved(session, study, draft)
        assert [each.name for each in questions_of(session, study.id)][:4] == ["why", "why-3", "why-2", "question"]


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("title", " ", "needed"),
        ("grades_per_item", "0", "least is 1"),
        ("kind", "prompt", "stays once"),
        ("questions.0.text", "", "needed"),
        ("questions.0.scale.choices.1.value", "", "needed"),
        ("questions.0.scale.choices.1.value", "much", "Enter a number"),
        ("questions.0.scale.choices.2.value", "1.0", "Answer 2 has this value"),
        ("questions.0.scale.choices.3.key", "1", "Answer 2 has this key"),
        ("questions.0.scale.choices.3.key", "S", "something else"),
        ("questions.0.scale.choices.3.key", "ab", "one letter"),
        ("questions.0.scale.level", "ratio", "Choose one"),
        ("questions.1.scale.choices.1.name", "", "needed"),
        ("questions.1.scale.choices.1.name", "does-not-run", "Answer 1 has this name"),
        ("questions.1.scale.least", "9", "More labels"),
        ("questions.2.scale.low", "100", "lower to a higher"),
        ("questions.2.scale.step", "0", "above 0"),
        ("questions.2.name", "labels", "Question 2 has this name"),
        ("questions.2.id", "999999", "removed this question"),
    ],
)
def test_what_can_not_be_used_is_refused_at_its_place(database: Database, place: str, value: str, words: str) -> None:
    with database.write() as session:
        study = make_study(session)
        before = editing.content_of(session, instruments_of(session, study.id)[0])
        draft = draft_of(session, instruments_of(session, study.id)[0])
        draft["questions"] += [question_draft(LABELS), question_draft(CODE_SUMMARY.questions[0])]
        holder: Any = draft
        *steps, last = place.split(".")
        for step in steps:
            holder = holder[int(step) if step.isdecimal() else step]
        holder[last] = value
        found = problems(session, study, draft)
        at = {"questions.2.id": "questions.2.text", "questions.1.scale.least": "questions.1.scale"}.get(place, place)
        at = "questions.2.scale" if place == "questions.2.scale.low" else at
        assert list(found) == [at]
        assert words in found[at]
        assert editing.content_of(session, instruments_of(session, study.id)[0]) == before


def test_an_open_study_gets_a_version_with_each_change_and_grades_know_theirs(database: Database) -> None:
    study_id = graded_study(database)
    with database.write() as session:
        study = session.get_one(Study, study_id)
        draft = draft_of(session, instruments_of(session, study.id)[0])
        draft["questions"][0]["text"] = "How far does it help?"
        draft["questions"][0]["help"] = "Think of a **beginner**."
        rows = draft["questions"][0]["scale"]["choices"]
        rows[0]["key"] = "x"
        rows.append({"value": "5", "key": "5", "label": "Better than asked"})
        saved(session, study, draft)
        saved(session, study, draft)
    annotator = add_annotators(database, study_id, 1)[0]
    with database.write() as session:
        answer(session, assignments.upcoming(session, annotator)[0], 5)
    with database.read() as session:
        versions = {each.id: each for each in versions_of(session, study)}
        assert sorted(each.number for each in versions.values()) == [1, 2]
        grades = session.scalars(select(Grade).order_by(Grade.id)).all()
        assert [(grade.value, versions[grade.questionnaire_id or 0].number) for grade in grades] == [(3, 1), (5, 2)]
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "instrument changed")).one()
        assert event.details["changes"]["version"] == {"before": 1, "after": 2}
        text = event.details["changes"]["text of helpfulness"]
        assert text["after"] == "How far does it help?"
        second, first = versions_of(session, study)
        changed = [(line.state, line.text.strip()) for line in difference(first, second) if line.state != "same"]
        assert changed[0] == (
            "removed",
            "How helpful is this code for someone who has to solve the problem? (helpfulness, choice, required)",
        )
        assert ("added", "5 [5] Better than asked") in changed
        assert ("added", "Think of a **beginner**.") in changed


def test_an_answered_question_keeps_its_meaning(database: Database) -> None:
    study_id = graded_study(database)
    with database.write() as session:
        study = session.get_one(Study, study_id)

        def changed(**parts: Any) -> dict[str, Any]:
            draft = draft_of(session, instruments_of(session, study.id)[0])
            draft["questions"][0] |= parts
            return draft

        scale = changed()["questions"][0]["scale"]
        fewer = changed(scale=scale | {"choices": scale["choices"][:-1]})
        assert "must stay: 4" in problems(session, study, fewer)["questions.0.scale"]
        renumbered = changed(scale=scale | {"choices": [*scale["choices"][:-1], {"value": "10"}]})
        assert "must stay: 4" in problems(session, study, renumbered)["questions.0.scale"]
        assert "kind" in problems(session, study, changed(**blank_question("comment")))["questions.0.kind"]
        assert "name" in problems(session, study, changed(name="usefulness"))["questions.0.name"]
        gone = changed()
        gone["questions"] = [{**blank_question("comment"), "text": "Why?"}]
        assert problems(session, study, gone) == {"questions": "The question “helpfulness” has grades: it stays."}
        copied = changed()
        copied["questions"].append({**copied["questions"][0], **blank_question("number"), "id": "", "name": ""})
        saved(session, study, copied)
        assert [each.name for each in questions_of(session, study.id)] == [
            "helpfulness",
            "how-helpful-is-this-code-for-someone-who",
        ]


@pytest.mark.parametrize(
    ("kind", "before", "after", "fits"),
    [
        ("number", {"low": 0, "high": 10, "step": 1}, {"low": -5, "high": 20, "step": 0.5}, True),
        ("number", {"low": 0, "high": 10, "step": 1}, {"low": 0, "high": 9, "step": 1}, False),
        ("number", {"low": 0, "high": 10, "step": 1}, {"low": 0, "high": 10, "step": 2}, False),
        ("number", {"low": 0, "high": 10, "step": 1}, {"low": -0.5, "high": 10, "step": 1}, False),
        ("labels", {"choices": ["a", "b"]}, {"choices": ["c", "b", "a"]}, True),
        ("labels", {"choices": ["a", "b"]}, {"choices": ["a", "B"]}, False),
        ("labels", {"choices": ["a", "b"]}, {"choices": ["a", "b"], "least": 1}, False),
        ("comment", {"most": 10}, {"most": 20}, True),
        ("comment", {"most": 10}, {"most": 9}, False),
    ],
)
def test_scales_with_answers_only_grow(kind: str, before: Any, after: Any, fits: bool) -> None:
    from app.services.questionnaires.editing_drafts import Edited
    from app.services.questionnaires.editing_rules import refusals
    from app.services.questionnaires.ready_made import QuestionDraft
    from app.services.questionnaires.scales import parse_scale

    def scale(parts: dict[str, Any]) -> dict[str, Any]:
        rows = {"choices": [{"name": name} for name in parts["choices"]]} if "choices" in parts else {}
        return parse_scale(kind, parts | rows).model_dump()

    question = Question(name="q", text="?", kind=kind, scale=scale(before))
    found = list(refusals(question, Edited(1, 0, QuestionDraft("q", "?", scale(after), kind))))
    assert (found == []) is fits


def test_instruments_move_and_go_while_nobody_has_seen_them(database: Database) -> None:
    study_id = graded_study(database)
    with database.write() as session:
        study = session.get_one(Study, study_id)
        first = instruments_of(session, study.id)[0]
        with pytest.raises(Conflict, match="only instrument"):
            editing.remove(session, "user:1", study, first)
        second = editing.add(session, "user:1", study, NATURALNESS)
        problem = session.scalars(select(Item.problem_id)).first()
        session.add(
            Item(study_id=study.id, instrument_id=second.id, problem_id=problem, identity="i", text="t", shuffle=1)
        )
        editing.move(session, "user:1", study, second, "up")
        editing.move(session, "user:1", study, second, "up")
        assert [each.name for each in instruments_of(session, study.id)] == ["naturalness", "helpfulness"]
        with pytest.raises(Conflict, match="have been handed"):
            editing.remove(session, "user:1", study, first)
        editing.remove(session, "user:1", study, second)
        assert session.scalar(select(func.count(Instrument.id))) == 1
        mine = select(AuditEvent.action).where(AuditEvent.actor == "user:1").order_by(AuditEvent.id)
        assert session.scalars(mine).all() == ["instrument added", "instruments reordered", "instrument removed"]
        numbers = session.scalars(select(FormVersion.number).order_by(FormVersion.id)).all()
        assert numbers == [1, 2, 3, 4], "each of these is another questionnaire to read"


def test_the_instrument_of_the_outputs_stays(database: Database) -> None:
    with database.write() as session:
        study = make_study(session)
        editing.add(session, "user:1", study, NATURALNESS)
        assert session.scalar(select(func.count(Assignment.id))) == 0
        with pytest.raises(Conflict, match="outputs hang on"):
            editing.remove(session, "user:1", study, instruments_of(session, study.id)[0])
