"""A run done by this very process, with its progress on standard error. Its row is a run's like any other."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer

from app.cli.environment import open_database
from app.words import inert

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database
    from app.storage.models import Run

SECONDS_BETWEEN_LOOKS = 0.25
SECONDS_BETWEEN_SWEEPS = 0.5
WIDTH = 78
INTERRUPTED = 130  # as shells say it


@contextmanager
def open_for_runs(settings: Settings) -> Iterator[Database]:
    """The database for a command that does runs. SIGTERM is as good as Ctrl-C, and what a killed process left waits
    again: without a server nobody else gives it back."""
    from app.services.runs import sweeping

    with open_database(settings) as database, _ending_politely():
        with database.write() as session:
            sweeping.take_back_lost(session, sweeping.PastLeases())
        yield database


@contextmanager
def _ending_politely() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def do_run(database: Database, settings: Settings, run_id: int) -> Run:
    """Do the run here, or watch it if a worker was quicker; the run as it ended. Ctrl-C cancels it."""
    from app.logs import configure_logging

    # As the web and its workers: on standard error, since what a command prints is its result.
    configure_logging(settings.effective_log_level, settings.effective_log_form)
    work = threading.Thread(target=_work, args=(database, settings, run_id))
    try:
        work.start()
        run = _watch(database, run_id, work)
    except KeyboardInterrupt:
        _cancel(database, run_id)
        run = _watch_the_end(database, run_id, work)
    work.join()
    return run


def _watch_the_end(database: Database, run_id: int, work: threading.Thread) -> Run:
    """The cancelled run as it ended. Who presses Ctrl-C again leaves at once, and the next command does the rest: an
    orderly end would wait for the thread that works, or tear from a library what it works with."""
    try:
        return _watch(database, run_id, work)
    except KeyboardInterrupt:
        typer.echo("Left at once. What was stored before stays.", err=True)
        os._exit(INTERRUPTED)


def do_or_exit(database: Database, settings: Settings, run_id: int, *, err: bool = False) -> Run:
    """The run that the command can't go on without: how it ended is told, and a failure ends the command.

    ``err``: its message goes to standard error even where it is done, as something else is the result.
    """
    run = do_run(database, settings, run_id)
    is_done = run.state == "done"
    typer.echo(inert(run.message), err=err or not is_done)
    if not is_done:
        raise typer.Exit(1)
    return run


def _work(database: Database, settings: Settings, run_id: int) -> None:
    """Do the run whenever it waits, until it has ended: it may be put back, and a worker that has it may be lost."""
    from app.services.runs import execute, sweeping

    watch = sweeping.Watch()
    while not _has_ended(_look(database, run_id)):
        if not execute(database, settings, run_id):
            with database.write() as session:
                sweeping.take_back_lost(session, watch)
            time.sleep(SECONDS_BETWEEN_SWEEPS)


def _watch(database: Database, run_id: int, work: threading.Thread) -> Run:
    while True:
        work.join(SECONDS_BETWEEN_LOOKS)
        run = _look(database, run_id)
        _tell("" if _has_ended(run) else _progress(run))
        if _has_ended(run):
            return run


def _look(database: Database, run_id: int) -> Run:
    from app.storage.models import Run

    with database.read() as session:
        return session.get_one(Run, run_id)


def _has_ended(run: Run) -> bool:
    return run.state not in ("queued", "running")


def _progress(run: Run) -> str:
    share = f"{run.done:,} of {run.total:,}" if run.total else f"{run.done:,}"
    return f"{share} {run.unit}  {run.message}" if run.done else run.message


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r" + inert(text.replace("\n", " "))[:WIDTH].ljust(WIDTH) + ("" if text else "\r"))
        sys.stderr.flush()


def _cancel(database: Database, run_id: int) -> None:
    from app.errors import Conflict
    from app.services.runs import cancel
    from app.storage.models import Run

    try:
        with database.write() as session:
            cancel(session, session.get_one(Run, run_id))
    except Conflict:
        pass  # it has ended meanwhile
