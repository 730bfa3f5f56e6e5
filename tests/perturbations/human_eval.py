"""HumanEval as problems, and the perturbed sets that ReCode's authors released."""

import json
from functools import cache
from typing import Any

from app.perturbations import Problem
from app.perturbations.half_solutions import half_solution
from tests.shared_data import shared_data


@cache
def rows(*parts: str) -> tuple[dict[str, Any], ...]:
    """The rows of a file of the real data's ``humaneval`` folder."""
    lines = shared_data("humaneval", *parts).read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


@cache
def whole() -> tuple[Problem, ...]:
    """The 164 problems."""
    return tuple(
        Problem(row["task_id"], row["prompt"], row["entry_point"], row["canonical_solution"], row["test"])
        for row in rows("HumanEval.jsonl")
    )


@cache
def halves() -> tuple[Problem, ...]:
    """The same with half a solution each."""
    return tuple(half_solution(problem) for problem in whole())


def half(number: int) -> Problem:
    """HumanEval's problem of that number, with half a solution."""
    return halves()[number]


def released(folder: str, name: str, seed: int = 0) -> tuple[dict[str, Any], ...]:
    """One released file."""
    return rows("perturbed", "full", folder, f"humaneval_{name}_s{seed}.jsonl")
