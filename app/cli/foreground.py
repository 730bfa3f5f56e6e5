"""A run done by this very process, with its progress on standard error. Its row is a run's like any other."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from app.words import inert

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database
    from app.storage.models import Run

SECONDS_BETWEEN_LOOKS = 0.25
WIDTH = 78


def do_run(database: Database, settings: Settings, run_id: int) -> Run:
    """Do the run here, or watch it if a worker was quicker; the run as it ended. Ctrl-C cancels it."""
    from app.services.runs import execute

    work = threading.Thread(target=execute, args=(database, settings, run_id))
    work.start()
    try:
        run = _watch(database, run_id, work)
    except KeyboardInterrupt:
        _cancel(database, run_id)
        run = _watch(database, run_id, work)
    work.join()
    return run


def _watch(database: Database, run_id: int, work: threading.Thread) -> Run:
    from app.storage.models import Run

    while True:
        work.join(SECONDS_BETWEEN_LOOKS)
        with database.read() as session:
            run = session.get_one(Run, run_id)
        ended = run.state not in ("queued", "running")
        _tell("" if ended else _progress(run))
        if ended:
            return run


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
