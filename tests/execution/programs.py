"""Short ways to say what is run."""

import json

from app.execution.protocol import Limits, Program
from tests.shared_data import shared_data

QUICK = Limits(cpu=5, wall=20, memory=512 << 20)


def program(
    source: str, tests: str, entry_point: str | None = "f", limits: Limits = QUICK, helpers: str = ""
) -> Program:
    """A program and its tests."""
    return Program(source, tests, entry_point, helpers, limits=limits)


def human_eval() -> list[Program]:
    """The 164 problems with their canonical solutions."""
    lines = shared_data("humaneval", "HumanEval.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Program(row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"], row["prompt"])
        for row in rows
    ]
