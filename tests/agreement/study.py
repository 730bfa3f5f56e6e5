"""A small robustness study: prompts with and without changes, pairs, labels, a number, and outputs of two systems.

Who gives which grade follows from a rule, so that shares and counts can be told by hand.
"""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.services.agreement import AgreementParameters, all_documents, find_measurement, request_agreement
from app.services.questionnaires.instruments import add_instrument, add_questions, instrument_named, questions_of
from app.services.questionnaires.ready_made import COMMENT, LABELS, NATURALNESS, SIMILARITY, QuestionDraft
from app.services.runs import execute
from app.services.sampling.samples import make_items
from app.services.sampling.spec import SampleSpec
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Annotator, Grade, GradeEvent, Item, Problem, Question, Run, Study, Variant
from tests.factories import make_study

SLUG = "a-study"
PROBLEMS, TRANSFORMATIONS = 12, ("CamelCase", "Tense")
PEOPLE = ("A01", "A02", "A03", "A04", "A05")
NOW = datetime(2026, 11, 28, tzinfo=UTC)
SCALES = {"helpfulness": (1.0, 2.0, 3.0), "naturalness": (1.0, 0.5, 0.0), "semantic-similarity": (1.0, 1.0, 0.0)}
QUALITY = QuestionDraft("quality", "How good?", {"low": 0, "high": 100, "step": 1}, kind="number", required=False)


def survey_study(database: Database) -> None:
    """Twelve problems, each prompt changed twice; every item graded by all five, but one pair that nobody graded."""
    with database.write() as session:
        study = make_study(session, problems=PROBLEMS, systems=2)
        for problem in session.scalars(select(Problem).where(Problem.study_id == study.id)):
            for name in TRANSFORMATIONS:
                session.add(Variant(problem_id=problem.id, transformation=name, text=f"{problem.intent} in {name}"))
        add_questions(session, study, instrument_named(session, study, "helpfulness"), [QUALITY, COMMENT])
        for draft in (NATURALNESS, SIMILARITY):
            add_instrument(session, study, draft)
        pairs = instrument_named(session, study, SIMILARITY.name)
        add_questions(session, study, pairs, [LABELS])
        for instrument, source in ((NATURALNESS.name, "prompts"), (SIMILARITY.name, "pairs")):
            spec = SampleSpec(source=source, unchanged=None, changed=None, seed=7, by="transformation")
            make_items(session, "test", study, instrument_named(session, study, instrument), spec)
        session.add_all([Annotator(study_id=study.id, pseudonym=name, order_seed=n) for n, name in enumerate(PEOPLE)])
        session.flush()
        _grade_everything(session, study)


def _grade_everything(session: Session, study: Study) -> None:
    people = session.scalars(select(Annotator).where(Annotator.study_id == study.id).order_by(Annotator.id)).all()
    questions = {question.name: question for question in questions_of(session, study.id)}
    items = session.execute(
        select(Item, Problem.position, Variant.transformation)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Variant, Variant.id == Item.variant_id)
        .where(Item.study_id == study.id)
        .order_by(Item.id)
    ).all()
    kinds = {question.instrument_id: name for name, question in questions.items() if name in SCALES}
    for item, number, transformation in items:
        name = kinds[item.instrument_id]
        if name == "semantic-similarity" and (number, transformation) == (0, "Tense"):
            continue
        for who, annotator in enumerate(people):
            grade = SCALES[name][(number + (who if who > 2 else 0) + (transformation == "Tense")) % 3]
            if name == "naturalness" and transformation is None:
                grade = 1.0
            if name == "helpfulness":
                grade += item.text.endswith("system-1")
                _grade(session, annotator, item.id, questions["quality"], 20 * grade + who)
            _grade(session, annotator, item.id, questions[name], grade)
            if name == "semantic-similarity":
                chosen = ["wrong-result"] if grade == 0 or who == 0 else []
                _grade(session, annotator, item.id, questions["labels"], chosen)


def _grade(
    session: Session, annotator: Annotator, item_id: int, question: Question, given: float | list[str]
) -> None:
    """As tests.factories.add_grade, for many at once."""
    answer: dict[str, Any] = {"text": json.dumps(given)} if isinstance(given, list) else {"value": given}
    key = {"annotator_id": annotator.id, "item_id": item_id, "question_id": question.id}
    session.add(Grade(**key, **answer, created_at=NOW, updated_at=NOW))
    session.add(GradeEvent(**key, **answer, kind="grade"))


def measure(database: Database, settings: Settings, slug: str = SLUG, **parameters: object) -> Run:
    """Ask for everything to be measured, and do it here."""
    chosen = AgreementParameters.model_validate({"draws": 200, **parameters})
    with database.write() as session:
        run_id = request_agreement(session, find_study(session, slug), chosen).id
    execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
    assert run.state == "done", f"{run.message}\n{run.trace or ''}"
    return run


def documents(database: Database, slug: str = SLUG) -> str:
    """All that was measured."""
    with database.read() as session:
        text = all_documents(session, find_study(session, slug))
    assert text is not None
    return text


def is_stale(database: Database) -> bool:
    """Whether the agreement on the first question says so."""
    with database.read() as session:
        found = find_measurement(session, find_study(session, SLUG), "agreement", "helpfulness")
    assert found is not None
    return found.stale
