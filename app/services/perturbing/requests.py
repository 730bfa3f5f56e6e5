"""Ask for a perturbed set, or for more of one; a run adds what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput
from app.perturbations import Category, Mode, available, find
from app.services import audit
from app.services.benchmarks import find_benchmark
from app.services.benchmarks.storing import new_slug
from app.services.benchmarks.which import RECODE, is_set
from app.services.perturbing.choosing import Choice, choose, hindrance
from app.services.perturbing.making import pending_run, start, unfinished_run, waiting_run
from app.services.perturbing.recipes import Recipe
from app.services.perturbing.released_texts import TAKEN, released_sets
from app.services.perturbing.variants import LONGEST_KEY
from app.storage.models import Benchmark, BenchmarkProblem, Run
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext

MOST_SEEDS = 100


@dataclass(frozen=True, slots=True)
class Requested:
    """A set and the run that brings it up to its recipe; None where there is nothing to do."""

    benchmark: Benchmark
    is_new: bool
    run: Run | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody asks for. Without names and categories: all transformations that can run here."""

    seeds: int
    names: Sequence[str] = ()
    categories: Sequence[Category] = ()

    def check(self) -> None:
        """InvalidInput where so many seeds are none."""
        if not 1 <= self.seeds <= MOST_SEEDS:
            raise InvalidInput(gettext("A set has 1 to %(most)s seeds.", most=MOST_SEEDS))

    def choice(self, mode: Mode, language: str, source: str = "") -> Choice:
        """Which transformations these are. ``source``: the imported set that released text can be taken from."""
        released = (TAKEN,) if source else ()
        return choose(mode, language, names=self.names, categories=self.categories, released=released)


def request_set(
    session: Session,
    parent: Benchmark,
    wanted: Wanted,
    *,
    mode: Mode = Mode.PAPER,
    name: str | None = None,
    actor: str,
    user_id: int | None = None,
) -> Requested:
    """A new set of that benchmark's problems, and the run that makes it. The very same again is the one there is."""
    wanted.check()
    if is_set(parent):
        raise Conflict(
            gettext("%(name)s is a perturbed set itself.", name=repr(parent.slug)),
            remedy=gettext("Extend it, or make a set of the benchmark that it was made from."),
        )
    _check_keys(session, parent)
    recipe = extended(Recipe(mode=mode), wanted, parent.language, released_source(session, parent))
    take_turn(session, TurnAt.BENCHMARKS)
    title = name or f"{parent.name}, perturbed"
    if (same := _same_set(session, title, recipe, parent)) is not None:
        return Requested(same, is_new=False, run=unfinished_run(session, same, user_id=user_id))
    made = add_set(session, title, recipe, file_hash=parent.file_hash, parent=parent, user_id=user_id)
    _record(session, actor, "perturbed set requested", made, recipe)
    return Requested(made, is_new=True, run=start(session, made, user_id=user_id))


def extend_set(
    session: Session,
    made: Benchmark,
    wanted: Wanted,
    *,
    actor: str,
    user_id: int | None = None,
    takes_up: bool = False,
) -> Requested:
    """More transformations or seeds; those that are there stay. Without a change, what is missing is made. See
    ``more_of`` for seeds alone.

    ``takes_up``: a run that waits, as one does that was cut, is the caller's own and makes this, too.
    """
    wanted.check()
    recipe = extendable(made)
    waiting = waiting_run(session, made, takes_up=takes_up)
    larger = extended(recipe, more_of(recipe, wanted), made.language, released_source(session, made))
    made.recipe = larger.model_dump(mode="json")
    _record(session, actor, "perturbed set extended", made, larger)
    return Requested(made, is_new=False, run=waiting or start(session, made, user_id=user_id))


def set_of(session: Session, parent: Benchmark, wanted: Wanted, *, actor: str) -> Requested:
    """The benchmark's set by the paper's rules, with all that is wanted: the first one extended, or a new one."""
    of_it = select(Benchmark).where(Benchmark.parent_id == parent.id, Benchmark.layout == RECODE)
    for known in session.scalars(of_it.order_by(Benchmark.id)):
        if Recipe.of(known).mode == Mode.PAPER:
            return extend_set(session, known, _in_full(wanted), actor=actor, takes_up=True)
    return request_set(session, parent, wanted, actor=actor)


def more_of(recipe: Recipe, wanted: Wanted) -> Wanted:
    """What is wanted of a set that is there: more seeds alone are seeds of what it has."""
    return wanted if wanted.names or wanted.categories else replace(wanted, names=recipe.transformations)


def _in_full(wanted: Wanted) -> Wanted:
    """The same of a set that is there as of a new one: without names and categories all of them."""
    return wanted if wanted.names or wanted.categories else replace(wanted, categories=tuple(Category))


