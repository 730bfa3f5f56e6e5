"""How many threads a model on the CPU takes: as many as others leave processors idle.

Threads of one operation wait for each other thousands of times a second. Where others want the processors, too, each
such wait can cost a turn of theirs: with two threads on two busy processors a small model wrote nothing in minutes
where one thread took seconds. Others come and go while a model writes for hours, so it is chosen anew now and then.
"""

import os
import time
from dataclasses import dataclass
from importlib import import_module

from app.language_models.libraries import torch_library

# Shorter looks say little: processors are counted in hundredths of a second, and one batch is busy in places only.
SECONDS_BETWEEN = 3.0


@dataclass(frozen=True, slots=True)
class Look:
    """Seconds by the clock, of all processors at work, and of this process at work, all since some beginning."""

    clock: float
    all_busy: float
    own: float

    @classmethod
    def now(cls) -> "Look":
        """How it stands on this machine."""
        times = import_module("psutil").cpu_times()  # comes with torch's extra, as torch does
        busy = times.user + times.system + sum(getattr(times, name, 0.0) for name in ("nice", "irq", "softirq"))
        return cls(time.monotonic(), busy, time.process_time())

    def load_since(self, earlier: "Look") -> float:
        """How many processors others kept busy since then, on average."""
        others = (self.all_busy - earlier.all_busy) - (self.own - earlier.own)
        return max(0.0, others) / (self.clock - earlier.clock)


class Threads:
    """Torch's threads in this process while a model writes."""

    def __init__(self) -> None:
        self._before = Look.now()

    def adjust(self) -> None:
        """Take what others left idle since the last time. Called by the thread that asks: the number is its own."""
        now = Look.now()
        if now.clock - self._before.clock >= SECONDS_BETWEEN:
            _set(now.load_since(self._before))
            self._before = now


def idle_processors(processors: int, load: float) -> int:
    """Of so many processors those that a load leaves, at least one. Half a processor's load leaves it idle."""
    return min(processors, max(1, processors - round(load)))


def choose_threads() -> int:
    """Set torch's threads by how busy the machine was in the last minute, and return their number."""
    _set(os.getloadavg()[0])
    return int(torch_library().get_num_threads())


def _set(load: float) -> None:
    """OMP_NUM_THREADS overrules it."""
    if "OMP_NUM_THREADS" not in os.environ:
        allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        torch_library().set_num_threads(idle_processors(allowed, load))
