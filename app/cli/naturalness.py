"""``codejury survey``, ``check-changes`` and ``naturalness``: whether a perturbed set's changes are natural."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import check_target, load_settings, make_folder, open_database
from app.cli.table_files import write_tables
from app.words import human_number, inert, ngettext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.charts.exhibit import Exhibit
    from app.config import Settings
    from app.services.dashboards.naturalness_of_sets import OfSet
    from app.services.naturalness.drawing import DrawnSurvey
    from app.storage.engine import Database

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
    from app.services.naturalness.making import make_surveys, titles_of
    from app.services.naturalness.spec import parse_survey
    from app.services.perturbing import find_set
    from app.services.studies import check_free, new_study_slug

    slugs = [new_study_slug(each) for each in titles_of(title, separate=separate)]
    names = tuple(each.strip() for each in transformations.split(",") if each.strip())
    counts = {"unperturbed": unperturbed, "perturbed": perturbed, "pairs": pairs}
    spec = parse_survey({**counts, "annotators": annotators, "seed": seed, "transformations": names})
    with open_database(load_settings()) as database:
        with database.read() as session:
            for slug in () if preview else slugs:
                check_free(session, slug)
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
        changed = ngettext(
            "%(num)s changed prompt", "%(num)s changed prompts", each.available, num=human_number(each.available)
        )
        typer.echo(inert(f"{each.transformation}: {taken}, of {changed}"))
    if drawn.shared:
        shared = ngettext(
            "%(num)s perturbed prompt is of a problem whose own prompt is asked about, too.",
            "%(num)s perturbed prompts are of problems whose own prompt is asked about, too.",
            drawn.shared,
            num=human_number(drawn.shared),
        )
        typer.echo(shared)
    number = len(drawn.perturbed)
    perturbed = ngettext("%(num)s perturbed prompt", "%(num)s perturbed prompts", number, num=human_number(number))
    pairs = _pairs(len(drawn.pairs))
    typer.echo(f"{len(drawn.unperturbed):,} unperturbed and {perturbed}, {pairs}; digest {drawn.digest[:16]}")


def _pairs(number: int) -> str:
    return ngettext("%(num)s pair", "%(num)s pairs", number, num=human_number(number))


@cli.command("check-changes")
def check_changes(
    *, perturbed_set: Annotated[str, typer.Argument(metavar="SET", help="Short name of a perturbed set.")]
) -> None:
    """Score by automatic checks how alike a set's changed prompts are to their originals; only what is missing."""
    from app.cli.foreground import open_for_runs

    settings = load_settings()
    with open_for_runs(settings) as database:
        if not check_set(database, settings, perturbed_set):
            raise typer.Exit(1)


def check_set(database: Database, settings: Settings, slug: str) -> bool:
    """Score what is missing, and tell the means of all that has a score; whether every check could be made."""
    from app.cli.foreground import do_run
    from app.services.naturalness.runs import request_checks
    from app.services.naturalness.scores import set_scores
    from app.services.perturbing import find_set

    with database.write() as session:
        run_id = request_checks(session, find_set(session, slug)).id
    run = do_run(database, settings, run_id)
    typer.echo(inert(run.message), err=True)
    with database.read() as session:
        found = set_scores(session, find_set(session, slug))
    for each in found.transformations:
        mean, pairs = each["mean"]["value"], _pairs(each["pairs"])
        typer.echo(inert(f"{each['stratum']}: {each['check']} {mean:.4f} over {pairs}"))
    return run.state == "done"


@cli.command()
def naturalness(
    *,
    perturbed_set: Annotated[str, typer.Argument(metavar="SET", help="Short name of a perturbed set.")],
    second: Annotated[str, typer.Option(help="Another perturbed set, to be put beside it.")] = "",
    latex: Annotated[Path | None, typer.Option(help="Write all tables to this file; - for stdout.")] = None,
    csv: Annotated[Path | None, typer.Option(file_okay=False, help="Write each table to this folder.")] = None,
) -> None:
    """Print what people and automatic checks say of a set's changes, and which check predicts people.

    Of people: the surveys of the set that were measured (codejury agreement). Of checks: codejury check-changes.
    """
    from app.services.dashboards import naturalness_of_sets as results
    from app.services.perturbing import find_set

    if latex is not None and str(latex) != "-":
        check_target(latex, "--latex")
    if csv is not None:
        make_folder(csv, "--csv")
    with open_database(load_settings()) as database, database.read() as session:
        known = results.of_set(session, find_set(session, perturbed_set))
        other = results.beside_it(session, known.made, second)
        exhibits = results.sets_exhibits(known, other)
    if not exhibits:
        typer.echo(inert(_nothing_yet(known)), err=True)
        raise typer.Exit(1)
    unlike = [f"Checked by different versions: {name}." for name in results.unlike_checks(known, other)]
    notes = [*_unmeasured(known), *results.partly_checked(known), *results.lacking(other), *unlike]
    _tell_results(exhibits, notes, to_stderr=str(latex) == "-")
    write_tables([table for each in exhibits for table in each.tables], latex, csv)


def _nothing_yet(known: OfSet) -> str:
    """Why there is nothing to tell, and what comes next."""
    if not known.surveys:
        return "Nobody has been asked about this set, and its changes have not been checked."
    return "\n".join(
        [*_unmeasured(known), f"The set's changes have not been checked: codejury check-changes {known.made.slug}"]
    )


def _unmeasured(known: OfSet) -> list[str]:
    """The surveys of the set whose grades no measurement has counted."""
    return [
        f"{study.title}: not measured yet. Once people have graded: codejury agreement {study.slug}"
        for study, stored in known.surveys
        if stored is None
    ]


def _tell_results(exhibits: Sequence[Exhibit], notes: Sequence[str], *, to_stderr: bool) -> None:
    """Each sentence with its tables."""
    from app.cli.text_tables import text_table

    lines = [*notes]
    for each in exhibits:
        lines += [f"{each.title}\n{each.reading}", *(text_table(table) for table in each.tables if table.rows)]
    typer.echo(inert("\n\n".join(lines)), err=to_stderr)
