"""Web processes that keep to one core each, where together they fill the machine.

Threads of one process compute in turns. Where the system has them do so on several cores, a turn begins far from what
the one before had at hand, which costs the processor time (benchmarks/grading_load.py tells, --roam or not).
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import TextIO

# Held as long as the process lives: a process that takes a dead one's place finds its core free.
_held: list[TextIO] = []


def offer_cores(folder: Path, processes: int) -> None:
    """Lay out places for that many processes, on each core as many as on any other.

    None where there are fewer processes than cores: the system knows better then which are idle.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if cores and processes >= len(cores):
        for place in range(processes):
            (folder / f"{place}.core").write_text(str(cores[place % len(cores)]), encoding="ascii")


def keep_to_a_core(folder: Path) -> None:
    """Take a place that no other process has, if there is one. Before any thread is started: those follow."""
    for path in sorted(folder.glob("*.core")):
        file = path.open(encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        with suppress(OSError):  # where that is forbidden, or the core was taken away: it is only about speed
            os.sched_setaffinity(0, {int(file.read())})
        _held.append(file)
        return
