"""What became of every sample of a benchmark's generations, counted by generation and problem."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Row, Select, case, func, select
from sqlalchemy.orm import Session

from app.execution.protocol import COUNTED, Verdict
from app.services.benchmarks import problems_of
from app.services.kept import kept_while
from app.statistics.pass_at_k import ProblemCounts
from app.storage.models import Benchmark, Completion, Execution, Generation, Run

# Why a sample says nothing about its model, beside the verdicts that don't.
NOT_WRITTEN, NOT_EXECUTED, NO_ANSWER = "not_written", "not_executed", "no_answer"
INCOMPLETE = (NOT_WRITTEN, NO_ANSWER, NOT_EXECUTED, str(Verdict.SANDBOX_ERROR), str(Verdict.NOT_RUN))
COUNTED_NAMES = frozenset(map(str, COUNTED))
KINDS = ("execution", "generation")  # of runs that write or execute samples
Wall = tuple[str | None, str | None]  # tier, strength


@dataclass(frozen=True, eq=False)
class Tally:
    """One generation: of each problem so many samples that count and so many that pass; what became of all.

    outcomes: verdicts, and the reasons of ``INCOMPLETE`` for samples that have none that counts. walls: what stood
    around the programs that count.
    """

    generation: Generation
    counts: ProblemCounts
    outcomes: Mapping[str, int]
    walls: frozenset[Wall]

    @property
    def expected(self) -> int:
        """How many samples were asked for."""
        return len(self.counts.problems) * self.generation.samples

    @property
    def counted(self) -> int:
        """How many of them have a verdict for or against the model."""
        return int(self.counts.samples.sum())

    @property
    def incomplete(self) -> dict[str, int]:
        """How many have none, by reason."""
        return {name: self.outcomes[name] for name in INCOMPLETE if self.outcomes.get(name)}


def benchmark_stamp(session: Session, benchmark: Benchmark) -> tuple[Any, ...]:
    """Changes whenever a run has written or executed samples of the benchmark: nothing else does, however many."""
    runs = _runs_by_generation(session)
    wanted = select(Generation.id).where(Generation.benchmark_id == benchmark.id).order_by(Generation.id)
    return tuple((number, *runs[number]) for number in session.scalars(wanted))


def tallies_of(session: Session, benchmark: Benchmark) -> list[Tally]:
    """All generations of the benchmark, in the order in which they were asked for; what was made of a perturbed set's
    problems is left out."""
    return tallies_over(session, benchmark, {each.id: each.key for each in problems_of(session, benchmark)})


def tallies_over(session: Session, benchmark: Benchmark, problems: Mapping[int, str]) -> list[Tally]:
    """The same over these rows of the benchmark, by their names.

    Counting hundreds of thousands of samples takes seconds, so that of each generation it is done again only after a
    run of its own.
    """
    wanted = select(Generation).where(Generation.benchmark_id == benchmark.id).order_by(Generation.id)
    runs = _runs_by_generation(session)
    return [_counted(session, each, problems, tuple(runs[each.id])) for each in session.scalars(wanted)]


def _runs_by_generation(session: Session) -> defaultdict[int, list[Any]]:
    """How far each generation's runs are."""
    runs: defaultdict[int, list[Any]] = defaultdict(list)
    known = select(Run.id, Run.done, Run.state, Run.payload).where(Run.kind.in_(KINDS)).order_by(Run.id)
    for number, done, state, payload in session.execute(known):
        runs[payload.get("generation", 0)].append((number, done, state))
    return runs


def _counted(session: Session, generation: Generation, problems: Mapping[int, str], stamp: Hashable) -> Tally:
    key = ("samples", generation.id)
    rows = kept_while(session, key, stamp, lambda: session.execute(_by_problem(generation)).all())
    return _tally(generation, problems, [row for row in rows if row.problem_id in problems])


def _by_problem(generation: Generation) -> Select[Any]:
    columns = (
        Completion.problem_id,
        case((Completion.finish == "error", 1), else_=0).label("is_unanswered"),
        Execution.verdict,
        Execution.tier,
        Execution.strength,
    )
    wanted = select(*columns, func.count().label("samples"))
    wanted = wanted.outerjoin(Execution, Execution.completion_id == Completion.id)
    return wanted.where(Completion.generation_id == generation.id).group_by(*columns)


def _tally(generation: Generation, problems: Mapping[int, str], rows: Sequence[Row[Any]]) -> Tally:
    place = {problem: row for row, problem in enumerate(problems)}
    samples, passed = np.zeros((2, len(problems)), dtype=np.int64)
    outcomes: Counter[str] = Counter()
    walls: set[Wall] = set()
    for row in rows:
        verdict = NO_ANSWER if row.is_unanswered else row.verdict or NOT_EXECUTED
        outcomes[verdict] += row.samples
        if verdict in COUNTED_NAMES:
            samples[place[row.problem_id]] += row.samples
            passed[place[row.problem_id]] += row.samples * (verdict == Verdict.PASSED)
            walls.add((row.tier, row.strength))
    outcomes[NOT_WRITTEN] = len(problems) * generation.samples - outcomes.total()
    counts = ProblemCounts(tuple(problems.values()), samples, passed)
    return Tally(generation, counts, +outcomes, frozenset(walls))
