"""No process outlives what it works for, not even when that was killed without a word."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOOK_SECONDS = 0.5
# What a pool sends to its processes: the latter where it lets no run finish (see REMAP_SIGTERM in Celery's manual).
ENDINGS = (signal.SIGTERM, signal.SIGQUIT)


def die_with(parent: int) -> None:
    """End this process at once when ``parent`` is no longer its parent. A run cut short is taken back by its row."""
    threading.Thread(target=_watch, args=(parent,), name="guard", daemon=True).start()


@contextmanager
def ending_at_once() -> Iterator[None]:
    """While a run is done: have this process end where it stands when it is told to stop, as if it were killed.

    Celery's way is an exception at any point of whatever runs, which can come in the middle of a commit and be taken
    for a failure of the run. A run cut short is given back by its row. Between runs it is Celery's own again: there
    the process holds locks that it shares with its siblings, and must let go of them.
    """
    before = {each: signal.signal(each, lambda *_: os._exit(1)) for each in ENDINGS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
