"""Tests beside people: the statistics' own numbers over the rows that count, on any scale."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from app.errors import InvalidInput
from app.services.agreement.questions import AskedQuestion
from app.services.dashboards.reliability import what_is_asked
from app.services.execution_results.ends_of_scale import ends_of_scale
from app.services.execution_results.joined import DRAWS, study_execution
from app.services.execution_results.outcomes import executed_outputs
from app.statistics.execution_agreement import execution_agreement
from app.storage.engine import Database
from app.storage.models import Execution, Grade, Question, Study
from tests.execution_results.rows import make_executed_study, outputs_of
from tests.factories import make_study


def asked_by(session: object, study: Study) -> AskedQuestion | None:
    return what_is_asked(session, study).choose(None, about_outputs=True)  # type: ignore[arg-type]


def test_the_numbers_are_those_of_the_statistics(database: Database) -> None:
    with database.write() as session:
        study = make_executed_study(session)
        found = study_execution(session, study, asked_by(session, study), "mean")
        outputs = executed_outputs(session, study)
        values = {
            item: [grade.value for grade in session.scalars(select(Grade).where(Grade.item_id == item))]
            for item in {each.item_id for each in outputs}
        }
        means = [sum(values[each.item_id]) / len(values[each.item_id]) for each in outputs]  # type: ignore[arg-type]
        expected = execution_agreement(
            [each.problem for each in outputs], [each.passed for each in outputs], means, draws=DRAWS, seed=7
        )
    assert found["agreement"] == asdict(expected)
    assert found["outputs"] == sum(found["verdicts"].values()) == 24
    assert found["consensus"] == {"asked": "mean", "method": "mean", "reason": None}
    (passes,), (fails,) = found["passes_but_low"], found["fails_but_high"]
    assert passes["verdict"] == "passed"
    assert max(passes["grades"]) <= 1
    assert fails["verdict"] == "failed"
    assert min(fails["grades"]) >= 3
    assert found["agreement"]["superiority"]["value"] > 0.8


def test_the_consensus_of_the_analysis_is_the_usual_one(database: Database) -> None:
    with database.write() as session:
        study = make_executed_study(session)
        found = study_execution(session, study, asked_by(session, study), "m_msr")
        with pytest.raises(InvalidInput):
            study_execution(session, study, asked_by(session, study), "best")
    assert found["consensus"] == {"asked": "m_msr", "method": "m_msr", "reason": None}
    assert {each["consensus"] for each in found["fails_but_high"]} <= {3.0, 4.0}


def test_where_the_consensus_finds_none_the_mean_stands_in_and_says_so(database: Database) -> None:
    with database.write() as session:
        study = make_executed_study(session)
        for grade in session.scalars(select(Grade)):
            if grade.annotator_id != session.scalar(select(Grade.annotator_id).order_by(Grade.annotator_id)):
                session.delete(grade)
        session.flush()
        found = study_execution(session, study, asked_by(session, study), "m_msr")
    assert found["consensus"]["method"] == "mean"
    assert found["consensus"]["reason"].startswith("Only one annotator")
    assert found["agreement"]["outputs"] == 24


def test_a_question_with_any_numbers(database: Database) -> None:
    with database.write() as session:
        study = make_executed_study(session)
        question = session.scalars(select(Question).where(Question.study_id == study.id)).one()
        question.kind, question.scale = "number", {"low": 0, "high": 100, "step": 0.5}
        session.execute(update(Grade).values(value=Grade.value * 24.5 + 1.5))
        found = study_execution(session, study, asked_by(session, study), "mean")
    assert found["scale"] == {"levels": (0.0, 25.0, 50.0, 75.0, 100.0), "low": 25.0, "high": 75.0}
    assert [row["level"] for row in found["agreement"]["table"]] == [0.0, 25.0, 50.0, 75.0, 100.0]
    assert sum(row["passing"] + row["failing"] for row in found["agreement"]["table"]) == 24
    assert len(found["passes_but_low"]) == len(found["fails_but_high"]) == 1


def test_states_on_the_way(database: Database) -> None:
    with database.write() as session:
        without = make_study(session, title="Without tests")
        found = study_execution(session, without, asked_by(session, without), "m_msr")
        assert (found["outputs"], found["agreement"]) == (0, None)
        study = make_executed_study(session, grades=False)
        found = study_execution(session, study, asked_by(session, study), "m_msr")
        assert found["grades"] == 0
        assert found["agreement"]["superiority"]["reason"] == "no output has both a verdict and a grade"
        first = outputs_of(session, study)[0]
        session.scalars(select(Execution).where(Execution.output_id == first.id)).one().verdict = "sandbox_error"
        session.flush()
        outputs = executed_outputs(session, study)
        assert (outputs[0].verdict, outputs[0].passed) == ("sandbox_error", None)


def test_ends_of_usual_scales() -> None:
    def ends(*values: float) -> tuple[float, float]:
        found = ends_of_scale(values, (min(values), max(values)))
        return found.low, found.high

    assert ends(0, 1, 2, 3, 4) == (1, 3)
    assert ends(1, 2, 3, 4, 5) == (2, 4)
    assert ends(1, 2, 3, 4, 5, 6, 7) == (3, 5)
    assert ends(0, 1) == (0, 1)
    assert ends(0, 1, 2) == (0, 2)
    assert ends_of_scale((), (0, 100)).levels == (0, 25, 50, 75, 100)


@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)), min_size=2, max_size=12, unique=True))
def test_low_is_below_high_on_any_scale(values: list[float]) -> None:
    found = ends_of_scale(values, (min(values), max(values)))
    assert found.levels[0] <= found.low < found.high <= found.levels[-1]
