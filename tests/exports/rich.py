"""A study with everything in it: instruments of all kinds, pairs, checks, changes of mind, skips, exclusions."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import content_hash
from app.services import assignments, grading
from app.services.ordering import place
from app.services.questionnaires.instruments import instrument_named, questions_of
from app.services.questionnaires.ready_made import CODE_SUMMARY, COMMENT, HELPFULNESS, LABELS, NATURALNESS, SIMILARITY
from app.services.questionnaires.versions import publish
from app.services.studies import change_state
from app.storage.engine import Database
from app.storage.models import (
    Annotator,
    Assignment,
    FormResponse,
    Instrument,
    Item,
    Output,
    Problem,
    Question,
    Reference,
    Study,
    Variant,
    VariantScore,
)
from tests.factories import make_study

SLUG = "a-study"
PEOPLE = ("A01", "=A02", "A03", "A04")
EXCLUDED = "A04"
WHY = "Straight-lined: 40 of 40 the same."
SKIPPED_BECAUSE = "-no idea\n"
OPTIONS = {"retire_after": 2, "practice": {"pass_mark": 0.5}, "quotas": {"nominal": 9}}
CONSENT = {"text": "Do you agree? ü", "decline": "No", "agree": "Yes"}
PROFILE = {"fields": [{"name": "years", "label": "For how many years?", "kind": "number", "most": 60.5}]}
IDS = {"PROLIFIC_PID": "5f0ab1", "STUDY_ID": "s1"}


def make_rich_study(database: Database) -> None:
    """Make it and have four people go through it."""
    summaries = replace(CODE_SUMMARY, questions=(*CODE_SUMMARY.questions, LABELS, COMMENT))
    with database.write() as session:
        study = make_study(
            session,
            problems=3,
            systems=2,
            seed=2**62,  # more than a reader of JSON can hold
            instruments=(HELPFULNESS, summaries, NATURALNESS, SIMILARITY),
            options=OPTIONS,
            message="Thank *you*.",
            grades_per_item=4,
        )
        instrument_named(session, study, "naturalness").grades_per_item = 3
        _add_items(session, study)
        _add_forms(session, study)
        change_state(session, study, "open")
        for number, name in enumerate(PEOPLE):
            _grade_all(session, _add_person(session, study, number, name), number)
        away = session.scalars(select(Annotator).where(Annotator.pseudonym == EXCLUDED)).one()
        away.excluded_at, away.excluded_reason = utc_now(), WHY
        study.grades_per_item = 5
        publish(session, study, "consent", {"text": "# Second version", "agree": "Ja, gern"})
        change_state(session, study, "paused")


def _add_items(session: Session, study: Study) -> None:
    instruments = {each.name: each for each in session.scalars(select(Instrument))}
    problems = session.scalars(select(Problem).order_by(Problem.position)).all()
    problems[0].image_alt = "A card."
    problems[1].tests, problems[1].entry_point = "assert f() == 1", "f"
    problems[1].code_before = "def f():\n"
    for output in session.scalars(select(Output).order_by(Output.id)).all():
        text, problem = output.text, session.get_one(Problem, output.problem_id)
        _add_item(session, study, instruments["code-summary"], problem, text)
    for number, problem in enumerate(problems):
        reference = session.scalars(select(Reference).where(Reference.problem_id == problem.id)).one()
        item = _add_item(session, study, instruments["helpfulness"], problem, reference.text, is_reference=True)
        reference.item_id = item.id
        nominal = problem.intent or ""
        _add_item(session, study, instruments["naturalness"], problem, nominal, stratum="nominal")
        for seed in (0, 2**60 + number):
            changed = f"{nominal} ~{seed}"
            variant = Variant(problem_id=problem.id, transformation="butter fingers", seed=seed, text=changed)
            session.add(variant)
            session.flush()
            score = None if seed else 1 / 3
            about = {"name": "cosine_docstring", "signature": "by|hand"}
            session.add(VariantScore(variant_id=variant.id, score=score, **about))
            more: dict[str, Any] = {"variant_id": variant.id, "stratum": "butter fingers"}
            _add_item(session, study, instruments["naturalness"], problem, changed, **more)
            _add_item(session, study, instruments["semantic-similarity"], problem, changed, original=nominal, **more)
    first = session.scalars(select(Item).order_by(Item.id)).first()
    assert first is not None
    expected = {"answers": {"helpfulness": 4.0}, "feedback": "It **is** right."}
    for role in ("practice", "loud", "silent"):
        _add_item(session, study, instruments["helpfulness"], problems[0], f"# {role}", role=role, expected=expected)
    _add_item(session, study, instruments["helpfulness"], problems[0], first.text, role="repeat", repeats_id=first.id)
    session.scalars(select(Item).order_by(Item.id.desc())).first().retired_at = utc_now()  # type: ignore[union-attr]


def _add_item(
    session: Session, study: Study, instrument: Instrument, problem: Problem, text: str, **more: Any
) -> Item:
    role = more.get("role", "main")
    identity = content_hash(text) if role == "main" else content_hash(role, text)
    item = Item(
        study_id=study.id,
        instrument_id=instrument.id,
        problem_id=problem.id,
        identity=identity,
        text=text,
        shuffle=place(study.seed, instrument.name, problem.key, identity),
        **more,
    )
    session.add(item)
    session.flush()
    return item


def _add_forms(session: Session, study: Study) -> None:
    publish(session, study, "consent", CONSENT)
    publish(session, study, "profile", PROFILE)


def _add_person(session: Session, study: Study, number: int, name: str) -> Annotator:
    annotator = Annotator(
        study_id=study.id,
        pseudonym=name,
        name=f"Name of {name}",
        order_seed=place(study.seed, "order", name),
        stage="grading",
        stage_since=utc_now(),
        source="prolific" if number == 1 else "link",
        external_id="5f0ab1" if number == 1 else None,
        practice_tries=number,
        created_at=utc_now() - timedelta(days=number),
    )
    if number == 1:
        annotator.crowd = IDS
    session.add(annotator)
    session.flush()
    consent = publish(session, study, "consent", CONSENT)
    profile = publish(session, study, "profile", PROFILE)
    session.add(FormResponse(annotator_id=annotator.id, form_version_id=consent.id, answers={"agreed": True}))
    session.add(FormResponse(annotator_id=annotator.id, form_version_id=profile.id, answers={"years": number}))
    return annotator


def _grade_all(session: Session, annotator: Annotator, person: int) -> None:
    count = 0
    while claims := assignments.upcoming(session, annotator.id):
        _answer(session, claims[0], person, count)
        count += 1


def _answer(session: Session, claim: Assignment, person: int, count: int) -> None:
    item = session.get_one(Item, claim.item_id)
    answers = _answers(session, item, person, count)
    _send(session, claim, "grade", answers, {"submit_ms": 1500 + count, "hidden_ms": 600, "first_key_ms": 300})
    if count % 5 == 0:
        _send(session, claim, "grade", answers | _changed(session, item), {"active_ms": 100})
    if count % 7 == 3 and person < 2:
        _send(session, claim, "skip", {}, {}, note=SKIPPED_BECAUSE if count % 2 else "")
        item.skips += 1
    if count == 4:
        _send(session, claim, "flag", {}, {}, note="@broken")


def _send(
    session: Session, claim: Assignment, kind: str, answers: dict[str, Any], details: dict[str, Any], note: str = ""
) -> None:
    grading.submit(
        session,
        claim.annotator_id,
        grading.Submission(claim.public_id, str(uuid4()), kind, answers, note, details=details),  # type: ignore[arg-type]
    )


def _answers(session: Session, item: Item, person: int, count: int) -> dict[str, Any]:
    """People agree mostly: what they answer follows from the text, and now and then from the person."""
    quality = int(content_hash(item.text)[:4], 16) + (person if count % 4 == person else 0)
    given: dict[str, Any] = {}
    for question in questions_of(session, item.study_id, item.instrument_id):
        given |= _answer_to(question, quality, count)
    return given


def _answer_to(question: Question, quality: int, count: int) -> dict[str, Any]:
    if question.kind == "choice":
        choices = question.scale["choices"]
        return {question.name: choices[quality % len(choices)]["value"]}
    if question.kind == "number":
        return {question.name: quality % 101}
    if question.kind == "labels":
        return {question.name: ["incomplete", "wrong-result"][: quality % 3]}
    return {question.name: ["=1+1", "'=x", "fine, really\r\n", ""][count % 4]} if count % 3 else {}


def _changed(session: Session, item: Item) -> dict[str, Any]:
    question = questions_of(session, item.study_id, item.instrument_id)[0]
    return _answer_to(question, 1, 0)
