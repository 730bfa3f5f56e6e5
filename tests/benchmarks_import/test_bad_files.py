"""What a file can have wrong is told with its row and remedy, and nothing is stored."""

import json

import pytest
from sqlalchemy import func, select

from app.errors import AppError, Conflict
from app.storage.engine import Database
from app.storage.models import AuditEvent, Benchmark, BenchmarkProblem, Run
from tests.benchmarks_import.conftest import BenchmarkImporter

GOOD = {"task_id": "a", "prompt": "def f():\n", "entry_point": "f", "test": "assert f()", "canonical_solution": "x"}
MBPP = {"task_id": 1, "text": "Do.", "code": "def f(): return 1", "test_list": ["assert f() == 1"]}
PLUS = {
    "task_id": "H/1",
    "prompt": "def f():\n",
    "entry_point": "f",
    "canonical_solution": " return 1",
    "base_input": [],
}


def _lines(*rows: object) -> str:
    return "\n".join(json.dumps(row) for row in rows)


BAD = {
    "empty": ("", "humaneval", "The file is empty."),
    "not JSON": ('{"task_id": ', "humaneval", "row 1: Not JSON"),
    "no tests column": (_lines({"task_id": "a", "prompt": "x", "entry_point": "f"}), "humaneval", "'test'"),
    "no entry point": (_lines(GOOD | {"entry_point": None}), "humaneval", "row 1, column 'entry_point'"),
    "twice": (_lines(GOOD, GOOD), "humaneval", "row 2, column 'task_id': There is a problem 'a' already."),
    "NUL": (_lines(GOOD | {"prompt": "a\0"}), "humaneval", "row 1, column 'prompt'"),
    "another layout": (_lines(GOOD), "mbpp", "Is it another layout?"),
    "unknown layout": (_lines(GOOD), "apps", "There is no layout 'apps'."),
    "reference no Python": (_lines(MBPP | {"code": "def f(:"}), "mbpp", "row 1: The reference solution or a test"),
    "nothing is called": (_lines(MBPP | {"test_list": ["assert g() == 1"]}), "mbpp", "No test calls a function"),
    "no inputs": (_lines(PLUS), "evalplus", "There are no inputs."),
    "inputs of a wrong kind": (_lines(PLUS | {"base_input": [1]}), "evalplus", "Expected a list of lists"),
    "MBPP+": (_lines(PLUS | {"task_id": "Mbpp/2", "base_input": [[1]]}), "evalplus", "MBPP+ keeps tuples"),
    "no tests": (_lines({"prompt": "a", "tests": " "}), "own", "row 1, column 'tests': There are no tests."),
    "tests no Python": (
        _lines(GOOD | {"test": "def check(:"}),
        "humaneval",
        "column 'test': The tests are no Python",
    ),
    "no function to check": (_lines({"prompt": "a", "tests": "def check(f): f()"}), "own", "Name it in entry_point."),
    "half of nothing": (_lines({"prompt": "a", "tests": "b", "partial": "c"}), "own", "column 'partial'"),
}


@pytest.mark.parametrize("name", BAD)
def test_is_told_and_nothing_is_stored(importing: BenchmarkImporter, database: Database, name: str) -> None:
    data, layout, told = BAD[name]
    with pytest.raises(AppError) as caught:
        importing(data, layout)
    assert told in caught.value.in_words()
    with database.read() as session:
        for model in (Benchmark, BenchmarkProblem, Run):
            assert session.scalar(select(func.count()).select_from(model)) == 0


def test_the_same_file_again_changes_nothing(importing: BenchmarkImporter, database: Database) -> None:
    first, again = importing(_lines(GOOD), "humaneval"), importing(_lines(GOOD), "humaneval", "Other name")
    assert first.is_new
    assert first.run is not None
    assert not again.is_new
    assert again.run is None
    assert again.benchmark.id == first.benchmark.id
    with database.read() as session:
        for model, count in ((Benchmark, 1), (BenchmarkProblem, 1), (Run, 1), (AuditEvent, 1)):
            assert session.scalar(select(func.count()).select_from(model)) == count


def test_another_file_of_the_same_name_is_refused(importing: BenchmarkImporter) -> None:
    importing(_lines(GOOD), "humaneval")
    with pytest.raises(Conflict, match="made from another file"):
        importing(_lines(GOOD | {"task_id": "b"}), "humaneval")
