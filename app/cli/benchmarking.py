"""``codejury benchmark …``, ``codejury generate`` and ``codejury execute-study``: as runs in the foreground."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.environment import load_settings, named_study, open_database
from app.words import inert

if TYPE_CHECKING:
    from app.config import Settings
    from app.services.generation.parameters import GenerationParameters
    from app.services.imports.uploads import KeptUpload
    from app.storage.engine import Database
    from app.storage.models import Run

cli = typer.Typer()
benchmarks = typer.Typer(no_args_is_help=True, help="Benchmarks: import one, or make a study of what models wrote.")
cli.add_typer(benchmarks, name="benchmark")


class LayoutName(StrEnum):
    """How the file is laid out."""

    HUMANEVAL = "humaneval"
    MBPP = "mbpp"
    EVALPLUS = "evalplus"
    OWN = "own"


class BackendName(StrEnum):
    """Who runs the model: transformers here, an OpenAI-compatible endpoint, or a file of completions."""

    HUGGING_FACE = "hugging_face"
    OPENAI = "openai"
    REPLAY = "replay"


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
    with open_database(settings) as database:
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
        else:
            typer.echo(f"{len(read.rows):,} problems were added.")
            _do(database, settings, run_id)
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
        else:
            do_all(database, settings, run_id)
        with database.read() as session:
            tell_set(session, slug)


@benchmarks.command()
def canonical(
    benchmark: Annotated[str, typer.Argument(help="Short name of the benchmark or perturbed set.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", dir_okay=False, writable=True, help="File to write.")],
) -> None:
    """Write the canonical solutions as a file for --backend replay: a model that is always right."""
    from app.errors import InvalidInput
    from app.services.benchmarks import find_benchmark
    from app.services.benchmarks.canonical import canonical_lines

    with open_database(load_settings()) as database, database.read() as session:
        lines = list(canonical_lines(session, find_benchmark(session, benchmark)))
    if not lines:
        raise InvalidInput(f"{benchmark} has no canonical solutions.", remedy="Import it with canonical_solution.")
    output.write_text("".join(lines), encoding="utf-8")
    typer.echo(f"{len(lines):,} solutions were written to {output}.")


@cli.command()
def generate(
    *,
    benchmark: Annotated[str, typer.Argument(help="Short name of the benchmark.")],
    model: Annotated[str, typer.Option(help="A folder, a GGUF file, an id on the hub, packaged:NAME, or a file.")],
    backend: Annotated[BackendName, typer.Option(help="Who runs the model.")] = BackendName.HUGGING_FACE,
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of an id on the hub.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="Of an OpenAI-compatible server; ends in /v1.")] = None,
    key_variable: Annotated[str | None, typer.Option(help="Environment variable with the endpoint's key.")] = None,
    label: Annotated[str | None, typer.Option(help="What tables call it; the model's name without it.")] = None,
    temperature: Annotated[float, typer.Option(help="0 is greedy.")] = 0.0,
    top_p: Annotated[float, typer.Option(help="The share of probability that tokens are drawn from.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(help="At most so many for each completion.")] = 512,
    samples: Annotated[
        int | None,
        typer.Option("--samples", "-n", help="Of each problem; without it one, and of a file all that it holds."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides what is sampled.")] = 0,
    stop: Annotated[list[str] | None, typer.Option(help="Ends a completion; can be repeated.")] = None,
    cut: Annotated[
        str, typer.Option(help="Rule by which completions are cut: function, humaneval, fenced, none.")
    ] = ("function"),
    chat: Annotated[bool, typer.Option("--chat", help="Through the model's chat template.")] = False,
    partial: Annotated[bool, typer.Option("--partial", help="Show the model the visible half.")] = False,
    one: Annotated[bool, typer.Option("--one", help="One sample of the first problem only, and print it.")] = False,
    execute: Annotated[bool, typer.Option(help="Run the completions against the tests.")] = True,
) -> None:
    """Let a model write completions for a benchmark, and run them against its tests."""
    spec = {"backend": backend.value, "name": model, "revision": revision, "endpoint": endpoint}
    spec |= {"key_variable": key_variable}
    spec = {key: each for key, each in spec.items() if each is not None}
    samples = _usual_samples(spec) if samples is None else samples
    values: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens, "chat": chat}
    values |= {"samples": samples, "seed": seed, "stop": tuple(stop or ()), "cut_rule": cut}
    values |= {"spec": spec, "label": label or model}
    values |= {"prompt_mode": "partial" if partial else "plain"}
    _generate(benchmark, _parameters(values), one=one, execute=execute and not one)


def _usual_samples(spec: dict[str, Any]) -> int:
    from app.language_models import ModelError
    from app.services.generation.opening import usual_samples

    try:
        return usual_samples(load_settings(), spec)
    except ModelError as error:
        raise typer.BadParameter(inert(str(error)), param_hint="--model") from error


def _parameters(values: dict[str, Any]) -> GenerationParameters:
    from pydantic import ValidationError

    from app.cli.environment import in_words
    from app.services.generation.parameters import GenerationParameters

    try:
        return GenerationParameters.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"--{each}".replace("_", "-") for each in first["loc"][:1])
        raise typer.BadParameter(in_words(first["msg"]), param_hint=place or None) from error


def _generate(name: str, parameters: GenerationParameters, *, one: bool, execute: bool) -> None:
    from app.services.benchmarks import find_benchmark
    from app.services.execution.requests import request_generation_execution
    from app.services.generation.requests import create_generation, sample_one, start_generation

    settings = load_settings()
    with open_database(settings) as database:
        with database.write() as session:
            found = find_benchmark(session, name)
            trusted = settings.models_with_code
            generation = create_generation(session, found, parameters, actor="command line", trusted_models=trusted)
            run_id = (sample_one if one else start_generation)(session, generation).id
        _do(database, settings, run_id)
        if one:
            _print_one(database, generation.id)
        if execute:
            with database.write() as session:
                run_id = request_generation_execution(session, generation).id
            _do(database, settings, run_id)
        unwritten = _unwritten(database, generation.id)
    typer.echo(f"Generation: {generation.id}")
    if unwritten:
        typer.echo(
            f"Not written: {unwritten}. The generation's page says why; asking again asks for these only.", err=True
        )
        raise typer.Exit(1)


def _unwritten(database: Database, generation_id: int) -> int:
    """How many samples the model could not be asked for."""
    from app.services.generation.overview import standing_of
    from app.services.generation.requests import find_generation

    with database.read() as session:
        return standing_of(session, find_generation(session, generation_id)).failed


def _print_one(database: Database, generation_id: int) -> None:
    from sqlalchemy import select

    from app.storage.models import Completion

    with database.read() as session:
        first = select(Completion.text).where(Completion.generation_id == generation_id)
        typer.echo(inert(session.scalar(first.limit(1)) or ""))


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
    with open_database(settings) as database:
        with database.write() as session:
            found = find_benchmark(session, benchmark)
            chosen = [find_generation(session, each) for each in generation]
            about = {"title": title, "sample": sample - 1, "seed": seed}
            made, run = make_study_of(session, found, chosen, actor="command line", **about)  # type: ignore[arg-type]
            slug, run_id = made.slug, run.id
        typer.echo(f"Study: {slug}")
        _do(database, settings, run_id)


@cli.command("execute-study")
def execute_study(
    study: Annotated[str, typer.Argument(help="Short name of the study, as in its address.")],
) -> None:
    """Run a study's outputs against the tests of its problems; the verdicts become the metric Execution."""
    from app.services.execution.requests import request_study_execution

    settings = load_settings()
    with open_database(settings) as database:
        with database.write() as session:
            run_id = request_study_execution(session, named_study(session, study)).id
        _do(database, settings, run_id)


def do_all(database: Database, settings: Settings, run_id: int) -> None:
    """A run that makes a set, and the one that runs its canonical solutions."""
    made = _do(database, settings, run_id)
    _do(database, settings, (made.result or {})["check"])


def _do(database: Database, settings: Settings, run_id: int) -> Run:
    """The run, here; a failure ends the command."""
    from app.cli.foreground import do_run

    run = do_run(database, settings, run_id)
    typer.echo(inert(run.message), err=run.state != "done")
    if run.state != "done":
        raise typer.Exit(1)
    return run
