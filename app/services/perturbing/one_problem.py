"""One perturbed problem beside the one that it was made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.storage.models import Benchmark, BenchmarkProblem
from app.words import gettext


@dataclass(frozen=True, slots=True)
class PerturbedPair:
    """The nominal row and what a transformation made of it with a seed."""

    original: BenchmarkProblem
    changed: BenchmarkProblem


def pair_of(session: Session, made: Benchmark, task: str, transformation: str, seed: int) -> PerturbedPair:
    """The pair of that problem, transformation and seed; NotFound where the set has none."""
    wanted = select(BenchmarkProblem).where(
        BenchmarkProblem.benchmark_id == made.id,
        BenchmarkProblem.key == f"{task} · {transformation} · {seed}",
    )
    changed = session.scalar(wanted)
    if changed is None or changed.origin_id is None:
        raise NotFound(
            gettext("The set has no such problem, transformation and seed."),
            remedy=gettext("Its summary names its transformations and how many seeds each has."),
        )
    return PerturbedPair(session.get_one(BenchmarkProblem, changed.origin_id), changed)


def task_keys(session: Session, made: Benchmark) -> Sequence[str]:
    """The set's problems by name, in their order."""
    nominal = (BenchmarkProblem.transformation.is_(None), BenchmarkProblem.form == "whole")
    wanted = select(BenchmarkProblem.key).where(BenchmarkProblem.benchmark_id == made.id, *nominal)
    return session.scalars(wanted.order_by(BenchmarkProblem.position)).all()
