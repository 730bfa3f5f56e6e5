"""Which process does what, named so that any process of the same machine can tell whether it still lives."""

import os
import socket
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def machine() -> str:
    """This machine since its start and, in a container, its space of process numbers: two may share a host name."""
    start = _read("/proc/sys/kernel/random/boot_id")[:8]
    space = Path("/proc/self/ns/pid")
    number = str(space.readlink()).strip("pid:[]") if space.exists() else ""
    return f"{socket.gethostname()[:64]}/{start}/{number}"


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:  # not Linux
        return ""


def process_name(pid: int | None = None) -> str:
    """A process of this machine."""
    return f"{machine()}:{os.getpid() if pid is None else pid}"


def is_surely_gone(name: str | None) -> bool:
    """Whether that process has certainly ended; one of another machine can't be judged from here.

    A number that was given to a new process reads as alive; leases end that doubt.
    """
    place, _, pid = (name or "").rpartition(":")
    if place != machine() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return _is_zombie(int(pid))


def _is_zombie(pid: int) -> bool:
    """A killed process whose parent hasn't noticed yet still has its number."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1] == ["Z"]
