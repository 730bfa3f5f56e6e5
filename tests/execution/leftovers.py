"""What ended programs could leave behind, as seen from outside."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from app.execution.runner import Sandbox

PATIENCE = 5.0


def descendants(roots: Iterable[int]) -> set[int]:
    """These processes and all that came from them, at this moment."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    found, pending = set(), list(roots)
    while pending:
        pid = pending.pop()
        if Path(f"/proc/{pid}").exists():
            found.add(pid)
        pending += children.get(pid, [])
    return found


def waiting(runner: Sandbox) -> int:
    """Processes of a fork server that waits for work: itself, the next two judges, their candidates, its walls'."""
    if runner.plan.bwrap:
        return 8  # the launcher, bwrap outside and inside
    return {"ns": 6, "landlock": 5}[runner.tier.value]


def is_settled(runner: Sandbox) -> bool:
    """Whether nothing of the jobs that ended is left."""
    zygotes = runner.processes()
    return len(descendants(zygotes)) == waiting(runner) * len(zygotes) and not files(runner)


def files(runner: Sandbox) -> list[Path]:
    """In the folders of the jobs; each fork server keeps two empty folders for the next."""
    folders = [Path(slot.zygote.folder) for slot in runner.slots if slot.zygote and slot.zygote.folder]
    return [path for folder in folders for path in folder.glob("*/**/*")] + [
        path for folder in folders for path in list(folder.iterdir())[2:]
    ]


def connections() -> int:
    """Open descriptors of this very process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def soon(condition: Callable[[], bool]) -> bool:
    """Whether it comes true while the kernel still clears away."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
