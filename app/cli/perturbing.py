"""``codejury perturbations`` and ``codejury perturb``: which transformations there are, and sets made with them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import load_settings, open_database
from app.words import inert

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.perturbing import Requested, Wanted
    from app.services.perturbing.summary import SetSummary, TransformationSummary

cli = typer.Typer()
LISTED = 10  # keys of rows, of each kind


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
    mode: Annotated[ModeName, typer.Option(help="Whose rules; a set keeps the one that it was made with.")] = (
        ModeName.PAPER
    ),
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Of each random transformation.")] = 5,
    transformations: Annotated[
        str, typer.Option(help="Names with commas between; without these and categories all that can run here.")
    ] = "",
    category: Annotated[
        list[CategoryName] | None, typer.Option(help="All that can run of a category; can be repeated.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of a new set; made from the benchmark's without it.")] = None,
) -> None:
    """Make a perturbed set of a benchmark, or add to one, and run its canonical solutions: the ceilings."""
    from app.cli.benchmarking import do_all
    from app.perturbations import Category
    from app.services.perturbing import Wanted
    from app.services.perturbing.equipment import equip

    names = [each.strip() for each in transformations.split(",") if each.strip()]
    wanted = Wanted(seeds, names, [Category(each) for each in category or ()])
    settings = load_settings()
    equip(settings)
    with open_database(settings) as database:
        with database.write() as session:
            done = _requested(session, benchmark, mode, wanted, name)
            slug, run_id = done.benchmark.slug, done.run.id if done.run else None
        if run_id is not None:
            do_all(database, settings, run_id)
        with database.read() as session:
            tell_set(session, slug)


def _requested(session: Session, slug: str, mode: ModeName, wanted: Wanted, name: str | None) -> Requested:
    from app.perturbations import Mode
    from app.services.benchmarks import find_benchmark
    from app.services.benchmarks.which import is_set
    from app.services.perturbing import extend_set, request_set

    found = find_benchmark(session, slug)
    if is_set(found):
        return extend_set(session, found, wanted, actor="command line")
    return request_set(session, found, wanted, mode=Mode(mode), name=name, actor="command line")


def tell_set(session: Session, slug: str) -> None:
    """Print how a set stands."""
    from app.services.perturbing import find_set
    from app.services.perturbing.summary import summary_of

    summary: SetSummary = summary_of(session, find_set(session, slug))
    for each in summary.transformations:
        _tell(each)
    for left in summary.unavailable:
        typer.echo(inert(f"{left.name}: left out: {left.reason}"))
    typer.echo(f"Perturbed set: {slug}")


def _tell(each: TransformationSummary) -> None:
    share = f"{each.unchanged_share:.1%}" if each.unchanged_share is not None else "nothing"
    passed = f"canonical solutions pass {each.passed:,} of {each.judged:,}"
    typer.echo(inert(f"{each.name}: {each.changed:,} changed, {share} unchanged; {passed}"))
    for reason, number in each.unchanged.most_common():
        typer.echo(inert(f"  {number:,} unchanged: {reason}"))
    for word, keys in each.odd.items():
        typer.echo(inert(f"  {len(keys):,} {WORDS[word]}: {_some(keys)}"))
    if each.failing:
        typer.echo(inert(f"  canonical solution fails: {_some([one.key for one in each.failing])}"))


WORDS = {
    "unparsable": "are no Python with their solution",
    "undefined": "don't define the function that is tested",
    "old_name": "are called by their old name, which is defined after the program",
}


def _some(keys: list[str]) -> str:
    """The problems of these rows, the first of them by name."""
    tasks = list(dict.fromkeys(key.split(" · ")[0] for key in keys))
    return ", ".join([*tasks[:LISTED], *(["…"] if len(tasks) > LISTED else [])])
