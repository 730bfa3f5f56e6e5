"""``codejury generate``: a model writes for a benchmark, and what it wrote is run, in the foreground."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.environment import load_settings
from app.cli.foreground import do_or_exit, open_for_runs
from app.words import inert

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.config import Settings
    from app.services.generation.parameters import GenerationParameters
    from app.storage.engine import Database

cli = typer.Typer()


class BackendName(StrEnum):
    """Who runs the model: transformers here, an OpenAI-compatible endpoint, or a file of completions."""

    HUGGING_FACE = "hugging_face"
    OPENAI = "openai"
    REPLAY = "replay"


class PrecisionName(StrEnum):
    """Of a model's weights: what the device is made for, or one of these."""

    AUTO = "auto"
    FP32 = "fp32"
    BF16 = "bf16"
    FP16 = "fp16"


@cli.command()
def generate(
    *,
    benchmark: Annotated[str, typer.Argument(help="Short name of the benchmark.")],
    model: Annotated[str, typer.Option(help="A folder, a GGUF file, an id on the hub, packaged:NAME, or a file.")],
    backend: Annotated[BackendName, typer.Option(help="Who runs the model.")] = BackendName.HUGGING_FACE,
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of an id on the hub.")] = None,
    precision: Annotated[PrecisionName, typer.Option(help="Of the weights; auto: fp32 on a CPU.")] = (
        PrecisionName.AUTO
    ),
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
    spec |= {"key_variable": key_variable, "precision": precision.value}
    spec = {key: each for key, each in spec.items() if each is not None}
    samples = _usual_samples(spec) if samples is None else samples
    values: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens, "chat": chat}
    values |= {"samples": samples, "seed": seed, "stop": tuple(stop or ()), "cut_rule": cut}
    values |= {"spec": spec, "label": label or model}
    values |= {"prompt_mode": "partial" if partial else "plain"}
    _generate(benchmark, parameters_of(values), one=one, execute=execute and not one)


def _usual_samples(spec: dict[str, Any]) -> int:
    from app.language_models import ModelError
    from app.services.generation.opening import usual_samples

    try:
        return usual_samples(load_settings(), spec)
    except ModelError as error:
        raise typer.BadParameter(inert(str(error)), param_hint="--model") from error


def parameters_of(values: dict[str, Any]) -> GenerationParameters:
    """What is asked of a model; a wrong value is told of the option that it came by."""
    from pydantic import ValidationError

    from app.cli.environment import in_words
    from app.services.generation.parameters import GenerationParameters

    try:
        return GenerationParameters.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"--{each}".replace("_", "-") for each in first["loc"][:1])
        raise typer.BadParameter(in_words(first["msg"]), param_hint=place or None) from error


def check_model(name: str) -> None:
    """Conflict where the model's files or the libraries are missing: better said before the work than after it."""
    from app.errors import Conflict
    from app.language_models import ModelError
    from app.language_models.libraries import torch_library, transformers_library
    from app.language_models.loading import find_files
    from app.language_models.spec import ModelSpec

    try:
        torch_library()
        transformers_library()
        find_files(ModelSpec("hugging_face", name))
    except ModelError as error:
        raise Conflict(str(error)) from error


def _generate(name: str, parameters: GenerationParameters, *, one: bool, execute: bool) -> None:
    settings = load_settings()
    with open_for_runs(settings) as database:
        with database.write() as session:
            generation_id = _created(session, settings, name, parameters)
        before = _written(database, generation_id)
        unwritten = write_and_run(database, settings, generation_id, one=one, execute=execute)
        if before and _written(database, generation_id) == before:
            typer.echo("This generation was there already: nothing new was written.")
        if one:
            _print_one(database, generation_id)
    typer.echo(f"Generation: {generation_id}")
    if unwritten:
        raise typer.Exit(1)


def _created(session: Session, settings: Settings, name: str, parameters: GenerationParameters) -> int:
    """One that was asked for in the same words goes on, where its file still holds the same."""
    from app.services.benchmarks import find_benchmark
    from app.services.generation.opening import present_signature
    from app.services.generation.requests import create_once

    trusted = settings.models_with_code
    benchmark = find_benchmark(session, name)
    signature = present_signature(settings, parameters.spec)
    actor = "command line"
    done = create_once(session, benchmark, parameters, actor=actor, trusted_models=trusted, signature=signature)
    return done.id


def write_and_run(
    database: Database, settings: Settings, generation_id: int, *, one: bool = False, execute: bool = True
) -> int:
    """Let the model write what is missing and run what has no verdict; how many samples it could not be asked for."""
    from app.services.execution.requests import request_generation_execution
    from app.services.generation.requests import find_generation, sample_one, start_generation

    with database.write() as session:
        run_id = (sample_one if one else start_generation)(session, find_generation(session, generation_id)).id
    do_or_exit(database, settings, run_id)
    if execute:
        with database.write() as session:
            run_id = request_generation_execution(session, find_generation(session, generation_id)).id
        do_or_exit(database, settings, run_id)
    unwritten = _unwritten(database, generation_id)
    if unwritten:
        words = "The generation's page says why; asking again asks for these only."
        typer.echo(f"Not written: {unwritten}. {words}", err=True)
    return unwritten


def _unwritten(database: Database, generation_id: int) -> int:
    """How many samples the model could not be asked for."""
    from app.services.generation.overview import standing_of
    from app.services.generation.requests import find_generation

    with database.read() as session:
        return standing_of(session, find_generation(session, generation_id)).failed


def _written(database: Database, generation_id: int) -> int:
    """How many samples are written."""
    from app.services.generation.overview import standing_of
    from app.services.generation.requests import find_generation

    with database.read() as session:
        return standing_of(session, find_generation(session, generation_id)).written


def _print_one(database: Database, generation_id: int) -> None:
    from sqlalchemy import select

    from app.storage.models import Completion

    with database.read() as session:
        first = select(Completion.text).where(Completion.generation_id == generation_id)
        typer.echo(inert(session.scalar(first.limit(1)) or ""))
