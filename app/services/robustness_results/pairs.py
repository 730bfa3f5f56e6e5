"""A sample of a changed prompt beside the same sample of the nominal one: prompts, completions, verdicts, reasons."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.benchmarks.which import tasks_by_row
from app.services.execution_results.samples import NO_ANSWER, NOT_WRITTEN
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Execution, Generation
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Answer:
    """A prompt, and what a model wrote for it and what became of that; None where it isn't there yet."""

    row: BenchmarkProblem
    completion: Completion | None
    execution: Execution | None

    @property
    def missing(self) -> str | None:
        """Why nothing was there to be run."""
        if self.completion is None:
            return NOT_WRITTEN
        return NO_ANSWER if self.completion.finish == "error" else None


@dataclass(frozen=True, slots=True)
class AnsweredPair:
    """The same sample of one generation, before and after a transformation changed the prompt of ``task``."""

    task: str
    generation: Generation
    sample: int
    before: Answer
    after: Answer


def answered_pair(session: Session, made: Benchmark, completion_id: int) -> AnsweredPair:
    """The pair of that completion, which belongs to a changed prompt of the set; NotFound where it does not."""
    completion = session.get(Completion, completion_id)
    row = None if completion is None else session.get_one(BenchmarkProblem, completion.problem_id)
    if completion is None or row is None or row.benchmark_id != made.id or row.transformation is None:
        raise NotFound(
            gettext("This set has no changed prompt with a completion %(number)s.", number=completion_id),
            remedy=gettext("The set’s page of robustness lists those that a change turned."),
        )
    generation = session.get_one(Generation, completion.generation_id)
    nominal = _asked_origin(session, row)
    before = session.scalar(
        select(Completion).where(
            Completion.generation_id == generation.id,
            Completion.problem_id == nominal.id,
            Completion.sample == completion.sample,
        )
    )
    task = tasks_by_row(session, made.id)[row.id]
    answers = _answer(session, nominal, before), _answer(session, row, completion)
    return AnsweredPair(task, generation, completion.sample, *answers)


def _asked_origin(session: Session, row: BenchmarkProblem) -> BenchmarkProblem:
    """The nominal row whose samples the changed one is held against: of a half that is the whole, the whole."""
    origin = session.get_one(BenchmarkProblem, row.origin_id)
    while origin.unchanged is not None and origin.origin_id is not None:
        origin = session.get_one(BenchmarkProblem, origin.origin_id)
    return origin


def _answer(session: Session, row: BenchmarkProblem, completion: Completion | None) -> Answer:
    of_it = None if completion is None else Execution.completion_id == completion.id
    execution = None if of_it is None else session.scalar(select(Execution).where(of_it))
    return Answer(row, completion, execution)
