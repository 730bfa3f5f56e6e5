"""Problems to be changed: HumanEval, its released changes, and what a test writes by hand."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from app.perturbations import Outcome, Perturbed, Problem, Transformation, available
from tests.shared_data import shared_data, skip_or_fail

FOLDERS = {"docstring": "nlaugmenter", "function_name": "func_name"}


def _problems(path: Path) -> tuple[Problem, ...]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return tuple(
        Problem(row["task_id"], row["prompt"], row["entry_point"], row["canonical_solution"], row["test"])
        for row in rows
    )


@cache
def human_eval() -> tuple[Problem, ...]:
    """The 164 problems."""
    return _problems(shared_data("humaneval", "HumanEval.jsonl"))


def released(transformation: Transformation, seed: int) -> tuple[Problem, ...]:
    """What the paper's authors released of one transformation."""
    file = f"humaneval_{transformation.released_name}_s{seed}.jsonl"
    return _problems(shared_data("humaneval", "perturbed", "full", FOLDERS[transformation.category], file))


def texts() -> Iterator[Transformation]:
    """Changes of docstrings and of function names, but those that need a translator."""
    return (each for each in available() if each.category in FOLDERS and each.label != "BackTranslation")


def ready(transformation: Transformation) -> Transformation:
    """The same one; leaves the test out where this machine lacks what it takes."""
    if (lack := transformation.missing()) is not None:
        skip_or_fail(f"{transformation.name}: {lack}")
    return transformation


def problem_after(outcome: Outcome, before: Problem) -> Problem:
    """The changed problem, or the one before where nothing changed."""
    return outcome.problem if isinstance(outcome, Perturbed) else before


def function(docstring: str, name: str = "solve", body: str = "    return x\n") -> Problem:
    """A function of one argument with a docstring, indented by four spaces."""
    prompt = f'def {name}(x):\n    """{docstring}"""\n'
    return Problem("made/0", prompt, name, body, f"def check(candidate):\n    assert candidate(1) == {name}(1)\n")
