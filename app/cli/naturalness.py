"""``codejury survey`` and ``codejury check-changes``: whether a perturbed set's changes are natural."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import load_settings, open_database
from app.words import inert

if TYPE_CHECKING:
    from app.services.naturalness.drawing import DrawnSurvey

cli = typer.Typer()


@cli.command()
def survey(
    *,
    perturbed_set: Annotated[str, typer.Argument(metavar="SET", help="Short name of a perturbed set.")],
    title: Annotated[str, typer.Option(help="Of the study; annotators see it, too.")],
    unperturbed: Annotated[int, typer.Option(min=0, help="Prompts as they were, mixed with perturbed ones.")] = 100,
    perturbed: Annotated[int, typer.Option(min=0, help="Perturbed prompts, evenly from all categories.")] = 100,
    pairs: Annotated[int, typer.Option(min=0, help="Pairs of an original and what was made of it.")] = 100,
    annotators: Annotated[int, typer.Option(min=1, help="For each item.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws others.")] = 0,
    transformations: Annotated[str, typer.Option(help="Names with commas between; all without these.")] = "",
    separate: Annotated[bool, typer.Option("--separate", help="Two studies, one for each question.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Tell what would be drawn, and store nothing.")] = False,
) -> None:
    """Ask people about a perturbed set: a study of how natural its prompts are, and whether pairs mean the same."""
    from app.services.naturalness.drawing import draw_survey
    from app.services.naturalness.making import make_surveys
    from app.services.naturalness.spec import parse_survey
    from app.services.perturbing import find_set

    names = tuple(each.strip() for each in transformations.split(",") if each.strip())
    counts = {"unperturbed": unperturbed, "perturbed": perturbed, "pairs": pairs}
    spec = parse_survey({**counts, "annotators": annotators, "seed": seed, "transformations": names})
    with open_database(load_settings()) as database:
        with database.read() as session:
            _tell(draw_survey(session, find_set(session, perturbed_set), spec))
        if preview:
            return
        with database.write() as session:
            made = find_set(session, perturbed_set)
            studies = make_surveys(session, made, spec, title=title, separate=separate, actor="command line")
            slugs = [each.slug for each in studies]
    for slug in slugs:
        typer.echo(f"Study: {slug}")


def _tell(drawn: DrawnSurvey) -> None:
    for each in drawn.strata:
        taken = f"{each.perturbed:,} alone, {each.pairs:,} in pairs"
        typer.echo(inert(f"{each.transformation}: {taken}, of {each.available:,} changed prompts"))
    if drawn.shared:
        typer.echo(f"{drawn.shared:,} perturbed prompts are of problems whose own prompt is asked about, too.")
    counts = f"{len(drawn.unperturbed):,} unperturbed and {len(drawn.perturbed):,} perturbed prompts"
    typer.echo(f"{counts}, {len(drawn.pairs):,} pairs; digest {drawn.digest[:16]}")


@cli.command("check-changes")
def check_changes(
    *, perturbed_set: Annotated[str, typer.Argument(metavar="SET", help="Short name of a perturbed set.")]
) -> None:
    """Score by automatic checks how alike a set's changed prompts are to their originals; only what is missing."""
    from app.cli.foreground import do_run
    from app.services.naturalness.runs import request_checks
    from app.services.naturalness.scores import set_scores
    from app.services.perturbing import find_set

    settings = load_settings()
    with open_database(settings) as database:
        with database.write() as session:
            run_id = request_checks(session, find_set(session, perturbed_set)).id
        run = do_run(database, settings, run_id)
        typer.echo(run.message, err=True)
        if run.state != "done":
            raise typer.Exit(1)
        with database.read() as session:
            found = set_scores(session, find_set(session, perturbed_set))
    for each in found.transformations:
        typer.echo(
            inert(f"{each['stratum']}: {each['check']} {each['mean']['value']:.4f} over {each['pairs']:,} pairs")
        )
