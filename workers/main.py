"""One worker: Celery's processes and, in the main one, the sweeper."""

import logging
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

import structlog
from celery import Celery, bootsteps, signals

from app import tracing
from app.config import Settings
from app.logs import adopt_libraries, configure_logging
from app.services.runs import broker, execute_for_message, sweeping, workers
from app.services.runs.processes import process_name
from app.storage import shared_time
from app.storage.engine import Database
from app.storage.traced import trace_statements
from workers.celery_app import make_celery
from workers.guard import die_with, ending_at_once
from workers.stall import Stall
from workers.sweeper import Sweeper

TASK = "runs.execute"

log = structlog.get_logger()


def run_worker(settings: Settings, queues: Sequence[str], concurrency: int) -> NoReturn:
    """Work until told to stop, then end this process."""
    configure_logging(settings.effective_log_level, settings.effective_log_form)
    _adopt_libraries(settings)
    tracing.begin(settings.otlp_endpoint, "worker")
    _warn_of_broker(settings)
    database = Database(settings.effective_database_url)
    shared_time.follow(database.engine)
    trace_statements(database.engine)
    celery = make_celery(settings)
    pool = "solo" if list(queues) == ["gpu"] else "prefork"
    concurrency = 1 if pool == "solo" else concurrency
    task = _add_task(celery, settings, database, expendable=pool == "prefork")

    def publish(run_id: int, queue: str) -> object:
        return task.apply_async(args=[run_id], queue=queue)

    # Over Redis each child has a channel of its own, and a broker that is away is no stuck pool.
    stall = Stall() if pool == "prefork" and settings.mode == "embedded" else None
    sweeper = Sweeper(database, queues, concurrency, publish, stall)
    celery.steps["worker"].add(_step_for(sweeper))
    _guard_children()
    # Celery warns root because of pickled messages; these are JSON and hold a number.
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    worker = celery.Worker(
        hostname=f"{queues[0]}-{os.getpid()}@%h",
        pool=pool,
        concurrency=concurrency,
        queues=list(queues),
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    _stop_sweeping_first(worker, sweeper)
    requests: list[str] = []
    signals.worker_shutting_down.connect(lambda sig, **_: requests.append(sig), weak=False)
    worker.start()
    _say_goodbye(database)
    # All is done; the pool's threads would only hold the exit up for seconds.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if requests else 1)


def _adopt_libraries(settings: Settings) -> None:
    """Celery's lines in our form. Embedded, only failures: how a stop is done helps nobody in a server's terminal."""
    level = logging.ERROR if settings.mode == "embedded" else logging.WARNING
    adopt_libraries(settings.effective_log_form, level)
    # Whoever listens to this keeps Celery from setting up lines of its own.
    signals.setup_logging.connect(lambda **_: None, weak=False)


def _warn_of_broker(settings: Settings) -> None:
    """Say what a team's broker may forget."""
    for shortcoming in broker.shortcomings(settings.broker_url) if settings.broker_url else ():
        log.warning("broker_shortcoming", remedy=shortcoming)


def _add_task(celery: Celery, settings: Settings, database: Database, *, expendable: bool) -> Any:
    # The engine of the main process has no connection open at a fork (the sweeper sees to it), so that each child
    # opens connections of its own with it.
    @celery.task(name=TASK)  # type: ignore[untyped-decorator]
    def execute_run(run_id: int) -> None:
        with ending_at_once() if expendable else nullcontext():
            execute_for_message(database, settings, run_id, expendable=expendable)

    return execute_run


def _step_for(sweeper: Sweeper) -> type:
    class Sweeping(bootsteps.StartStopStep):
        """Starts the sweeper when the pool stands, and stops it before the pool goes."""

        requires = ("celery.worker.components:Pool",)  # type: ignore[assignment]

        def start(self, _worker: object) -> None:
            sweeper.start()

        def stop(self, _worker: object) -> None:
            sweeper.stop()

        terminate = stop

    return Sweeping


def _stop_sweeping_first(worker: Any, sweeper: Sweeper) -> None:
    """A stopping worker ends its processes; its own sweeper must not take that for a crash, nor send more runs."""
    wait_for_runs = worker.wait_for_soft_shutdown

    def cease_and_wait() -> None:
        sweeper.cease()
        wait_for_runs()

    worker.wait_for_soft_shutdown = cease_and_wait


def _guard_children() -> None:
    main = os.getpid()

    def on_start(**_: object) -> None:
        if os.getpid() != main:
            die_with(main)
            sys.unraisablehook = _stop_quietly

    signals.worker_process_init.connect(on_start, weak=False)


def _stop_quietly(failure: "sys.UnraisableHookArgs") -> None:
    """Celery stops a child by raising SystemExit wherever it is; in a destructor that is no failure to report."""
    if not isinstance(failure.exc_value, SystemExit):
        sys.__unraisablehook__(failure)


def _say_goodbye(database: Database) -> None:
    """Pages learn at once that this worker is gone, and what it had to leave unfinished waits for the next one."""
    with database.write() as session:
        workers.leave(session, process_name())
        if left := sweeping.give_back(session):
            log.warning("runs_given_back", count=left)
    database.dispose()
