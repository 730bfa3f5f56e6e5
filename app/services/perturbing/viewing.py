"""A perturbed set looked at pair by pair: where one stands, what there is beside it, and what became of the pair.

Transformations and seeds are read from the set's recipe, a pair and what is changed by keys, which the database has
in an index: a set of tens of thousands of rows opens as fast as a small one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.benchmarks.overview import solution_of
from app.services.perturbing.one_problem import PerturbedPair, pair_of, task_keys
from app.services.perturbing.recipes import Piece, Recipe
from app.services.perturbing.stepping import Place, Steps, steps_from
from app.services.perturbing.variants import key_of
from app.storage.models import Benchmark, BenchmarkProblem, Execution
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Viewed:
    """One place of a set. ``pair``: None where it is not made yet; ``tasks``: the problems that are stepped through,
    in their order; ``changed``: those that this transformation changes with this seed; ``stored``: of how many."""

    place: Place
    piece: Piece
    pair: PerturbedPair | None
    execution: Execution | None
    seeds: dict[str, list[int]]
    tasks: Sequence[str]
    changed: frozenset[str]
    stored: int
    steps: Steps


def view_set(
    session: Session,
    made: Benchmark,
    *,
    task: str | None = None,
    transformation: str | None = None,
    seed: int | None = None,
    only_changed: bool = False,
) -> Viewed | None:
    """What is at that place, and what lies beside it; what isn't said is the first. None where the set is empty."""
    pieces = {(each.transformation, each.seed): each for each in Recipe.of(made).pieces()}
    tasks = task_keys(session, made)
    if not pieces or not tasks:
        return None
    seeds: dict[str, list[int]] = {}
    for name, number in pieces:
        seeds.setdefault(name, []).append(number)
    piece = _piece(pieces, seeds, transformation, seed)
    is_changed = _states(session, made, tasks, piece)
    changed = frozenset(each for each, is_so in is_changed.items() if is_so)
    shown = [each for each in tasks if each in changed] if only_changed else tasks
    place = Place(_task(tasks, shown, task), piece.transformation, piece.seed)
    pair = pair_of(session, made, place.task, place.transformation, place.seed) if place.task in is_changed else None
    execution = None if pair is None else solution_of(session, pair.changed)
    steps = steps_from(place, tasks, shown, seeds)
    return Viewed(place, piece, pair, execution, seeds, shown, changed, len(is_changed), steps)


def _piece(
    pieces: dict[tuple[str, int], Piece], seeds: dict[str, list[int]], transformation: str | None, seed: int | None
) -> Piece:
    """A transformation may have fewer seeds than another: of one that the set has its first is meant then."""
    name = next(iter(seeds)) if transformation is None else transformation
    if name not in seeds:
        raise NotFound(
            gettext("The set has no transformation %(name)s.", name=repr(name)),
            remedy=gettext("Its page names those that it has."),
        )
    if seed is not None and not any(seed in each for each in seeds.values()):
        raise NotFound(
            gettext("The set has no seed %(seed)s.", seed=seed),
            remedy=gettext("Its page says how many it has of each transformation; they are counted from 0."),
        )
    return pieces.get((name, -1 if seed is None else seed)) or pieces[name, seeds[name][0]]


def _task(tasks: Sequence[str], shown: Sequence[str], wanted: str | None) -> str:
    if wanted is None:
        return next(iter(shown or tasks))
    if wanted not in tasks:
        raise NotFound(gettext("The set has no problem %(name)s.", name=repr(wanted)))
    return wanted


def _states(session: Session, made: Benchmark, tasks: Sequence[str], piece: Piece) -> dict[str, bool]:
    """Of each problem for which this piece is made whether it changed."""
    keys = {key_of(each, piece): each for each in tasks}
    wanted = select(BenchmarkProblem.key, BenchmarkProblem.unchanged.is_(None)).where(
        BenchmarkProblem.benchmark_id == made.id, BenchmarkProblem.key.in_(keys)
    )
    return {keys[key]: is_changed for key, is_changed in session.execute(wanted)}
