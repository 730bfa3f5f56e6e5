"""How benchmarks stand: problems, which canonical solutions pass, and what models have written for them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, and_, case, func, select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.execution.protocol import COUNTED, Verdict
from app.services.benchmarks.which import is_asked, is_nominal
from app.services.listings import Slice
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Execution, Generation, Run
from app.words import gettext

MOST_LISTED = 200  # solutions that don't pass, on the page


@dataclass(frozen=True, slots=True)
class Standing:
    """One benchmark in numbers. ``judged``: canonical solutions with a verdict that counts.

    Of a perturbed set ``variants`` are the rows that transformations made of its problems and halves, changed or not;
    solutions are those of all rows that are run.
    """

    benchmark: Benchmark
    problems: int
    variants: int
    solutions: int
    judged: int
    passed: int
    generations: int
    check: Run | None  # the newest run of its canonical solutions

    @property
    def failing(self) -> int:
        """Canonical solutions that were run and don't pass."""
        return self.judged - self.passed

    @property
    def unjudged(self) -> int:
        """Canonical solutions about which nothing is known."""
        return self.solutions - self.judged

    @property
    def is_checking(self) -> bool:
        """Whether their run waits or goes on."""
        return self.check is not None and self.check.state in ("queued", "running")


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """A problem in a list. ``verdict``: its canonical solution's; None where there is none yet."""

    id: int
    position: int
    key: str
    entry_point: str | None
    has_solution: bool
    verdict: str | None


def newest_benchmarks(session: Session, after: int | None = None, limit: int = 1_000) -> Slice[Standing]:
    """The newest first."""
    wanted = select(Benchmark).order_by(Benchmark.id.desc()).limit(limit + 1)
    if after is not None:
        wanted = wanted.where(Benchmark.id < after)
    found = session.scalars(wanted).all()
    shown = standings(session, found[:limit])
    return Slice(shown, found[limit - 1].id if len(found) > limit else None)


def standing_of(session: Session, benchmark: Benchmark) -> Standing:
    """How this one stands."""
    return standings(session, [benchmark])[0]


def standings(session: Session, benchmarks: Sequence[Benchmark]) -> list[Standing]:
    """How these stand, in their order."""
    ids = [each.id for each in benchmarks]
    sizes = _sizes(session, ids)
    verdicts = _verdicts(session, ids)
    made = select(Generation.benchmark_id, func.count()).where(Generation.benchmark_id.in_(ids))
    generations = dict(session.execute(made.group_by(Generation.benchmark_id)).all())
    runs = {run.id: run for run in session.scalars(select(Run).where(Run.id.in_([b.run_id for b in benchmarks])))}
    return [
        Standing(
            each,
            *sizes.get(each.id, (0, 0, 0)),
            judged=sum(number for verdict, number in verdicts[each.id].items() if verdict in COUNTED),
            passed=verdicts[each.id].get(Verdict.PASSED, 0),
            generations=generations.get(each.id, 0),
            check=None if each.run_id is None else runs.get(each.run_id),
        )
        for each in benchmarks
    ]


def _sizes(session: Session, ids: Sequence[int]) -> dict[int, tuple[int, int, int]]:
    """Of each benchmark how many problems, variants of them, and canonical solutions it has."""
    solved = and_(is_asked(), BenchmarkProblem.canonical_solution.is_not(None))
    rows = session.execute(
        select(
            BenchmarkProblem.benchmark_id,
            func.sum(case((is_nominal(), 1), else_=0)),
            func.count(BenchmarkProblem.transformation),
            func.sum(case((solved, 1), else_=0)),
        )
        .where(BenchmarkProblem.benchmark_id.in_(ids))
        .group_by(BenchmarkProblem.benchmark_id)
    )
    return {number: (problems, variants, solutions) for number, problems, variants, solutions in rows}


