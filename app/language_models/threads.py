"""How many threads a model on the CPU takes: as many as there are idle processors.

Threads of one operation wait for each other thousands of times a second. Where others want the processors, too, each
such wait can cost a turn of theirs: with two threads on two busy processors a small model wrote nothing in minutes
where one thread took seconds.
"""

import os

from app.language_models.libraries import torch_library


def idle_processors(processors: int, load: float) -> int:
    """Of so many processors those that a load leaves, at least one. Half a processor's load leaves it idle."""
    return min(processors, max(1, processors - round(load)))


def choose_threads() -> int:
    """Set torch's threads by how busy the machine is now, and return their number. OMP_NUM_THREADS overrules it."""
    torch = torch_library()
    if "OMP_NUM_THREADS" not in os.environ:
        allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        torch.set_num_threads(idle_processors(allowed, os.getloadavg()[0]))
    return int(torch.get_num_threads())
