"""``codejury worker``."""

import os
from enum import StrEnum
from typing import Annotated

import typer

from app.cli.environment import load_settings, open_database, prepare_data_dir

cli = typer.Typer()


class Queue(StrEnum):
    """What a worker takes: computations, what needs a graphics card, or what goes to the sandbox's host."""

    CPU = "cpu"
    GPU = "gpu"
    RUNNER = "runner"


@cli.command()
def worker(
    queues: Annotated[
        list[Queue] | None, typer.Option("--queue", "-q", help="What to take; can be repeated.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many runs at the same time.")] = 2,
    parent: Annotated[int | None, typer.Option(hidden=True, help="End when this process ends.")] = None,
) -> None:
    """Do the work in the background. BROKER_URL and DATABASE_URL say for whom; without them, for this data folder."""
    # Before Celery is imported: a polite stop gives runs a moment, then puts them back, instead of waiting for hours.
    os.environ["REMAP_SIGTERM"] = "SIGQUIT"
    from workers.guard import die_with
    from workers.main import run_worker

    if parent is not None:
        die_with(parent)
    settings = load_settings()
    prepare_data_dir(settings)
    with open_database(settings):
        pass  # the schema is right, or the reason why not was told
    run_worker(settings, [queue.value for queue in queues or [Queue.CPU]], concurrency)
