"""A perturbed set of twelve problems by the tests' own rules, and people whose grades follow from the change."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.agreement import AgreementParameters, request_agreement
from app.services.naturalness.making import make_surveys
from app.services.naturalness.spec import SurveySpec
from app.services.perturbing import Wanted, find_set, request_set
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Annotator, BenchmarkProblem, ChangeScore, Item, Question, Run, Study, Variant
from tests.factories import add_grade
from tests.perturbing.conftest import Work, make_parent, rules, work

__all__ = ["rules", "work"]

SET = "bench-perturbed"
SPEC = SurveySpec(unperturbed=4, perturbed=6, pairs=6, seed=7, annotators=2)
# What both of two annotators say of each item, by what was changed.
GIVEN = {None: (1.0, 1.0), "docstring": (0.0, 0.5), "function_name": (0.5, 1.0), "format": (1.0, 1.0)}


def make_set(database: Database, work: Work, name: str = "Bench") -> None:
    """Twelve problems, two seeds: 22 changed docstrings, 12 names, 12 halves."""
    with database.write() as session:
        request_set(session, make_parent(session, 12, name), Wanted(2), actor="tests")
    work.all()


@pytest.fixture
def perturbed(database: Database, work: Work) -> Database:
    """A set, made."""
    make_set(database, work)
    return database


def make_survey(session: Session, spec: SurveySpec = SPEC, title: str = "Natural?") -> Study:
    """One study with both questions."""
    return make_surveys(session, find_set(session, SET), spec, title=title, actor="tests")[0]


def grade_all(session: Session, study: Study) -> None:
    """Two people answer everything."""
    people = [Annotator(study_id=study.id, pseudonym=f"A{number}", order_seed=number) for number in range(2)]
    session.add_all(people)
    session.flush()
    asked = {each.instrument_id: each.id for each in session.scalars(select(Question).filter_by(study_id=study.id))}
    items = select(Item, Variant.category).outerjoin(Variant, Variant.id == Item.variant_id)
    for item, category in session.execute(items.where(Item.study_id == study.id).order_by(Item.id)).all():
        for person, value in zip(people, GIVEN[category], strict=True):
            add_grade(session, person, item.id, asked[item.instrument_id], value)


def give_scores(session: Session, name: str, by_category: dict[str, float]) -> None:
    """Scores of a check for all changed rows, the same in a category."""
    rows = select(BenchmarkProblem).where(
        BenchmarkProblem.unchanged.is_(None), BenchmarkProblem.category.is_not(None)
    )
    session.add_all(
        ChangeScore(problem_id=row.id, name=name, signature=name, score=by_category[row.category])
        for row in session.scalars(rows)
        if row.category in by_category
    )


def measure(database: Database, work: Work, slug: str = "natural") -> None:
    """Measure the study's grades."""
    with database.write() as session:
        chosen = AgreementParameters(draws=200)
        run_id = request_agreement(session, find_study(session, slug), chosen).id
    execute(database, work.settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", run.trace or run.message
