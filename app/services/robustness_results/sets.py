"""Other perturbed sets, to be put beside one."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.benchmarks.which import RECODE
from app.storage.models import Benchmark, Generation


def other_sets(session: Session, made: Benchmark) -> Sequence[Benchmark]:
    """Those that some model was asked for, by name."""
    asked = select(Generation.benchmark_id)
    wanted = select(Benchmark).where(Benchmark.layout == RECODE, Benchmark.id != made.id, Benchmark.id.in_(asked))
    return session.scalars(wanted.order_by(Benchmark.name, Benchmark.id)).all()
