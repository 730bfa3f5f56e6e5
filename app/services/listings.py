"""Lists for programs, some rows at a time, by key: what is added meanwhile neither doubles nor hides a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.services.benchmarks.which import is_nominal
from app.storage.models import (
    Analysis,
    Annotator,
    Benchmark,
    BenchmarkProblem,
    Instrument,
    Invitation,
    Item,
    Output,
    Problem,
    Run,
    Study,
    System,
)

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """Rows in their order; ``last``: the number after which the next ones come, None at the end."""

    rows: Sequence[Row]
    last: int | None


def newest_studies(session: Session, after: int | None, limit: int) -> Slice[Study]:
    """All studies, the newest first."""
    return _newest(session, select(Study), Study, after, limit)


def newest_runs(
    session: Session, after: int | None, limit: int, *, study: Study | None = None, state: str = "", kind: str = ""
) -> Slice[Run]:
    """Runs, the newest first."""
    runs = select(Run)
    if study is not None:
        runs = runs.where(Run.study_id == study.id)
    if state:
        runs = runs.where(Run.state == state)
    if kind:
        runs = runs.where(Run.kind == kind)
    return _newest(session, runs, Run, after, limit)


def newest_analyses(session: Session, study: Study, after: int | None, limit: int) -> Slice[Analysis]:
    """The study's analyses, the newest first."""
    return _newest(session, select(Analysis).where(Analysis.study_id == study.id), Analysis, after, limit)


def first_problems(session: Session, study: Study, after: int | None, limit: int) -> Slice[Problem]:
    """The study's problems in the order in which they came."""
    return _oldest(session, select(Problem).where(Problem.study_id == study.id), Problem, after, limit)


def first_outputs(session: Session, study: Study, after: int | None, limit: int) -> Slice[tuple[Output, str, str]]:
    """The study's outputs in the order in which they came, each with its problem's key and its system's name."""
    statement = (
        select(Output, Problem.key, System.name)
        .join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id, Output.id > (after or 0))
    )
    rows = [(row[0], row[1], row[2]) for row in session.execute(statement.order_by(Output.id).limit(limit + 1))]
    return _cut(rows, [row[0].id for row in rows], limit)


def first_items(session: Session, study: Study, after: int | None, limit: int) -> Slice[tuple[Item, str, str]]:
    """The study's main items as they came, each with its problem's key and its instrument's name."""
    statement = (
        select(Item, Problem.key, Instrument.name)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Item.study_id == study.id, Item.role == "main", Item.id > (after or 0))
    )
    rows = [(row[0], row[1], row[2]) for row in session.execute(statement.order_by(Item.id).limit(limit + 1))]
    return _cut(rows, [row[0].id for row in rows], limit)


def first_benchmark_problems(
    session: Session, benchmark: Benchmark, after: int | None, limit: int, *, variants: bool = False
) -> Slice[BenchmarkProblem]:
    """The benchmark's problems in the order in which they came; ``variants``: of a perturbed set all of its rows."""
    mine = select(BenchmarkProblem).where(BenchmarkProblem.benchmark_id == benchmark.id)
    if not variants:
        mine = mine.where(is_nominal())
    return _oldest(session, mine, BenchmarkProblem, after, limit)


def newest_invitations(session: Session, study: Study, after: int | None, limit: int) -> Slice[Invitation]:
    """The study's invitations, the newest first."""
    return _newest(session, select(Invitation).where(Invitation.study_id == study.id), Invitation, after, limit)


def annotator_numbers(session: Session, study: Study, after: int | None, limit: int) -> Slice[int]:
    """The study's annotators by number, in the order in which they came."""
    mine = select(Annotator.id).where(Annotator.study_id == study.id, Annotator.id > (after or 0))
    numbers = session.scalars(mine.order_by(Annotator.id).limit(limit + 1)).all()
    return _cut(numbers, numbers, limit)


def _newest(session: Session, statement: Select[Any], table: Any, after: int | None, limit: int) -> Slice[Any]:
    older = statement if after is None else statement.where(table.id < after)
    rows = session.scalars(older.order_by(table.id.desc()).limit(limit + 1)).all()
    return _cut(rows, [row.id for row in rows], limit)


def _oldest(session: Session, statement: Select[Any], table: Any, after: int | None, limit: int) -> Slice[Any]:
    newer = statement if after is None else statement.where(table.id > after)
    rows = session.scalars(newer.order_by(table.id).limit(limit + 1)).all()
    return _cut(rows, [row.id for row in rows], limit)


def _cut(rows: Sequence[Row], numbers: Sequence[int], limit: int) -> Slice[Row]:
    """One row more than wanted was asked for, to know whether there is another page."""
    return Slice(rows[:limit], numbers[limit - 1] if len(rows) > limit else None)
