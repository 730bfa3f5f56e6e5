"""Tasks and samples as HumanEval's files have them, and the program that a sample of a task is.

A task: ``task_id``, ``prompt``, ``entry_point``, ``test`` (which defines ``check(candidate)``), perhaps
``canonical_solution``. A sample: ``task_id`` and ``completion``, what follows the prompt; or ``solution``, a whole
program, as EvalPlus has it, which counts where both stand. Several rows of one task are its samples, equal ones too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.errors import InvalidInput
from app.execution.helpers import helpers_of
from app.execution.json_lines import Rows
from app.execution.protocol import Limits, Program
from app.words import gettext

NEEDED = ("task_id", "prompt", "entry_point", "test")


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a benchmark; canonical_solution is None where the file has none.

    helpers: what the tests need around them; None: what ``helpers_of`` finds in the prompt. code_after: what follows
    each program of it.
    """

    task_id: str
    prompt: str
    entry_point: str | None
    test: str
    canonical_solution: str | None = None
    helpers: str | None = None
    language: str = "python"
    code_after: str = ""

    def program(self, source: str, limits: Limits | None = None) -> Program:
        """The program ``source``, all that the candidate runs, judged by this task's tests."""
        helpers = helpers_of(self.prompt, self.entry_point) if self.helpers is None else self.helpers
        limits = limits or Limits()
        return Program(source + self.code_after, self.test, self.entry_point, helpers, self.language, limits)


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: the whole program that it is, and its row with all of its fields."""

    task: Task
    source: str
    row: int
    fields: Mapping[str, Any] = field(hash=False)


def read_tasks(lines: Iterable[bytes], name: str) -> dict[str, Task]:
    """The tasks of a file by their ids, in its order. InvalidInput names every row that can't be used."""
    rows = Rows(name)
    tasks: dict[str, Task] = {}
    for number, row in rows.read(lines):
        task = _task(rows, number, row)
        if task is None:
            continue
        if task.task_id in tasks:
            rows.refuse(number, gettext("The task %(id)s stands in the file before.", id=task.task_id), "task_id")
        tasks[task.task_id] = task
    rows.stop_if_refused()
    if not tasks:
        raise InvalidInput(gettext("%(file)s holds no task.", file=name))
    return tasks


def _task(rows: Rows, number: int, row: dict[str, Any]) -> Task | None:
    task_id, prompt, entry_point, test = (rows.text(number, row, key) for key in NEEDED)
    if task_id is None or prompt is None or entry_point is None or test is None:
        return None
    solution = row.get("canonical_solution")
    return Task(task_id, prompt, entry_point, test, solution if isinstance(solution, str) else None)


def read_samples(lines: Iterable[bytes], tasks: Mapping[str, Task], name: str) -> list[Sample]:
    """The samples of a file in its order. InvalidInput names every row that can't be used."""
    rows = Rows(name)
    found = [_sample(rows, number, row, tasks) for number, row in rows.read(lines)]
    rows.stop_if_refused()
    samples = [each for each in found if each is not None]
    if not samples:
        raise InvalidInput(gettext("%(file)s holds no sample.", file=name))
    return samples


def _sample(rows: Rows, number: int, row: dict[str, Any], tasks: Mapping[str, Task]) -> Sample | None:
    task_id = rows.text(number, row, "task_id")
    is_whole = "solution" in row
    text = rows.text(number, row, "solution" if is_whole else "completion")
    if task_id is None or text is None:
        return None
    if task_id not in tasks:
        remedy = gettext("Give the file with this benchmark's tasks.")
        rows.refuse(number, gettext("There is no task %(id)s.", id=repr(task_id)), "task_id", remedy)
        return None
    task = tasks[task_id]
    return Sample(task, text if is_whole else task.prompt + text, number, row)
