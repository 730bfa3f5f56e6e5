"""Runs of programs: each once, verdicts kept, gone on with after a cut."""

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.errors import Conflict
from app.execution.protocol import Outcome, Program, Verdict
from app.services.execution import runs
from app.services.execution.requests import request_benchmark_execution, request_study_execution
from app.services.runs import execute, retry
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem, Execution, MetricScore, Output, Problem, Run, Scoring, Study
from tests.execution_runs.conftest import Execute, make_benchmark
from tests.factories import make_study
from tests.plain_runner import PlainRunner


def test_an_import_lists_solutions_that_do_not_pass(database: Database, execute_run: Execute) -> None:
    with database.write() as session:
        run_id = make_benchmark(session).run_id
    assert run_id is not None
    run = execute_run(run_id)
    assert run.state == "done", run.message
    assert run.result is not None
    assert run.result["verdicts"] == {"passed": 3, "failed": 1}
    assert run.result["not_passing"] == [{"key": "b/2", "verdict": "failed", "reason": "AssertionError"}]
    assert run.message.splitlines() == ["3 of 4 passed.", "1 failed", "b/2: failed: AssertionError"]
    with database.read() as session:
        found = session.scalars(select(Execution).order_by(Execution.benchmark_problem_id)).all()
        assert [each.verdict for each in found] == ["passed", "passed", "failed", "passed"]
        assert found[0].limits["memory"] == 1 << 30
        assert found[2].stderr.endswith("AssertionError\n")


def test_only_what_changed_is_run_again(database: Database, execute_run: Execute, runner: PlainRunner) -> None:
    with database.write() as session:
        benchmark = make_benchmark(session)
        assert benchmark.run_id is not None
        first = benchmark.run_id
    execute_run(first)
    with database.write() as session:
        wrong = session.scalars(select(BenchmarkProblem).where(BenchmarkProblem.key == "b/2")).one()
        wrong.canonical_solution = "    return 2\n"
        second = request_benchmark_execution(session, benchmark).id
    runner.programs.clear()
    assert execute_run(second).message == "4 of 4 passed."
    assert [each.entry_point for each in runner.programs] == ["f2"]
    assert runner.closed


class CutRunner(PlainRunner):
    """Falls over after some programs, as a killed worker does."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def run(self, program: Program) -> Outcome:
        if len(self.programs) == self.after:
            raise OSError("gone")
        return super().run(program)


def test_a_cut_run_goes_on_and_runs_nothing_twice(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "LARGEST_CHUNK", 1)
    with database.write() as session:
        run_id = make_benchmark(session, problems=5).run_id
    assert run_id is not None
    cut, whole = CutRunner(3), PlainRunner()
    monkeypatch.setattr(runs, "open_for", lambda _settings: cut)
    assert execute(database, settings, run_id)
    assert cut.closed
    with database.write() as session:
        assert session.scalar(select(func.count()).select_from(Execution)) == 3
        run = session.get_one(Run, run_id)
        assert run.state == "failed"
        retry(session, run)
    monkeypatch.setattr(runs, "open_for", lambda _settings: whole)
    with database.write() as session:
        session.get_one(Run, run_id).not_before = None
    assert execute(database, settings, run_id)
    assert [each.entry_point for each in cut.programs + whole.programs] == ["f0", "f1", "f2", "f3", "f4"]
    with database.read() as session:
        assert session.get_one(Run, run_id).state == "done"
        assert session.scalar(select(func.count()).select_from(Execution)) == 5


def test_without_a_wall_the_run_says_so_and_nothing_is_judged(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_settings: Settings) -> PlainRunner:
        raise Conflict("No wall stands on this machine.")

    monkeypatch.setattr(runs, "open_for", refuse)
    with database.write() as session:
        run_id = make_benchmark(session).run_id
    assert run_id is not None
    assert execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert (run.state, run.message) == ("failed", "No wall stands on this machine.")
        assert session.scalar(select(func.count()).select_from(Execution)) == 0
        assert {each["verdict"] for each in runs.not_passing(session, run.payload["benchmark"])} == {"not_run"}


def _tested_study(database: Database) -> int:
    """Three problems of two systems; the second system's last output is no Python."""
    with database.write() as session:
        study = make_study(session, problems=3)
        for problem in session.scalars(select(Problem).where(Problem.study_id == study.id)):
            problem.code_before = f"def f():\n    return {problem.position} if True else (\n"
            problem.tests, problem.entry_point = f"assert f() == {problem.position}", "f"
        outputs = session.scalars(select(Output).order_by(Output.id)).all()
        for number, output in enumerate(outputs):
            output.text = "    0)\n" if number < 5 else "    0\n"
        return study.id


def test_a_study_is_run_and_scored(database: Database, execute_run: Execute) -> None:
    study_id = _tested_study(database)
    with database.write() as session:
        run_id = request_study_execution(session, session.get_one(Study, study_id)).id
    run = execute_run(run_id)
    assert run.state == "done", f"{run.message} {run.trace}"
    with database.read() as session:
        scoring = session.scalars(select(Scoring)).one()
        assert (scoring.name, scoring.label, scoring.imported) == ("execution", "Execution", True)
        assert "tier:none" in scoring.signature
        assert "strength:in_process" in scoring.signature
        assert "memory=1.07374e+09" in scoring.signature
        scores = session.scalars(select(MetricScore.score).order_by(MetricScore.output_id)).all()
        assert scores == [1, 1, 1, 1, 1, 0]


class FailingSandbox(PlainRunner):
    """A sandbox that fails at one program, and can't run another."""

    def run(self, program: Program) -> Outcome:
        outcome = super().run(program)
        if len(self.programs) > 2:
            return outcome
        verdict = Verdict.SANDBOX_ERROR if len(self.programs) == 1 else Verdict.NOT_RUN
        return Outcome(verdict, "ours", "", "", None, None, 0, 0, 0, program.limits, outcome.runtime)


def test_our_own_failures_are_no_score_and_are_tried_again(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = _tested_study(database)
    counts = []
    for runner in (FailingSandbox(), PlainRunner()):
        monkeypatch.setattr(runs, "open_for", lambda _settings, runner=runner: runner)
        with database.write() as session:
            run_id = request_study_execution(session, session.get_one(Study, study_id)).id
        assert execute(database, settings, run_id)
        with database.read() as session:
            counts.append(session.scalar(select(func.count()).select_from(MetricScore)))
        if isinstance(runner, FailingSandbox):
            assert len(runner.programs) == 6
        else:
            assert len(runner.programs) == 2
    assert counts == [4, 6]


def test_a_study_without_tests_can_not_be_run(database: Database) -> None:
    with database.write() as session:
        study = make_study(session)
        with pytest.raises(Conflict, match="both tests and outputs"):
            request_study_execution(session, study)
