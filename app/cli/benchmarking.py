"""``codejury benchmark …`` and ``codejury execute-study``: as runs in the foreground."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import check_target, load_settings, named_study, open_database
from app.cli.foreground import do_or_exit, open_for_runs
from app.cli.solution_runs import make_and_run, run_rest
from app.words import human_number, ngettext

if TYPE_CHECKING:
    from app.config import Settings
    from app.services.imports.uploads import KeptUpload
    from app.storage.engine import Database

cli = typer.Typer()
benchmarks = typer.Typer(no_args_is_help=True, help="Benchmarks: import one, or make a study of what models wrote.")
cli.add_typer(benchmarks, name="benchmark")


class LayoutName(StrEnum):
    """How the file is laid out."""

    HUMANEVAL = "humaneval"
    MBPP = "mbpp"
    EVALPLUS = "evalplus"
    OWN = "own"


@benchmarks.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(exists=True, readable=True, help="A file with problems, or a released folder of ReCode.")
    ],
    *,
    layout: Annotated[LayoutName | None, typer.Option(help="How the file is laid out; guessed without it.")] = None,
    name: Annotated[str | None, typer.Option(help="Of the benchmark; the file's name without it.")] = None,
    language: Annotated[str, typer.Option(help="Of all code in the file: python, java or javascript.")] = "python",
) -> None:
    """Import problems with tests, and run their canonical solutions: those that don't pass are listed.

    A folder (or a zip) with ReCode's perturbed files and the nominal ones becomes a perturbed set as it was released.
    """
    from app.services.benchmarks import import_benchmark, read_upload
    from app.services.benchmarks.guessing import guess_layout
    from app.services.imports.uploads import keep, local_files
    from app.services.perturbing import data_sets

    settings = load_settings()
    with open_for_runs(settings) as database:
        with local_files(file) as files:
            kept = keep(settings, files)
        if found := data_sets(settings, kept):
            _import_released(database, settings, kept, found, name)
            return
        chosen = layout.value if layout else guess_layout(settings, kept, language)
        read = read_upload(settings, kept, chosen, language)
        title = name or file.name.partition(".")[0]
        with database.write() as session:
            done = import_benchmark(session, settings, kept, read, name=title, actor="command line")
            slug, run_id = done.benchmark.slug, done.run.id if done.run else None
        if run_id is None:
            typer.echo("Everything in this file is there already. Nothing was added.")
            run_rest(database, settings, slug)
        else:
            number = len(read.rows)
            added = ngettext(
                "%(num)s problem was added.", "%(num)s problems were added.", number, num=human_number(number)
            )
            typer.echo(added)
            do_or_exit(database, settings, run_id)
    typer.echo(f"Benchmark: {slug}")


def _import_released(
    database: Database, settings: Settings, kept: KeptUpload, data_sets: list[str], name: str | None
) -> None:
    from app.cli.perturbing import tell_set
    from app.services.perturbing import import_released, read_released

    for data in data_sets:
        read = read_released(settings, kept, data)
        with database.write() as session:
            done = import_released(session, read, name=name, actor="command line")
            slug, run_id = done.benchmark.slug, done.run.id if done.run else None
        if run_id is None:
            typer.echo("Everything in this folder is there already. Nothing was added.")
        make_and_run(database, settings, slug, run_id)
        with database.read() as session:
            tell_set(session, slug)


@benchmarks.command()
def canonical(
    benchmark: Annotated[str, typer.Argument(help="Short name of the benchmark or perturbed set.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
) -> None:
    """Write the canonical solutions as a file for --backend replay: a model that is always right."""
    from app.services.benchmarks import find_benchmark
    from app.services.benchmarks.canonical import canonical_lines

    check_target(output, "--output")
    with open_database(load_settings()) as database, database.read() as session:
        lines = canonical_lines(session, find_benchmark(session, benchmark))
    output.write_text("".join(lines), encoding="utf-8")
    told = ngettext(
        "%(num)s solution was written to %(file)s.",
        "%(num)s solutions were written to %(file)s.",
        len(lines),
        num=human_number(len(lines)),
        file=output,
    )
    typer.echo(told)


@benchmarks.command("study")
def study(
    benchmark: Annotated[str, typer.Argument(help="Short name of the benchmark.")],
    *,
    title: Annotated[str, typer.Option(help="Of the new study.")],
    generation: Annotated[list[int], typer.Option(help="Number of a generation; can be repeated: each is a system.")],
    sample: Annotated[int, typer.Option(min=1, help="Which sample of each problem people see.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, max=2**63 - 1, help="Of the study; random without it.")] = None,
) -> None:
    """Make a study of prompts and completions, to be graded; its outputs are run against the tests."""
    from app.services.benchmarks import find_benchmark
    from app.services.benchmarks.to_study import make_study_of
    from app.services.generation.requests import find_generation

    settings = load_settings()
    with open_for_runs(settings) as database:
        with database.write() as session:
            found = find_benchmark(session, benchmark)
            chosen = [find_generation(session, each) for each in generation]
            about = {"title": title, "sample": sample - 1, "seed": seed}
            made, run = make_study_of(session, found, chosen, actor="command line", **about)  # type: ignore[arg-type]
            slug, run_id = made.slug, run.id
        typer.echo(f"Study: {slug}")
        do_or_exit(database, settings, run_id)


@cli.command("execute-study")
def execute_study(
    study: Annotated[str, typer.Argument(help="Short name of the study, as in its address.")],
) -> None:
    """Run a study's outputs against the tests of its problems; the verdicts become the metric Execution."""
    from app.services.execution.requests import request_study_execution

    settings = load_settings()
    with open_for_runs(settings) as database:
        with database.write() as session:
            run_id = request_study_execution(session, named_study(session, study)).id
        do_or_exit(database, settings, run_id)
