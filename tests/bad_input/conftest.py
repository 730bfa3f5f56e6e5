"""A benchmark of three problems, models to ask, and runs done here."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.config import Settings
from app.execution import NoSandbox, open_runner
from app.language_models import ModelError, loaded
from app.language_models.libraries import transformers_library
from app.services.benchmarks import BenchmarkFile, BenchmarkRow, store_benchmark
from app.services.execution.requests import request_generation_execution
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import create_generation, start_generation
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Execution, Generation, Run
from tests.language_models import tiny
from tests.shared_data import skip_or_fail

KEYS = ("a", "b", "c")
Asked = dict[str, Completion]
Judged = dict[str, Execution]


def store(database: Database, prompts: dict[str, str]) -> None:
    """A benchmark whose function ``f`` has to return 1, by its prompts."""
    rows = [
        BenchmarkRow(key, number, prompt, "def check(candidate):\n    assert candidate() == 1\n", "f")
        for number, (key, prompt) in enumerate(prompts.items(), start=1)
    ]
    with database.write() as session:
        store_benchmark(session, BenchmarkFile("own", rows), name="Bench", file_hash="0" * 64, actor="tests")


@pytest.fixture
def benchmark(database: Database) -> None:
    """Three problems."""
    store(database, dict.fromkeys(KEYS, "def f():\n"))


@pytest.fixture
def generate(database: Database, settings: Settings) -> Iterator[Callable[..., tuple[Run, Asked]]]:
    """Ask a model for the whole benchmark; the run as it ended, and what was stored of each problem."""

    def do(spec: dict[str, Any], **more: Any) -> tuple[Run, Asked]:
        parameters = GenerationParameters(spec=spec, label="m", **more)
        with database.write() as session:
            benchmark = session.scalars(select(Benchmark)).one()
            run_id = start_generation(session, create_generation(session, benchmark, parameters, actor="tests")).id
        execute(database, settings, run_id)
        with database.read() as session:
            rows = session.execute(select(BenchmarkProblem.key, Completion).join(Completion))
            return session.get_one(Run, run_id), dict(rows.all())

    yield do
    loaded.close()


@pytest.fixture
def judge(database: Database, settings: Settings) -> Callable[[], tuple[Run, Judged]]:
    """Run what was written in the real sandbox; the run as it ended, and each problem's verdict."""
    try:
        open_runner(slots=1).close()
    except NoSandbox as error:
        skip_or_fail(error.in_words())

    def do() -> tuple[Run, Judged]:
        with database.write() as session:
            run_id = request_generation_execution(session, session.scalars(select(Generation)).one()).id
        execute(database, settings, run_id)
        with database.read() as session:
            wanted = select(BenchmarkProblem.key, Execution).join(
                Completion, Completion.id == Execution.completion_id
            )
            rows = session.execute(wanted.join(BenchmarkProblem, BenchmarkProblem.id == Completion.problem_id))
            return session.get_one(Run, run_id), dict(rows.all())

    return do


@pytest.fixture
def replay(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The spec of a file with these completions."""

    def make(**completions: str) -> dict[str, Any]:
        file = tmp_path / "completions.jsonl"
        lines = [json.dumps({"task_id": key, "completion": text}) + "\n" for key, text in completions.items()]
        file.write_text("".join(lines), encoding="utf-8")
        return {"backend": "replay", "name": str(file)}

    return make


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> tiny.TinyModels:
    """Random models of a few thousand numbers; a reason to leave the test out where torch is missing."""
    try:
        transformers_library()
    except ModelError as error:
        skip_or_fail(str(error))
    return tiny.make(tmp_path_factory.mktemp("tiny"))
