"""What a set could be made with: transformations by category, why some can't be made, and how many rows it makes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.perturbations import Category, Mode, Transformation, available
from app.perturbations.half_solutions import has_half
from app.services.benchmarks.which import is_nominal, is_set
from app.services.perturbing.choosing import hindrance
from app.services.perturbing.recipes import Recipe
from app.services.perturbing.released_texts import TAKEN
from app.services.perturbing.requests import Wanted, extended, released_source
from app.storage.models import Benchmark, BenchmarkProblem


@dataclass(frozen=True, slots=True)
class Offer:
    """One transformation. ``hindrance``: why it can't be made, None where it can; ``is_in``: the set has it;
    ``text_from``: the imported set whose released text it takes, by its short name."""

    transformation: Transformation
    hindrance: str | None
    is_in: bool
    text_from: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Rows that would be added: what transformations make of ``problems``, and prompts that show half of a solution
    where those are needed first."""

    problems: int
    variants: int
    halves: int


def offers_for(session: Session, benchmark: Benchmark, mode: Mode) -> dict[Category, Sequence[Offer]]:
    """Every transformation, for a set of this benchmark or for more of this set."""
    known = Recipe.of(benchmark).transformations if is_set(benchmark) else ()
    source = "" if TAKEN in known else released_source(session, benchmark)
    found = [_offer(each, mode, benchmark.language, source, is_in=each.name in known) for each in available()]
    return {category: [each for each in found if each.transformation.category is category] for category in Category}


def _offer(each: Transformation, mode: Mode, language: str, source: str, *, is_in: bool) -> Offer:
    why = hindrance(each, mode, language)
    if why is not None and source and each.name == TAKEN:
        return Offer(each, None, is_in, source)
    return Offer(each, why, is_in)


def estimate_rows(session: Session, benchmark: Benchmark, wanted: Wanted, mode: Mode) -> Estimate:
    """Rows of a set of this benchmark, or those that are added to this set. InvalidInput as when it is made."""
    wanted.check()
    before = Recipe.of(benchmark) if is_set(benchmark) else Recipe(mode=mode)
    after = extended(before, wanted, benchmark.language, released_source(session, benchmark))
    wholes = _problems(session, benchmark)
    problems = len(wholes)
    added = len(list(after.pieces())) - len(list(before.pieces()))
    needs_halves = after.needs_halves and not before.needs_halves
    return Estimate(problems, problems * added, sum(map(has_half, wholes)) if needs_halves else 0)


def _problems(session: Session, benchmark: Benchmark) -> Sequence[str]:
    """Of the benchmark, by their canonical solutions; of a set that has none yet, those of the one that it is made
    from."""
    wanted = select(func.coalesce(BenchmarkProblem.canonical_solution, "")).where(is_nominal())
    own = session.scalars(wanted.where(BenchmarkProblem.benchmark_id == benchmark.id)).all()
    return own or session.scalars(wanted.where(BenchmarkProblem.benchmark_id == benchmark.parent_id)).all()