def check_kept(made: Benchmark, *, mode: Mode | None, name: str | None) -> None:
    """InvalidInput where a set that is there is asked to be made by other rules, or to be called otherwise."""
    kept = Recipe.of(made).mode
    if mode is not None and mode != kept:
        by = gettext("the paper's rules") if kept == Mode.PAPER else gettext("the rules of the released files")
        raise InvalidInput(
            gettext("The set was made by %(rules)s.", rules=by),
            remedy=gettext("Make another set of its benchmark for other rules."),
        )
    if name is not None and name.strip() != made.name:
        raise InvalidInput(
            gettext("The set is called %(name)s already.", name=repr(made.name)),
            remedy=gettext("Leave the name out: only a new set gets one."),
        )


def extendable(made: Benchmark) -> Recipe:
    """The recipe of a set that can be added to; Conflict where it was imported."""
    recipe = Recipe.of(made)
    if recipe.is_imported:
        raise Conflict(
            gettext("%(name)s holds what was released, and nothing else.", name=repr(made.slug)),
            remedy=gettext("Make a set of the benchmark itself."),
        )
    return recipe


def find_set(session: Session, slug: str) -> Benchmark:
    """The perturbed set with that short name; InvalidInput where it is another benchmark."""
    made = find_benchmark(session, slug)
    Recipe.of(made)
    return made


def add_set(
    session: Session,
    title: str,
    recipe: Recipe,
    *,
    file_hash: str,
    parent: Benchmark | None = None,
    user_id: int | None = None,
) -> Benchmark:
    """The row of a set, without problems yet; Conflict where the name is taken."""
    slug = new_slug(title)
    if session.scalar(select(Benchmark.id).where(Benchmark.slug == slug)) is not None:
        raise Conflict(
            gettext("There is a benchmark %(slug)s already.", slug=repr(slug)),
            remedy=gettext("Choose another name, or extend that one."),
        )
    made = Benchmark(slug=slug, name=title.strip(), layout=RECODE, language=parent.language if parent else "python")
    made.file_hash, made.user_id, made.parent_id = file_hash, user_id, parent.id if parent else None
    made.recipe = recipe.model_dump(mode="json")
    session.add(made)
    session.flush()
    return made


def released_source(session: Session, benchmark: Benchmark) -> str:
    """The imported set, by its short name, whose released text fits the problems of a benchmark or a set of it."""
    found = released_sets(session, benchmark.parent_id or benchmark.id)
    return next((each.slug for each in found if pending_run(session, each) is None), "")


def extended(recipe: Recipe, wanted: Wanted, language: str, source: str) -> Recipe:
    """The recipe with what is asked for beyond it. ``source``: whose released text is taken for what is new and
    can't be made here."""
    mode, is_new = Mode(recipe.mode), TAKEN not in recipe.transformations
    text_from = source if is_new else recipe.text_from
    chosen = wanted.choice(mode, language, text_from)
    if is_new and TAKEN in chosen.names and hindrance(find(TAKEN), mode, language) is not None:
        recipe = recipe.model_copy(update={"text_from": text_from})
    names = {*recipe.transformations, *chosen.names}
    ordered = tuple(each.name for each in available() if each.name in names)
    left_out = {each.name: each for each in (*recipe.left_out, *chosen.left_out) if each.name not in names}
    return recipe.model_copy(
        update={
            "transformations": ordered,
            "seeds": max(recipe.seeds, wanted.seeds),
            "left_out": tuple(left_out.values()),
        }
    )


def _same_set(session: Session, title: str, recipe: Recipe, parent: Benchmark) -> Benchmark | None:
    """What an earlier press of the button made: this name, this benchmark, and all of this recipe."""
    known = session.scalar(
        select(Benchmark).where(Benchmark.slug == new_slug(title), Benchmark.parent_id == parent.id)
    )
    return known if known is not None and Recipe.of(known) == recipe else None


def _check_keys(session: Session, parent: Benchmark) -> None:
    length = func.length(BenchmarkProblem.key)
    here = BenchmarkProblem.benchmark_id == parent.id
    longest = session.scalar(select(BenchmarkProblem.key).where(here).order_by(length.desc()).limit(1))
    if longest is not None and len(longest) > LONGEST_KEY:
        raise InvalidInput(
            gettext(
                "The problem %(key)s has a name of more than %(most)s characters.", key=longest, most=LONGEST_KEY
            ),
            remedy=gettext(
                "Import the benchmark with shorter names, so that a transformation can stand behind them."
            ),
        )


def _record(session: Session, actor: str, deed: str, made: Benchmark, recipe: Recipe) -> None:
    details: dict[str, Any] = {"benchmark": made.slug, "mode": recipe.mode, "seeds": recipe.seeds}
    audit.record(session, actor, deed, transformations=list(recipe.transformations), **details)
