"""Whether a problem's own solution still passes its tests, in the sandbox."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from app.execution import NoSandbox, Verdict, open_runner
from app.execution.human_eval import Task
from app.execution.protocol import Program
from app.execution.runner import Sandbox
from app.perturbations import Problem
from tests.shared_data import skip_or_fail


@contextmanager
def sandbox() -> Iterator[Sandbox]:
    """A runner, or a reason to leave the test out."""
    try:
        runner = open_runner(slots=1)
    except NoSandbox as error:
        skip_or_fail(f"No sandbox stands here: {error}")
    with runner:
        yield runner


def program(problem: Problem) -> Program:
    """The prompt and the solution, judged by the problem's tests."""
    source = problem.prompt + problem.canonical_solution
    return Task(problem.key, problem.prompt, problem.entry_point, problem.tests).program(source)


def failing(problems: Iterable[Problem]) -> list[str]:
    """The problems that don't pass, each with its verdict."""
    listed = list(problems)
    with sandbox() as runner:
        outcomes = runner.run_all(program(problem) for problem in listed)
        verdicts = [outcome.verdict for outcome in outcomes]
    return [
        f"{problem.key}: {verdict}"
        for problem, verdict in zip(listed, verdicts, strict=True)
        if verdict is not Verdict.PASSED
    ]
