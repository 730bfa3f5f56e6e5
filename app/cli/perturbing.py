"""``codejury perturbations`` and ``codejury perturb``: which transformations there are, and sets made with them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import load_settings
from app.words import human_number, inert, ngettext

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.perturbations import Category
    from app.services.perturbing import Requested
    from app.services.perturbing.summary import SetSummary, TransformationSummary
    from app.storage.models import Benchmark

cli = typer.Typer()
LISTED = 10  # keys of rows, of each kind
USUAL_SEEDS = 5  # of a new set


class ModeName(StrEnum):
    """Whose rules: the paper's, or those that made the released files."""

    PAPER = "paper"
    RELEASED = "released"


class CategoryName(StrEnum):
    """What of a prompt is changed."""

    DOCSTRING = "docstring"
    FUNCTION_NAME = "function_name"
    SYNTAX = "syntax"
    FORMAT = "format"


@cli.command()
def perturbations() -> None:
    """List all transformations: seeds, prompts, modes, and what is missing on this machine."""
    from app.perturbations import available
    from app.services.perturbing.equipment import equip

    equip(load_settings())
    for each in available():
        modes = " and ".join(sorted(each.modes)) or "imported only"
        seeds = "random" if each.is_random else "one way"
        lack = each.missing()
        typer.echo(f"{each.name}: {seeds}, {each.form} prompts, {modes}{f'; not here: {lack}' if lack else ''}")


@cli.command()
def perturb(
    *,
    benchmark: Annotated[
        str, typer.Argument(help="Short name of a benchmark, or of a perturbed set to be extended.")
    ],
    mode: Annotated[
        ModeName | None, typer.Option(help="Whose rules, paper without it; a set keeps those it was made by.")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Of each random transformation: 5, or what the set has, without it."),
    ] = None,
    transformations: Annotated[
        str,
        typer.Option(
            help="Names with commas between; without these and categories all that can run here, or what the set has."
        ),
    ] = "",
    category: Annotated[
        list[CategoryName] | None, typer.Option(help="All that can run of a category; can be repeated.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of a new set; made from the benchmark's without it.")] = None,
) -> None:
    """Make a perturbed set of a benchmark, or add to one, and run its canonical solutions: the ceilings."""
    from app.cli.foreground import open_for_runs
    from app.cli.solution_runs import make_and_run
    from app.perturbations import Category
    from app.services.perturbing.equipment import equip

    names = [each.strip() for each in transformations.split(",") if each.strip()]
    categories = [Category(each) for each in category or ()]
    settings = load_settings()
    equip(settings)
    with open_for_runs(settings) as database:
        with database.write() as session:
            done = _requested(
                session, benchmark, mode=mode, name=name, seeds=seeds, names=names, categories=categories
            )
            slug, run_id = done.benchmark.slug, done.run.id if done.run else None
            tell_kept_seeds(done.benchmark, seeds)
        make_and_run(database, settings, slug, run_id)
        with database.read() as session:
            tell_set(session, slug)


def _requested(
    session: Session,
    slug: str,
    *,
    mode: ModeName | None,
    name: str | None,
    seeds: int | None,
    names: list[str],
    categories: list[Category],
) -> Requested:
    from app.perturbations import Mode
    from app.services.benchmarks import find_benchmark
    from app.services.benchmarks.which import is_set
    from app.services.perturbing import Recipe, Wanted, check_kept, extend_set, request_set

    found = find_benchmark(session, slug)
    rules = None if mode is None else Mode(mode)
    if is_set(found):
        check_kept(found, mode=rules, name=name)
        wanted = Wanted(seeds or max(Recipe.of(found).seeds, 1), names, categories)
        return extend_set(session, found, wanted, actor="command line", takes_up=True)
    wanted = Wanted(seeds or USUAL_SEEDS, names, categories)
    return request_set(session, found, wanted, mode=rules or Mode.PAPER, name=name, actor="command line")


def tell_kept_seeds(made: Benchmark, asked: int | None) -> None:
    """Say where a set has more seeds than were asked for: none of them is taken away, and tables count all."""
    from app.services.perturbing import Recipe

    if asked is not None and asked < (there := Recipe.of(made).seeds):
        typer.echo(f"The set has {there} seeds of each random transformation; all of them are kept and counted.")


def tell_set(session: Session, slug: str) -> None:
    """Print how a set stands."""
    from app.services.benchmarks.overview import standing_of
    from app.services.perturbing import find_set
    from app.services.perturbing.summary import summary_of

    made = find_set(session, slug)
    summary: SetSummary = summary_of(session, made)
    is_solved = standing_of(session, made).solutions > 0
    for each in summary.transformations:
        _tell(each, is_solved=is_solved)
    if not is_solved:
        typer.echo("The benchmark brings no canonical solutions, so that no ceiling is known.")
    if summary.recipe.text_from:
        typer.echo(inert(f"BackTranslation takes its text from the released set {summary.recipe.text_from}."))
    for left in summary.unavailable:
        typer.echo(inert(f"{left.name}: left out: {left.reason}"))
    typer.echo(f"Perturbed set: {slug}")


def _tell(each: TransformationSummary, *, is_solved: bool) -> None:
    share = f"{each.unchanged_share:.1%}" if each.unchanged_share is not None else "nothing"
    passed = f"; canonical solutions pass {each.passed:,} of {each.judged:,}" if is_solved and each.changed else ""
    unjudged = ngettext(
        "%(num)s has no verdict", "%(num)s have no verdict", each.unjudged, num=human_number(each.unjudged)
    )
    left = f"; {unjudged}" if is_solved and each.unjudged else ""
    typer.echo(inert(f"{each.name}: {each.changed:,} changed, {share} unchanged{passed}{left}"))
    for reason, number in each.unchanged.most_common():
        typer.echo(inert(f"  {number:,} unchanged: {reason}"))
    for word, keys in each.odd.items():
        typer.echo(inert(f"  {_odd(word, len(keys))}: {_some(keys)}"))
    if each.failing:
        typer.echo(inert(f"  canonical solution fails: {_some([one.key for one in each.failing])}"))


def _odd(word: str, number: int) -> str:
    """So many rows, and what is odd about them."""
    num = human_number(number)
    words = {
        "unparsable": ngettext(
            "%(num)s is no Python with its solution", "%(num)s are no Python with their solution", number, num=num
        ),
        "undefined": ngettext(
            "%(num)s doesn’t define the function that is tested",
            "%(num)s don’t define the function that is tested",
            number,
            num=num,
        ),
        "old_name": ngettext(
            "%(num)s is called by its old name, which is defined after the program",
            "%(num)s are called by their old name, which is defined after the program",
            number,
            num=num,
        ),
    }
    return words[word]


def _some(keys: list[str]) -> str:
    """The problems of these rows, the first of them by name."""
    tasks = list(dict.fromkeys(key.split(" · ")[0] for key in keys))
    return ", ".join([*tasks[:LISTED], *(["…"] if len(tasks) > LISTED else [])])
