"""A benchmark with its completions as a study: what people see, what is run, and how it is scored."""

import pytest
from sqlalchemy import select

from app.config import Settings
from app.errors import Conflict, InvalidInput
from app.services.benchmarks.storing import problems_of
from app.services.benchmarks.to_study import make_study_of
from app.services.execution import runs
from app.services.execution.requests import request_generation_execution
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import (
    Benchmark,
    Completion,
    Execution,
    Generation,
    Item,
    MetricScore,
    Output,
    Problem,
    Reference,
    Run,
    Study,
)
from tests.execution_runs.conftest import make_benchmark
from tests.plain_runner import PlainRunner

# Which of the samples are right, by problem; None: the model could not be asked.
SAMPLES: list[list[bool | None]] = [[True, False, True, True], [False, True, False, False], [None, True, True, None]]


def _generated(database: Database, label: str = "model") -> tuple[Benchmark, Generation]:
    with database.write() as session:
        benchmark = make_benchmark(session, 3)
        generation = Generation(
            benchmark_id=benchmark.id, label=label, spec={}, sampling={}, samples=4, cut_rule="none", seed=1
        )
        session.add(generation)
        session.flush()
        for number, problem in enumerate(problems_of(session, benchmark)):
            for sample, right in enumerate(SAMPLES[number]):
                text = "" if right is None else f"    return {number if right else -1}  # {sample}\n"
                finish = "error" if right is None else "stop"
                place = {"generation_id": generation.id, "problem_id": problem.id, "sample": sample, "seed": 0}
                session.add(Completion(**place, raw=text, text=text, finish=finish))
    return benchmark, generation


def _execute(database: Database, settings: Settings, run_id: int) -> None:
    assert execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", f"{run.message} {run.trace}"


def test_people_see_prompts_and_completions_and_the_share_of_samples_is_a_metric(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = PlainRunner()
    monkeypatch.setattr(runs, "open_for", lambda _settings: runner)
    benchmark, generation = _generated(database)
    with database.write() as session:
        run_id = request_generation_execution(session, generation).id
    _execute(database, settings, run_id)
    assert len(runner.programs) == 10  # what could not be asked is not run
    with database.write() as session:
        study, run = make_study_of(session, benchmark, [generation], title="Graded", actor="tests", seed=1)
        study_id, run_id = study.id, run.id
    _execute(database, settings, run_id)
    assert len(runner.programs) == 10  # the outputs are samples that were run
    with database.read() as session:
        problems = session.scalars(select(Problem).order_by(Problem.position)).all()
        assert [each.key for each in problems] == ["b/0", "b/1"]  # the third one's first sample is missing
        assert problems[0].intent == problems[0].code_before == 'def f0():\n    """Return 0."""\n'
        assert problems[0].entry_point == "f0"
        assert session.scalars(select(Reference.text)).all()[0] == "    return 0\n"
        outputs = session.scalars(select(Output).order_by(Output.problem_id)).all()
        assert [each.text for each in outputs] == ["    return 0  # 0\n", "    return -1  # 0\n"]
        assert {session.get_one(Item, each.item_id).text for each in outputs} == {each.text for each in outputs}
        assert [session.get_one(Completion, each.completion_id).sample for each in outputs] == [0, 0]
        own = session.scalars(select(Execution).where(Execution.output_id.is_not(None)).order_by(Execution.output_id))
        assert [each.verdict for each in own] == ["passed", "failed"]
        scores = session.scalars(select(MetricScore.score).order_by(MetricScore.output_id)).all()
        assert scores == [0.75, 0.25]
        assert session.get_one(Study, study_id).language == "python"


def test_an_output_whose_samples_were_not_run_is_run_itself(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = PlainRunner()
    monkeypatch.setattr(runs, "open_for", lambda _settings: runner)
    benchmark, generation = _generated(database)
    with database.write() as session:
        _, run = make_study_of(session, benchmark, [generation], title="Graded", actor="tests", sample=1)
        run_id = run.id
    _execute(database, settings, run_id)
    assert len(runner.programs) == 3
    with database.read() as session:
        assert session.scalars(select(MetricScore.score).order_by(MetricScore.output_id)).all() == [0, 1, 1]


def test_what_can_be_no_study_is_refused(database: Database) -> None:
    benchmark, generation = _generated(database)
    with database.write() as session:
        for generations, error in (([], InvalidInput), ([generation, generation], InvalidInput)):
            with pytest.raises(error):
                make_study_of(session, benchmark, generations, title="Graded", actor="tests")
        with pytest.raises(Conflict, match="no sample 9"):
            make_study_of(session, benchmark, [generation], title="Graded", actor="tests", sample=8)
        assert session.scalar(select(Study.id)) is None
