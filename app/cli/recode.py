"""``codejury recode``: ReCode's whole way from a benchmark's file to tables and surveys, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.environment import load_settings, make_folder
from app.cli.foreground import do_or_exit, open_for_runs
from app.cli.generating import PrecisionName, check_model
from app.cli.solution_runs import make_and_run, run_rest
from app.words import inert

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database

cli = typer.Typer()
ACTOR = "command line"


@cli.command()
def recode(
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="Problems, such as HumanEval.jsonl.")
    ],
    *,
    output: Annotated[Path, typer.Option(file_okay=False, help="Folder for tables.tex and csv/*.csv.")] = (
        Path("recode")
    ),
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many problems, from the file's first on.")] = None,
    name: Annotated[str | None, typer.Option(help="Of the benchmark; the file's name without it.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Of each random transformation.")] = 5,
    model: Annotated[
        str | None, typer.Option(help="A folder, a GGUF file, an id on the hub, or packaged:NAME.")
    ] = None,
    precision: Annotated[PrecisionName, typer.Option(help="Of the weights; auto: fp32 on a CPU.")] = (
        PrecisionName.AUTO
    ),
    max_tokens: Annotated[int, typer.Option(min=1, max=32_768, help="At most so many for each completion.")] = 256,
    checks: Annotated[bool, typer.Option(help="Score the changes by the automatic checks, too.")] = True,
) -> None:
    """Import a benchmark, perturb it, let the canonical solutions and a model answer, and write ReCode's tables.

    Also checks how natural the changes are and makes the survey that asks people. Each step is one of the commands
    that docs/recode.md tells. Given again, it does only what is new: more seeds, another model, what was cut off.
    """
    settings = load_settings()
    make_folder(output, "--output")
    spec = {"backend": "hugging_face", "name": model, "precision": precision.value} if model else None
    if model:
        check_model(model)
    with open_for_runs(settings) as database:
        parent = _import(database, settings, file, limit, name)
        made = _perturb(database, settings, parent, seeds)
        missing = _replay(database, settings, made)
        if spec is not None:
            missing += _ask(database, settings, made, spec, max_tokens)
        _tables(made, output)
        if checks:
            _check(database, settings, made)
        study = _survey(database, made)
    _tell_what_next(settings, made, study, output)
    if missing:
        raise typer.Exit(1)


def _step(about: str) -> None:
    typer.echo(inert(f"\n{about}"))


def _import(database: Database, settings: Settings, file: Path, limit: int | None, name: str | None) -> str:
    """The benchmark's short name."""
    from app.services.benchmarks import import_benchmark, read_upload
    from app.services.benchmarks.guessing import guess_layout
    from app.services.benchmarks.parts import first_rows, import_first
    from app.services.imports.uploads import keep, local_files

    _step(f"The problems of {file.name}")
    with local_files(file) as files:
        kept = keep(settings, files)
    read, title = read_upload(settings, kept, guess_layout(settings, kept)), name or file.name.partition(".")[0]
    part = first_rows(kept, read, limit, option="--limit") if limit else read
    with database.write() as session:
        store = import_first if limit else import_benchmark
        done = store(session, settings, kept, part, name=title, actor=ACTOR)
        slug, run_id = done.benchmark.slug, done.run.id if done.run else None
    if run_id is None:
        typer.echo("They are there already.")
        run_rest(database, settings, slug)
    else:
        do_or_exit(database, settings, run_id)
    return slug


def _perturb(database: Database, settings: Settings, slug: str, seeds: int) -> str:
    """The perturbed set's short name."""
    from app.cli.perturbing import tell_kept_seeds, tell_set
    from app.services.benchmarks import find_benchmark
    from app.services.perturbing import Wanted, set_of
    from app.services.perturbing.equipment import equip

    _step("The perturbed set")
    equip(settings)
    with database.write() as session:
        done = set_of(session, find_benchmark(session, slug), Wanted(seeds), actor=ACTOR)
        made, run_id = done.benchmark.slug, done.run.id if done.run else None
        tell_kept_seeds(done.benchmark, seeds)
    make_and_run(database, settings, made, run_id)
    with database.read() as session:
        tell_set(session, made)
    return made


def _replay(database: Database, settings: Settings, made: str) -> int:
    """How many of the canonical solutions could not be replayed."""
    from app.cli.generating import write_and_run
    from app.services.benchmarks import find_benchmark
    from app.services.generation.replaying import ask_canonical

    _step("The canonical solutions, replayed as a model")
    with database.write() as session:
        generation = ask_canonical(session, settings, find_benchmark(session, made), actor=ACTOR).id
    return write_and_run(database, settings, generation)


def _ask(database: Database, settings: Settings, made: str, spec: dict[str, Any], max_tokens: int) -> int:
    """How many completions the model could not be asked for."""
    from app.cli.generating import parameters_of, write_and_run
    from app.services.benchmarks import find_benchmark
    from app.services.generation.requests import create_once

    _step(f"The model {spec['name']}")
    wanted = parameters_of({"spec": spec, "label": spec["name"], "max_tokens": max_tokens})
    with database.write() as session:
        benchmark, trusted = find_benchmark(session, made), settings.models_with_code
        generation = create_once(session, benchmark, wanted, actor=ACTOR, trusted_models=trusted).id
    return write_and_run(database, settings, generation)


def _tables(made: str, output: Path) -> None:
    from app.cli.robustness import robustness

    _step("What the changes do")
    robustness(perturbed_set=made, latex=output / "tables.tex", csv=output / "csv")


def _check(database: Database, settings: Settings, made: str) -> None:
    from app.cli.naturalness import check_set

    _step("How alike the changes are, by automatic checks")
    if not check_set(database, settings, made):
        typer.echo("The checks that need what is missing are left out. `codejury check-changes` adds them later.")


def _survey(database: Database, made: str) -> str:
    """The short name of the study that asks people, made now or before."""
    from sqlalchemy import select

    from app.cli.naturalness import survey
    from app.services.benchmarks import find_benchmark
    from app.services.studies import LONGEST_TITLE, slugify
    from app.storage.models import Study

    _step("The survey that asks people")
    with database.read() as session:
        title = f"Are these prompts natural? {find_benchmark(session, made).name}"[:LONGEST_TITLE].strip()
        known = session.scalar(select(Study.slug).where(Study.slug == slugify(title), Study.set_slug == made))
    if known is None:
        survey(perturbed_set=made, title=title)
    else:
        typer.echo(f"Study: {known}, made before")
    return slugify(title)


def _tell_what_next(settings: Settings, made: str, study: str, output: Path) -> None:
    url = settings.public_url
    typer.echo(f"\nTables: {output / 'tables.tex'} and {output / 'csv' / '*.csv'}")
    typer.echo("While `codejury serve` runs:")
    typer.echo(f"  robustness     {url}/benchmarks/{made}/robustness")
    typer.echo(f"  the changes    {url}/benchmarks/{made}/perturbations")
    typer.echo(f"  their checks   {url}/benchmarks/{made}/naturalness")
    typer.echo(f"  ask people     {url}/studies/{study}/desk (open the study, then invite)")
