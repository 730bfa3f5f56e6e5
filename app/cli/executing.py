"""``codejury execute``: run samples of a benchmark against its tests, and count pass@k."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import check_target, load_settings, open_database
from app.words import inert

if TYPE_CHECKING:
    from app.config import Settings
    from app.execution.human_eval import Task
    from app.execution.protocol import Limits

cli = typer.Typer()

MEGABYTE = 1 << 20


@cli.command()
def execute(
    *,
    file: Annotated[
        Path, typer.Argument(help="Samples as JSONL, plain or .gz: task_id, and completion or a whole solution.")
    ],
    problems: Annotated[
        str, typer.Option(help="The benchmark: a file as HumanEval.jsonl is, or the name of an imported one.")
    ] = "humaneval",
    k: Annotated[str, typer.Option("--k", help="For which k, with commas.")] = "1,10,100",
    out: Annotated[
        Path | None, typer.Option(help="Where to write each sample's verdict; FILE_results.jsonl by default.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write over an existing file of results.")] = False,
    cpu: Annotated[float, typer.Option(help="Seconds of processor time that a program may take.")] = 10.0,
    wall: Annotated[float, typer.Option(help="Seconds that a program may take by the clock.")] = 30.0,
    memory: Annotated[int, typer.Option(help="Megabytes that a program may take.")] = 1024,
    jobs: Annotated[
        int | None, typer.Option(help="Programs at a time; by default one core is left to others.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Resamples of the problems for every interval.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the resamples.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run samples against a benchmark's tests in the sandbox: each verdict as JSONL, and pass@k with its interval."""
    from contextlib import closing

    from app.cli.executed import run
    from app.cli.execution_summary import Summary
    from app.execution.human_eval import read_samples
    from app.execution.json_lines import open_lines
    from app.services.execution.opening import open_for

    settings = load_settings()
    ks, limits = read_ks(k), read_limits(cpu, wall, memory)
    check_positive(draws, "--draws")
    check_positive(jobs, "--jobs")
    if seed < 0:
        raise typer.BadParameter("A seed is a whole number, 0 or greater.", param_hint="--seed")
    target = out or file.with_name(f"{file.name}_results.jsonl")
    if target.resolve() == file.resolve():
        raise typer.BadParameter("The results would be written over the samples.", param_hint="--out")
    check_results(target, may_replace=replace)
    tasks = tasks_in(problems, settings)
    with open_lines(file) as lines:
        samples = read_samples(lines, tasks, file.name)
    with closing(open_for(settings, jobs)) as runner:
        results = run(samples, limits, runner, target)
    summary = Summary(results, tasks, ks, draws=draws, seed=seed)
    typer.echo(summary.as_json() if json else inert(summary.in_words()))
    typer.echo(inert(f"Wrote {target}"), err=True)
    if summary.incomplete:
        raise typer.Exit(1)


def tasks_in(problems: str, settings: Settings) -> dict[str, Task]:
    """The tasks of a file, else of the imported benchmark with that name."""
    from app.execution.human_eval import read_tasks
    from app.execution.json_lines import open_lines
    from app.services.benchmarks import find_benchmark
    from app.services.benchmarks.tasks import tasks_of

    if (file := Path(problems)).exists() or file.suffix:
        with open_lines(file) as lines:
            return read_tasks(lines, file.name)
    with open_database(settings) as database, database.read() as session:
        return tasks_of(session, find_benchmark(session, problems))


def read_ks(text: str) -> list[int]:
    """The values of --k, each once, in order; wrong usage where one is no whole number from 1 on."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise typer.BadParameter(f"{text!r} is no list of whole numbers from 1 on, as 1,10,100.", param_hint="--k")
    return sorted({int(part) for part in parts})


def read_limits(cpu: float, wall: float, memory: int) -> Limits:
    """The limits of every program; wrong usage where one is not positive."""
    from app.execution.protocol import Limits

    for value, option in ((cpu, "--cpu"), (wall, "--wall"), (memory, "--memory")):
        check_positive(value, option)
    return Limits(cpu=cpu, wall=wall, memory=memory * MEGABYTE)


def check_positive(value: float | None, option: str) -> None:
    """Wrong usage where a number is given that is not finite and greater than 0."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter(f"{value:g} is no number greater than 0.", param_hint=option)


def check_results(target: Path, *, may_replace: bool) -> None:
    """Wrong usage where results can't be written, or would be written over others."""
    check_target(target, "--out")
    if target.exists() and not may_replace:
        raise typer.BadParameter(
            f"{str(target)!r} is there already; name another file, or add --replace.", param_hint="--out"
        )
