"""Stored rows as programs, and the hash of all that a program's verdict depends on but the machine."""

import json
from dataclasses import asdict, dataclass

from app.execution.helpers import helpers_of
from app.execution.protocol import Limits, Program
from app.ids import content_hash
from app.storage.models import BenchmarkProblem, Problem

PARTIAL = "partial"  # the prompt mode in which a model sees half of the solution, too


@dataclass(frozen=True, slots=True)
class Target:
    """A program and the row that it belongs to: ``owner`` is the column of an execution that names it."""

    owner: str
    owner_id: int
    program: Program
    input_hash: str


def target(owner: str, owner_id: int, program: Program) -> Target:
    """A program with its hash."""
    parts = (program.source, program.tests, program.entry_point or "", program.helpers, program.language)
    return Target(owner, owner_id, program, content_hash(*parts, limits_text(program.limits)))


def limits_text(limits: Limits) -> str:
    """The limits as one text, the same for the same limits."""
    return json.dumps(asdict(limits), sort_keys=True)


def shown_prompt(problem: BenchmarkProblem, prompt_mode: str) -> str:
    """What a model is given of a problem, and what its completion continues."""
    return problem.prompt + (problem.partial or "" if prompt_mode == PARTIAL else "")


def of_solution(problem: BenchmarkProblem, language: str) -> Target:
    """A benchmark's canonical solution."""
    source = problem.prompt + (problem.canonical_solution or "")
    return target("benchmark_problem_id", problem.id, _judged(problem, source, language))


def of_completion(
    problem: BenchmarkProblem, completion_id: int, text: str, prompt_mode: str, language: str
) -> Target:
    """A model's completion behind its prompt."""
    source = shown_prompt(problem, prompt_mode) + text
    return target("completion_id", completion_id, _judged(problem, source, language))


def of_output(problem: Problem, output_id: int, text: str, language: str, helpers: str | None = None) -> Target:
    """A study's output, behind the code that it continues. ``helpers``: its benchmark's, where it has one."""
    before = problem.code_before or ""
    known = helpers_of(before, problem.entry_point) if helpers is None else helpers
    program = Program(before + text, problem.tests or "", problem.entry_point, known, language)
    return target("output_id", output_id, program)


def _judged(problem: BenchmarkProblem, source: str, language: str) -> Program:
    return Program(source + problem.code_after, problem.tests, problem.entry_point, problem.helpers, language)
