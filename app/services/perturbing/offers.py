"""What a set could be made with: transformations by category, why some can't be made, and how many rows it makes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.perturbations import Category, Mode, Transformation, available
from app.services.benchmarks.which import is_nominal, is_set
from app.services.perturbing.choosing import hindrance
from app.services.perturbing.recipes import Recipe
from app.services.perturbing.requests import Wanted, extended
from app.storage.models import Benchmark, BenchmarkProblem


@dataclass(frozen=True, slots=True)
class Offer:
    """One transformation. ``hindrance``: why it can't be made, None where it can; ``is_in``: the set has it."""

    transformation: Transformation
    hindrance: str | None
    is_in: bool


@dataclass(frozen=True, slots=True)
class Estimate:
    """Rows that would be added: what transformations make of ``problems``, and halves of those where needed first."""

    problems: int
    variants: int
    halves: int


def offers_for(benchmark: Benchmark, mode: Mode) -> dict[Category, Sequence[Offer]]:
    """Every transformation, for a set of this benchmark or for more of this set."""
    known = Recipe.of(benchmark).transformations if is_set(benchmark) else ()
    found = [Offer(each, hindrance(each, mode, benchmark.language), each.name in known) for each in available()]
    return {category: [each for each in found if each.transformation.category is category] for category in Category}


def estimate_rows(session: Session, benchmark: Benchmark, wanted: Wanted, mode: Mode) -> Estimate:
    """Rows of a set of this benchmark, or those that are added to this set. InvalidInput as when it is made."""
    wanted.check()
    before = Recipe.of(benchmark) if is_set(benchmark) else Recipe(mode=mode)
    after = extended(before, wanted, wanted.choice(mode, benchmark.language))
    problems = _problems(session, benchmark)
    added = len(list(after.pieces())) - len(list(before.pieces()))
    needs_halves = after.needs_halves and not before.needs_halves
    return Estimate(problems, problems * added, problems if needs_halves else 0)


def _problems(session: Session, benchmark: Benchmark) -> int:
    """Of the benchmark; of a set that has none yet, those of the one that it is made from."""
    count = select(func.count()).select_from(BenchmarkProblem).where(is_nominal())
    own = session.scalar(count.where(BenchmarkProblem.benchmark_id == benchmark.id))
    return own or session.scalar(count.where(BenchmarkProblem.benchmark_id == benchmark.parent_id)) or 0
