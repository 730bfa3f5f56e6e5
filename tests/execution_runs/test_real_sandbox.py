"""HumanEval through the whole: imported, run in the real sandbox, stored."""

import io
from contextlib import closing

import pytest
from sqlalchemy import select

from app.config import Settings
from app.execution import NoSandbox, Program, Verdict, open_runner
from app.services.benchmarks import import_benchmark, read_upload
from app.services.benchmarks.evalplus import judging_source
from app.services.imports.uploads import UploadedFile, keep
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Execution, Run
from tests.shared_data import shared_data


@pytest.fixture
def _sandbox() -> None:
    try:
        open_runner(slots=1).close()
    except NoSandbox as error:
        pytest.skip(error.in_words())


@pytest.mark.sqlite_is_enough
@pytest.mark.usefixtures("_sandbox")
def test_every_canonical_solution_of_humaneval_passes(database: Database, settings: Settings) -> None:
    data = shared_data("humaneval", "HumanEval.jsonl").read_bytes()
    kept = keep(settings, [UploadedFile("HumanEval.jsonl", io.BytesIO(data))])
    read = read_upload(settings, kept, "humaneval")
    with database.write() as session:
        run = import_benchmark(session, settings, kept, read, name="HumanEval", actor="tests").run
        assert run is not None
        run_id = run.id
    assert execute(database, settings, run_id)
    with database.read() as session:
        done = session.get_one(Run, run_id)
        assert (done.state, done.message) == ("done", "164 of 164 passed."), done.trace
        assert set(session.scalars(select(Execution.strength))) == {"judge"}


@pytest.mark.usefixtures("_sandbox")
def test_the_judge_computes_what_evalplus_expects() -> None:
    reference = "import math\ndef f(xs):\n    xs.sort()\n    return [math.sqrt(x) for x in xs]\n"
    tests = judging_source(reference, "f", [[[4, 2]], [[]], [[9.0]]], 0)
    wrong = "def f(xs):\n    return [x ** 0.5 for x in xs]\n"  # not sorted
    right = "def f(xs):\n    return [x ** 0.5 for x in sorted(xs)]\n"
    cheat = "class A(list):\n    def __eq__(self, other):\n        return True\ndef f(xs):\n    return A()\n"
    peek = "import sys\ndef f(xs):\n    return sys._getframe(1).f_globals['_reference']['f'](xs)\n"
    with closing(open_runner(slots=1)) as runner:
        found = [runner.run(Program(source, tests, "f")).verdict for source in (reference, right, wrong, cheat, peek)]
    assert found[:3] == [Verdict.PASSED, Verdict.PASSED, Verdict.FAILED]
    assert Verdict.PASSED not in found[3:]