def _verdicts(session: Session, ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Of each benchmark's canonical solutions, how many have which verdict."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    rows = session.execute(
        select(BenchmarkProblem.benchmark_id, Execution.verdict, func.count())
        .join(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id.in_(ids))
        .group_by(BenchmarkProblem.benchmark_id, Execution.verdict)
    )
    for benchmark, verdict, number in rows:
        found[benchmark][verdict] = number
    return found


def troubled_solutions(session: Session, benchmark: Benchmark) -> list[tuple[BenchmarkProblem, Execution]]:
    """The canonical solutions that were run and did not pass, with what became of them.

    Of a perturbed set those of its problems and halves; what was made of them is summed up elsewhere.
    """
    rows = session.execute(
        select(BenchmarkProblem, Execution)
        .join(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id == benchmark.id, BenchmarkProblem.transformation.is_(None))
        .where(Execution.verdict != Verdict.PASSED)
        .order_by(BenchmarkProblem.position)
        .limit(MOST_LISTED)
    )
    return [(problem, execution) for problem, execution in rows]


def problem_lines(session: Session, benchmark: Benchmark, *, text: str = "", show: str = "") -> list[ProblemLine]:
    """Its problems in their order; ``text``: part of a name; ``show``: "failing", "solved" or "unsolved".

    Of a perturbed set what was made of the problems is listed among the failing alone.
    """
    wanted = (
        select(
            BenchmarkProblem.id,
            BenchmarkProblem.position,
            BenchmarkProblem.key,
            BenchmarkProblem.entry_point,
            BenchmarkProblem.canonical_solution.is_not(None),
            Execution.verdict,
        )
        .outerjoin(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id == benchmark.id)
    )
    if text:
        wanted = wanted.where(
            BenchmarkProblem.key.icontains(text, autoescape=True)
            | BenchmarkProblem.entry_point.icontains(text, autoescape=True)
        )
    wanted = wanted.where(Execution.verdict != Verdict.PASSED if show == "failing" else is_nominal())
    if show in ("solved", "unsolved"):
        solved = BenchmarkProblem.id.in_(_solved(benchmark))
        wanted = wanted.where(solved if show == "solved" else ~solved)
    rows = session.execute(wanted.order_by(BenchmarkProblem.position))
    return [ProblemLine(*row) for row in rows]


def _solved(benchmark: Benchmark) -> Select[int]:
    """The problems that some completion passes."""
    return (
        select(Completion.problem_id)
        .join(Execution, Execution.completion_id == Completion.id)
        .join(Generation, Generation.id == Completion.generation_id)
        .where(Generation.benchmark_id == benchmark.id, Execution.verdict == Verdict.PASSED)
    )


def shares_passed(session: Session, problems: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Of each problem's completions: how many pass, of how many that were judged."""
    rows = session.execute(
        select(Completion.problem_id, Execution.verdict, func.count())
        .join(Execution, Execution.completion_id == Completion.id)
        .where(Completion.problem_id.in_(problems), Execution.verdict.in_([str(each) for each in COUNTED]))
        .group_by(Completion.problem_id, Execution.verdict)
    )
    found: dict[int, tuple[int, int]] = {}
    for problem, verdict, number in rows:
        passed, judged = found.get(problem, (0, 0))
        found[problem] = (passed + number * (verdict == Verdict.PASSED), judged + number)
    return found


def problem_at(session: Session, benchmark: Benchmark, number: int) -> BenchmarkProblem:
    """The benchmark's problem with that number, counted from 1."""
    wanted = select(BenchmarkProblem).where(
        BenchmarkProblem.benchmark_id == benchmark.id, BenchmarkProblem.position == number - 1
    )
    problem = session.scalar(wanted)
    if problem is None:
        raise NotFound(gettext("This benchmark has no problem with that number."))
    return problem


def solution_of(session: Session, problem: BenchmarkProblem) -> Execution | None:
    """What became of its canonical solution."""
    return session.scalar(select(Execution).where(Execution.benchmark_problem_id == problem.id))
