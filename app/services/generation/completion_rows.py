"""A completion with its verdict as a row of a file, or as programs get it."""

from typing import Any

from app.storage.models import BenchmarkProblem, Completion, Execution

COLUMNS = (
    *("id", "task_id", "sample", "seed", "completion", "raw", "finish", "trouble"),
    *("prompt_tokens", "tokens", "seconds", "verdict", "reason", "stderr", "tier", "strength"),
    *("cpu_seconds", "wall_seconds", "memory_bytes", "runtime"),
)
_OF_EXECUTION = (
    *("verdict", "reason", "stderr", "tier", "strength"),
    *("cpu_seconds", "wall_seconds", "memory_bytes", "runtime"),
)
_OF_COMPLETION = ("id", "sample", "seed", "raw", "finish", "trouble", "prompt_tokens", "tokens", "seconds")


def completion_row(completion: Completion, problem: BenchmarkProblem, execution: Execution | None) -> dict[str, Any]:
    """By the names of ``COLUMNS``; what has not been run has no verdict. ``completion`` is what was run: with task_id
    it is what other harnesses, and a replay, read."""
    return {
        "task_id": problem.key,
        "completion": completion.text,
        **{name: getattr(completion, name) for name in _OF_COMPLETION},
        **{name: None if execution is None else getattr(execution, name) for name in _OF_EXECUTION},
    }
