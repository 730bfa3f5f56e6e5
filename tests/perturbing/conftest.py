"""A benchmark to perturb, with small rules of the tests' own in place of all others."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.execution.protocol import Runner
from app.perturbations import Category, Form, Mode, Outcome, Perturbed, Problem, Unchanged, registry
from app.perturbations.protocol import Rule
from app.services.benchmarks import BenchmarkFile, BenchmarkRow, store_benchmark
from app.services.execution import runs
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Benchmark, BenchmarkProblem, Run
from tests.plain_runner import PlainRunner


class Shout(Rule):
    """Writes the docstring in capitals, but for problem 1; the seed decides how loud."""

    category = Category.DOCSTRING
    label = "Shout"
    released_name = "ShoutPerturbation"
    is_random = True
    calls: ClassVar[list[tuple[str, int]]] = []

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """Loudly."""
        self.check(problem, mode)
        self.calls.append((problem.key, seed))
        if problem.key == "b/1":
            return Unchanged("It is loud already.")
        words = re.sub(r"Return", "RETURN" + "!" * seed, problem.prompt)
        return Perturbed(replace(problem, prompt=words))


class Silent(Shout):
    """Finds nothing to change anywhere; not among the rules that are known."""

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """Never."""
        return Unchanged("It is silent.")


class Rename(Rule):
    """Gives the function another name, and forgets those who call it."""

    category = Category.FUNCTION_NAME
    label = "Rename"

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """One letter more."""
        self.check(problem, mode)
        name = f"{problem.entry_point}x"
        return Perturbed(
            replace(
                problem, prompt=problem.prompt.replace(f"def {problem.entry_point}", f"def {name}"), entry_point=name
            )
        )


class Remark(Rule):
    """Adds a comment behind half of the solution."""

    category = Category.FORMAT
    label = "Remark"
    form = Form.HALF
    modes = frozenset({Mode.PAPER})

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """Harmlessly."""
        self.check(problem, mode)
        return Perturbed(replace(problem, prompt=f"{problem.prompt}    # on it goes\n"))


class Absent(Rule):
    """Lacks what it needs."""

    category = Category.SYNTAX
    label = "Absent"
    form = Form.HALF

    def missing(self) -> str | None:
        """Always."""
        return "There is no model; install one."

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """Refuses."""
        self.check(problem, mode)
        raise AssertionError("Nobody gets here.")


RULES: Sequence[type[Rule]] = (Shout, Rename, Remark, Absent)


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """These rules and no others."""
    known = {each.name: each for each in (made() for made in RULES)}
    monkeypatch.setattr(registry, "_known", known)
    monkeypatch.setattr(registry, "walk_packages", lambda *_: [])
    registry.available.cache_clear()
    Shout.calls.clear()
    yield
    registry.available.cache_clear()


def make_parent(session: Session, problems: int = 3, name: str = "Bench", *, is_solved: bool = True) -> Benchmark:
    """Problem n asks for n in two lines; problem 2 calls itself by its name, and is solved in one. ``is_solved``:
    whether it brings its canonical solutions."""
    rows = []
    for number in range(problems):
        body = f"    found = {number}\n    return found\n"
        if number == 2:
            body = "    return 2 if n == 0 else f2(n - 1)\n"
        tests = f"def check(candidate):\n    assert candidate(3) == {number}\n"
        prompt = f'def f{number}(n=0):\n    """Return {number}."""\n'
        rows.append(
            BenchmarkRow(
                f"b/{number}", number + 1, prompt, tests, f"f{number}", body if is_solved else None, helpers=""
            )
        )
    return store_benchmark(
        session, BenchmarkFile("own", rows), name=name, file_hash=name.lower(), actor="tests"
    ).benchmark


class Work:
    """Does runs here, without a sandbox."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database, self.settings, self.runner = database, settings, PlainRunner()

    def __call__(self, run_id: int) -> Run:
        """The run as it ended."""
        assert execute(self.database, self.settings, run_id)
        with self.database.read() as session:
            return session.get_one(Run, run_id)

    def all(self) -> list[Run]:
        """All that waits, and what follows from it."""
        done: list[Run] = []
        while True:
            with self.database.read() as session:
                run_id = session.scalar(select(Run.id).where(Run.state == "queued").order_by(Run.id).limit(1))
            if run_id is None:
                return done
            done.append(self(run_id))

    def rows(self, slug: str) -> dict[str, BenchmarkProblem]:
        """The set's rows by key, in their order."""
        with self.database.read() as session:
            wanted = select(BenchmarkProblem).join(Benchmark, Benchmark.id == BenchmarkProblem.benchmark_id)
            found = session.scalars(wanted.where(Benchmark.slug == slug).order_by(BenchmarkProblem.position))
            return {each.key: each for each in found}


@pytest.fixture
def work(database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Does what waits."""
    work = Work(database, settings)

    def opened(_settings: Settings) -> Runner:
        return work.runner

    monkeypatch.setattr(runs, "open_for", opened)
    return work
