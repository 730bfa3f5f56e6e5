"""Which of a benchmark's rows are meant: in a perturbed set most are what transformations made of the others.

Of any other benchmark each row is nominal, and is asked.
"""

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session, aliased

from app.storage.models import Benchmark, BenchmarkProblem

RECODE = "recode"  # the layout of perturbed sets
WHOLE, HALF = "whole", "half"


def is_nominal() -> ColumnElement[bool]:
    """The problems themselves, each with its whole solution to be written."""
    return and_(BenchmarkProblem.transformation.is_(None), BenchmarkProblem.form == WHOLE)


def is_asked() -> ColumnElement[bool]:
    """What models are given and what is run; of an unchanged row all is known from its origin."""
    return BenchmarkProblem.unchanged.is_(None)


def is_set(benchmark: Benchmark) -> bool:
    """Whether it is a perturbed set."""
    return benchmark.layout == RECODE


def tasks_by_row(session: Session, benchmark_id: int) -> dict[int, str]:
    """Of each row the key of the nominal problem that it comes from: its own, or its origin's, or that one's."""
    origin, whole = aliased(BenchmarkProblem), aliased(BenchmarkProblem)
    rows = session.execute(
        select(BenchmarkProblem.id, BenchmarkProblem.key, origin.key, whole.key)
        .outerjoin(origin, origin.id == BenchmarkProblem.origin_id)
        .outerjoin(whole, whole.id == origin.origin_id)
        .where(BenchmarkProblem.benchmark_id == benchmark_id)
    )
    return {number: of_whole or of_origin or own for number, own, of_origin, of_whole in rows}


def rows_of_first(session: Session, benchmark_id: int, number: int) -> list[int]:
    """The benchmark's first so many problems, each with all that was made of it."""
    here = select(BenchmarkProblem.id).where(BenchmarkProblem.benchmark_id == benchmark_id)
    nominal = list(session.scalars(here.where(is_nominal()).order_by(BenchmarkProblem.position).limit(number)))
    made = list(session.scalars(here.where(BenchmarkProblem.origin_id.in_(nominal))))
    of_halves = list(session.scalars(here.where(BenchmarkProblem.origin_id.in_(made)))) if made else []
    return nominal + made + of_halves
