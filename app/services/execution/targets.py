"""What a run of executions is about: the programs of a benchmark, a generation or a study."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.errors import NotFound
from app.services.benchmarks.which import is_asked
from app.services.execution.programs import Target, of_completion, of_output, of_solution
from app.services.runs import RunContext
from app.storage.models import (
    Benchmark,
    BenchmarkProblem,
    Completion,
    Execution,
    Generation,
    Output,
    Problem,
    Study,
)
from app.words import gettext

AT_ONCE = 5_000  # numbers in one statement
NOT_COUNTED = ("sandbox_error", "not_run")

Each = TypeVar("Each")
Load = Callable[[Session], list[Target]]


@dataclass(frozen=True, slots=True)
class Subject:
    """Which programs a run is about, and what to call them."""

    load: Load
    unit: str


def subject_of(context: RunContext) -> Subject:
    """What the payload names."""
    payload = context.payload
    if "benchmark" in payload:
        return Subject(lambda session: solutions(session, payload["benchmark"]), gettext("solutions"))
    if "generation" in payload:
        return Subject(lambda session: completions(session, payload["generation"]), gettext("completions"))
    return Subject(lambda session: outputs(session, context.study_id), gettext("outputs"))


def solutions(session: Session, benchmark_id: int) -> list[Target]:
    """The benchmark's canonical solutions, in its order; of rows that are like their origin, its own says it."""
    benchmark = _there(session.get(Benchmark, benchmark_id))
    wanted = select(BenchmarkProblem).where(
        BenchmarkProblem.benchmark_id == benchmark_id, BenchmarkProblem.canonical_solution.is_not(None), is_asked()
    )
    found = session.scalars(wanted.order_by(BenchmarkProblem.position))
    return [of_solution(problem, benchmark.language) for problem in found]


def completions(session: Session, generation_id: int) -> list[Target]:
    """What the model wrote; where it could not be asked there is nothing to run."""
    generation = _there(session.get(Generation, generation_id))
    language = session.get_one(Benchmark, generation.benchmark_id).language
    rows = session.execute(
        select(BenchmarkProblem, Completion.id, Completion.text)
        .join(Completion, Completion.problem_id == BenchmarkProblem.id)
        .where(Completion.generation_id == generation_id, Completion.finish != "error")
        .order_by(BenchmarkProblem.position, Completion.sample)
    )
    mode = generation.prompt_mode
    return [of_completion(problem, number, text, mode, language) for problem, number, text in rows]


def outputs(session: Session, study_id: int | None) -> list[Target]:
    """The outputs of a study's problems that have tests."""
    study = _there(session.get(Study, study_id))
    rows = session.execute(
        select(Problem, Output.id, Output.text, BenchmarkProblem.helpers)
        .join(Output, Output.problem_id == Problem.id)
        .outerjoin(Completion, Completion.id == Output.completion_id)
        .outerjoin(BenchmarkProblem, BenchmarkProblem.id == Completion.problem_id)
        .where(Problem.study_id == study.id, Problem.tests.is_not(None), Problem.tests != "")
        .order_by(Problem.position, Output.id)
    )
    return [of_output(problem, number, text, study.language, helpers) for problem, number, text, helpers in rows]


def outstanding(session: Session, targets: list[Target], since_run: int | None = None) -> list[Target]:
    """Those without a verdict on exactly these inputs; our own failures are tried again. ``since_run``: verdicts of
    other runs than this one are not enough, since all is to be run again."""
    known: dict[int, str] = {}
    for chunk in pieces(targets):
        owner = owner_column(chunk[0].owner)
        wanted = select(owner, Execution.input_hash).where(
            owner.in_([each.owner_id for each in chunk]), Execution.verdict.not_in(NOT_COUNTED)
        )
        if since_run is not None:
            wanted = wanted.where(Execution.run_id == since_run)
        known |= dict(session.execute(wanted).all())
    return [each for each in targets if known.get(each.owner_id) != each.input_hash]


def owner_column(owner: str) -> InstrumentedAttribute[int]:
    """The column of an execution that names its program."""
    column: InstrumentedAttribute[int] = getattr(Execution, owner)
    return column


def verdicts(session: Session, targets: list[Target]) -> Counter[str]:
    """How many of the programs have which verdict now; those without any have not been run."""
    counts: Counter[str] = Counter()
    for chunk in pieces(targets):
        owner = owner_column(chunk[0].owner)
        counts.update(session.scalars(select(Execution.verdict).where(owner.in_([each.owner_id for each in chunk]))))
    counts["not_run"] += len(targets) - counts.total()
    return +counts


def pieces(them: Iterable[Each]) -> Iterator[list[Each]]:
    """Them, as many at a time as a statement takes."""
    iterator = iter(them)
    while chunk := list(islice(iterator, AT_ONCE)):
        yield chunk


def _there(row: Each | None) -> Each:
    if row is None:
        raise NotFound(gettext("What was to be run is gone."))
    return row
