"""Benchmarks to run, without a sandbox: the programs are the tests' own."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy.orm import Session

from app.config import Settings
from app.execution.protocol import Runner
from app.services.benchmarks import BenchmarkFile, BenchmarkRow, store_benchmark
from app.services.execution import runs
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Benchmark, Run
from tests.plain_runner import PlainRunner

Execute = Callable[[int], Run]


def make_benchmark(session: Session, problems: int = 4, name: str = "Bench") -> Benchmark:
    """Problem n asks for n; the solution of every third one is wrong."""
    rows = []
    for number in range(problems):
        body = f"    return {number if number % 3 != 2 else -1}\n"
        tests = f"def check(candidate):\n    assert candidate() == {number}\n"
        prompt = f'def f{number}():\n    """Return {number}."""\n'
        rows.append(BenchmarkRow(f"b/{number}", number + 1, prompt, tests, f"f{number}", body, helpers=prompt))
    read = BenchmarkFile("own", rows)
    return store_benchmark(session, read, name=name, file_hash=json.dumps(name)[:64], actor="tests").benchmark


@pytest.fixture
def runner() -> PlainRunner:
    """What runs the programs."""
    return PlainRunner()


@pytest.fixture
def execute_run(database: Database, settings: Settings, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> Execute:
    """Do a run here; the row as it ended."""
    monkeypatch.setattr(runs, "open_for", lambda _settings: runner)

    def do(run_id: int) -> Run:
        assert execute(database, settings, run_id)
        with database.read() as session:
            return session.get_one(Run, run_id)

    return do
