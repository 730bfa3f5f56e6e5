"""Studies of each ready-made instrument, and one with all of them, small enough to be graded to the end."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.services.ordering import place
from app.services.questionnaires.instruments import add_instrument
from app.services.questionnaires.ready_made import (
    COMMENT,
    HELPFULNESS,
    LABELS,
    READY_MADE,
    InstrumentDraft,
)
from app.services.studies import create_study
from app.storage.models import Instrument, Item, Problem, Question, Study

# Helpfulness with more to say: labels and a comment beside the grade.
WITH_LABELS = replace(
    HELPFULNESS,
    name="helpful-and-why",
    title="Helpful, and why",
    questions=(replace(HELPFULNESS.questions[0], name="how-helpful"), LABELS, COMMENT),
)
DRAFTS = READY_MADE | {WITH_LABELS.name: WITH_LABELS}

PROMPTS = ("Sort the list `a` in place", "Reverse the string s", "Count the words of a file", "Merge two dicts")
CHANGED = ("Sort the lsit `a` in place", "Reverse string s please", "Count a file's words", "Merge two dictionaries")
CODE = "def total(values):\n    return sum(value for value in values if value > {})\n"
SUMMARY = "Adds up the values that are larger than {}."


def make_kind_study(session: Session, names: Sequence[str], *, items: int = 2, **settings: object) -> Study:
    """An open study with these instruments in this order, each with so many items."""
    study = create_study(session, "Which code helps?", seed=7, state="open", **settings)
    session.execute(delete(Question).where(Question.study_id == study.id))
    session.execute(delete(Instrument).where(Instrument.study_id == study.id))
    problems = [
        Problem(study_id=study.id, key=f"key-{n}", position=n, intent=text) for n, text in enumerate(PROMPTS[:items])
    ]
    session.add_all(problems)
    session.flush()
    for name in names:
        _add_items(session, study, add_instrument(session, study, DRAFTS[name]), DRAFTS[name], problems)
    session.flush()
    return study


def _add_items(
    session: Session, study: Study, instrument: Instrument, draft: InstrumentDraft, problems: Sequence[Problem]
) -> None:
    for number, problem in enumerate(problems):
        text, original = CODE.format(number), None
        if draft.kind == "prompt":
            text = PROMPTS[number]
        elif draft.kind == "pair":
            text, original = CHANGED[number], PROMPTS[number]
        elif draft.name == "code-summary":
            text = SUMMARY.format(number)
        session.add(
            Item(
                study_id=study.id,
                instrument_id=instrument.id,
                problem_id=problem.id,
                identity=f"{draft.name}-{number}",
                text=text,
                original=original,
                shuffle=place(study.seed, draft.name, number),
            )
        )
