"""Canonical solutions are run after a benchmark or a set of it was stored; by the next command where one was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli.foreground import do_or_exit

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database


def make_and_run(database: Database, settings: Settings, slug: str, run_id: int | None) -> None:
    """The run that makes a set, if it is still to be made, and the one that runs its canonical solutions."""
    if run_id is None:
        run_rest(database, settings, slug)
    else:
        made = do_or_exit(database, settings, run_id)
        do_or_exit(database, settings, (made.result or {})["check"])


def run_rest(database: Database, settings: Settings, slug: str) -> None:
    """Run the canonical solutions, where an earlier command was cut before it had."""
    from app.services.benchmarks import find_benchmark
    from app.services.execution.opening import queue_of
    from app.services.execution.requests import unfinished_benchmark_execution

    with database.write() as session:
        found = find_benchmark(session, slug)
        run = unfinished_benchmark_execution(session, found, queue=queue_of(settings))
        run_id = run.id if run else None
    if run_id is not None:
        do_or_exit(database, settings, run_id)
