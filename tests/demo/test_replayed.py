"""The replayed system: half of its answers are right, and the other half can't be."""

import json

import pytest

from app.services.benchmarks import BenchmarkRow
from app.services.demo.replayed import NOTHING, broken, replayed_lines

PROMPT = 'def largest(xs):\n    """The largest – or None."""\n'


def row(number: int, solution: str | None = "    return max(xs)\n") -> BenchmarkRow:
    return BenchmarkRow(f"T/{number}", number + 1, PROMPT, "def check(f): pass", "largest", solution)


def test_every_other_solution_is_broken() -> None:
    found = [json.loads(line) for line in replayed_lines([row(number) for number in range(4)]).splitlines()]
    assert [each["task_id"] for each in found] == ["T/0", "T/1", "T/2", "T/3"]
    assert [each["completion"] for each in found] == ["    return max(xs)\n", NOTHING] * 2


@pytest.mark.parametrize(
    ("solution", "wrong"),
    [
        (
            "    if not xs: return 'é'\n    return max(\n        xs)\n",
            "    if not xs: return None\n    return None\n",
        ),
        ("    xs.sort()\n", NOTHING),  # what returns nothing can't forget it
        ("    return (\n", NOTHING),  # nor can what is no Python
    ],
)
def test_what_is_broken_forgets_what_it_returns(solution: str, wrong: str) -> None:
    assert broken(PROMPT, solution) == wrong


def test_a_problem_without_a_solution_is_answered_by_nothing() -> None:
    assert json.loads(replayed_lines([row(0, None)]))["completion"] == NOTHING
