"""``codejury robustness``: what a perturbed set did to the models that were asked for it, told and as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import check_target, load_settings, make_folder, open_database
from app.cli.table_files import write_tables
from app.words import inert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from app.charts.tables import Table
    from app.services.robustness_results.views import View

cli = typer.Typer()


@cli.command()
def robustness(
    *,
    perturbed_set: Annotated[str, typer.Argument(metavar="SET", help="Short name of the perturbed set.")],
    second: Annotated[str, typer.Option(help="Another perturbed set, to be put beside it.")] = "",
    k: Annotated[int, typer.Option(min=1, max=1000, help="Samples to choose from.")] = 1,
    generation: Annotated[
        list[int] | None,
        typer.Option(help="Number of a generation; can be repeated. All that were asked everything without it."),
    ] = None,
    latex: Annotated[Path | None, typer.Option(help="Write all tables to this file; - for stdout.")] = None,
    csv: Annotated[Path | None, typer.Option(file_okay=False, help="Write each table to this folder.")] = None,
) -> None:
    """Print nominal pass@k, Robust Pass, Drop and Relative of each model, by category and by transformation.

    Files hold all tables of the page for every category; what breaks is that of the first one that is not the
    canonical solutions.
    """
    from app.perturbations import Category
    from app.services.perturbing import find_set
    from app.services.robustness_results.exhibits import no_results
    from app.services.robustness_results.views import Wanted, view_of

    if latex is not None and str(latex) != "-":
        check_target(latex, "--latex")
    if csv is not None:
        make_folder(csv, "--csv")
    wanted = Wanted(tuple(generation or ()), k=k, second=second)
    with open_database(load_settings()) as database, database.read() as session:
        made = find_set(session, perturbed_set)
        view = view_of(session, made, wanted)
        closer = [view_of(session, made, replace(wanted, closer=Category(each))) for each in view.measured]
    document = view.shown.document
    if not document["models"]:
        typer.echo(no_results(document), err=True)
        raise typer.Exit(1)
    _tell(view, to_stderr=str(latex) == "-")
    write_tables(list(_tables(view, closer)), latex, csv)


def _tell(view: View, *, to_stderr: bool) -> None:
    """The sentences, the tables in the paper's form and by transformation, the ceilings, what is left out."""
    from app.charts.robustness_samples import completeness, left_out
    from app.cli.text_tables import text_table
    from app.services.robustness_results.exhibits import summary_exhibits

    told = [
        each
        for each in summary_exhibits(view.shown)
        if each.name in ("robustness", "robustness-benchmarks", "robustness-map-drop")
    ]
    lines = [told[0].reading]
    for each in told:
        lines += [text_table(table) for table in each.tables if table.rows]
    lines += [*_ceilings(view.shown.document), *left_out(view.shown.document), completeness(view.shown.document)]
    typer.echo(inert("\n\n".join(lines)), err=to_stderr)


def _ceilings(document: Mapping[str, Any]) -> list[str]:
    """What the canonical solutions reach, which is the same for every model."""
    from app.charts.robustness_models import category_label

    found = {
        category: numbers["whole"]["ceiling"]
        for model in document["models"]
        for category, numbers in model["categories"].items()
    }
    parts = [
        f"{category_label(name)} {100 * each['value']:.2f} %"
        for name, each in found.items()
        if each is not None and each["value"] is not None
    ]
    return [f"Ceilings, Robust Pass of the canonical solutions: {', '.join(parts)}."] if parts else []


def _tables(view: View, closer: Sequence[View]) -> Iterator[Table]:
    """All that the page shows, with a closer look at each category."""
    from app.services.robustness_results.exhibits import closer_exhibits, summary_exhibits

    for exhibit in summary_exhibits(view.shown):
        yield from exhibit.tables
    for each in closer:
        for exhibit in closer_exhibits(each.shown):
            yield from exhibit.tables
