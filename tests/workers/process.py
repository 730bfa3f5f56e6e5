"""Real processes for tests: start them, wait for what they should do, kill them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from app.config import PROJECT_ROOT
from app.services.runs import enqueue
from app.services.runs.workers import live_workers
from app.storage.engine import Database
from app.storage.models import Run

Value = TypeVar("Value")


def wait_for(look: Callable[[], Value | None], what: str, seconds: float = 40) -> Value:
    """The first true answer of ``look``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := look():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"Waited {seconds} s for {what}.")


def children_of(pid: int) -> list[int]:
    """Processes whose parent is that one."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def command_of(pid: int) -> bytes:
    """What it was started with; nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def is_alive(pid: int) -> bool:
    """Whether that process still runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Launched:
    """``codejury`` with test handlers, in a process of its own, reading and writing under one folder."""

    module = "tests.workers.launch"

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module, *arguments],
            cwd=PROJECT_ROOT,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def family(self) -> list[int]:
        """The process and all below it."""
        found = [self.process.pid]
        for pid in found:
            found.extend(children_of(pid))
        return found

    def servers(self) -> list[int]:
        """Of several web processes those that answer requests (another one only looks after what they share)."""
        return [pid for pid in children_of(self.process.pid) if b"spawn_main" in command_of(pid)]

    def kill(self) -> None:
        """As the system does it when memory is out: no signal that could be handled."""
        self.process.kill()
        self.process.wait(10)

    def stop(self, by: int = signal.SIGTERM) -> str:
        """Ask it to stop; its output."""
        self.process.send_signal(by)
        return self.process.communicate(timeout=90)[0]

    def end(self) -> None:
        """Leave nothing behind, whatever the test did."""
        family = self.family()
        self.kill()
        for pid in family:
            wait_for(lambda pid=pid: not is_alive(pid), f"process {pid} to end")
        if self.process.stdout:
            self.process.stdout.close()


def ask(database: Database, kind: str, *, queue: str = "cpu", priority: int = 0, **payload: object) -> int:
    """A new run's number."""
    with database.write() as session:
        return enqueue(session, kind, payload, queue=queue, priority=priority).id


def run_of(database: Database, run_id: int) -> Run:
    """The run as it stands."""
    with database.read() as session:
        return session.get_one(Run, run_id)


def wait_for_state(database: Database, run_id: int, state: str, seconds: float = 40) -> Run:
    """The run once it is in that state."""

    def look() -> Run | None:
        run = run_of(database, run_id)
        return run if run.state == state else None

    return wait_for(look, f"run {run_id} to be {state}", seconds)


def wait_for_worker(database: Database) -> None:
    """Until a worker says that it lives."""

    def look() -> bool:
        with database.read() as session:
            return bool(live_workers(session))

    wait_for(look, "a worker")
