"""A set's nominal rows: the problems that it is made from, and where they are needed their halves."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.execution.helpers import helpers_of
from app.perturbations import Form, Problem
from app.perturbations.half_solutions import half_solution
from app.services.imports.store_material import insert_all
from app.services.perturbing.variants import HALF_MARK, Origin, origin_of
from app.storage.models import Benchmark, BenchmarkProblem

ONE_LINE = "A solution of one line has no first half."
NO_SOLUTION = "There is no canonical solution to be halved."


def origins(session: Session, made: Benchmark, form: Form) -> list[Origin]:
    """The set's nominal rows of that form, in their order."""
    wanted = select(BenchmarkProblem).where(
        BenchmarkProblem.benchmark_id == made.id,
        BenchmarkProblem.transformation.is_(None),
        BenchmarkProblem.form == str(form),
    )
    rows = session.scalars(wanted.order_by(BenchmarkProblem.position))
    return [origin_of(row, made.language) for row in rows]


def add_wholes(session: Session, made: Benchmark, problems: Iterable[dict[str, Any]]) -> None:
    """The problems themselves, as columns of their rows."""
    insert_all(session, BenchmarkProblem, [_nominal(made, place, each) for place, each in enumerate(problems)])


def add_halves(session: Session, made: Benchmark, halves: Iterable[Problem]) -> None:
    """The halves of the whole rows, in their order. One that is the whole has its completions, too."""
    wholes = origins(session, made, Form.WHOLE)
    rows = [_half(whole, half) for whole, half in zip(wholes, halves, strict=True)]
    append(session, made, rows)


def append(session: Session, made: Benchmark, rows: Sequence[dict[str, Any]]) -> None:
    """More rows behind those that are there."""
    last = session.scalar(select(func.max(BenchmarkProblem.position)).where(BenchmarkProblem.benchmark_id == made.id))
    first = -1 if last is None else last
    insert_all(
        session,
        BenchmarkProblem,
        [{**row, "benchmark_id": made.id, "position": first + place} for place, row in enumerate(rows, start=1)],
    )


def halved(session: Session, made: Benchmark) -> list[Problem]:
    """The set's problems, each with half of its solution."""
    return [half_solution(each.problem) for each in origins(session, made, Form.WHOLE)]


def copied(session: Session, parent_id: int) -> list[dict[str, Any]]:
    """The problems of another benchmark, as columns of rows."""
    names = ("key", "prompt", "entry_point", "tests", "canonical_solution", "helpers")
    wanted = select(BenchmarkProblem).where(BenchmarkProblem.benchmark_id == parent_id)
    rows = session.scalars(wanted.order_by(BenchmarkProblem.position))
    return [{name: getattr(row, name) for name in names} for row in rows]


def as_whole(problem: Problem) -> dict[str, Any]:
    """A problem that was read from a file, as columns of a row."""
    return {
        "key": problem.key,
        "prompt": problem.prompt,
        "entry_point": problem.entry_point,
        "tests": problem.tests,
        "canonical_solution": problem.canonical_solution,
        "helpers": helpers_of(problem.prompt, problem.entry_point),
    }


def _nominal(made: Benchmark, place: int, problem: dict[str, Any]) -> dict[str, Any]:
    nothing = dict.fromkeys(("partial", "origin_id", "transformation", "category", "perturbation_seed"))
    nothing |= dict.fromkeys(("unchanged", "oddity"))
    of_whole = {"form": str(Form.WHOLE), "code_after": "", "benchmark_id": made.id, "position": place}
    return nothing | of_whole | problem


def _half(whole: Origin, half: Problem) -> dict[str, Any]:
    nothing = dict.fromkeys(("partial", "transformation", "category", "perturbation_seed", "oddity"))
    return nothing | {
        "key": whole.problem.key + HALF_MARK,
        "prompt": half.prompt,
        "entry_point": half.entry_point or None,
        "tests": half.tests,
        "canonical_solution": half.canonical_solution if whole.is_solved else None,
        "helpers": whole.helpers,
        "origin_id": whole.id,
        "form": str(Form.HALF),
        "unchanged": _why_whole(whole) if half.prompt == whole.problem.prompt else None,
        "code_after": "",
    }


def _why_whole(whole: Origin) -> str:
    """Why its half is the whole."""
    return ONE_LINE if whole.is_solved else NO_SOLUTION
