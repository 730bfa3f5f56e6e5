"""One fork server as the worker sees it: started, given one job at a time, ended for good."""

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess  # started with fixed arguments only  # nosec B404
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from app.execution import interpreter, languages
from app.execution.inside import wire
from app.execution.protocol import Tier

START_SECONDS = 60.0
JOBS_PREFIX = "codejury-jobs-"
INSIDE_PREFIX = "codejury-inside-"


class BrokenSandbox(Exception):
    """The sandbox could not be built, or failed while a job ran: our fault, never the program's."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the walls are made of."""

    tier: Tier
    bwrap: str | None = None

    @property
    def name(self) -> str:
        """As people read it."""
        if self.tier is Tier.NAMESPACES:
            return f"ns ({'bwrap' if self.bwrap else 'native'})"
        return self.tier.value


class Zygote:
    """A fork server and the connection to it. One thread at a time may use it."""

    def __init__(self, plan: Plan) -> None:
        found = interpreter.find()
        if found is None:
            raise BrokenSandbox("no Python 3.11 or newer that the sandbox's user can read")
        self.jobs = 0
        self.folder = _jobs_folder() if plan.tier in (Tier.LANDLOCK, Tier.NONE) else None
        self.connection, theirs = socket.socketpair()
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - close() closes it
        with _reachable() as inside:
            with theirs:
                self.process = _start(found, plan, theirs, self.errors, folder=self.folder, inside=inside)
            self.python = self._greeted()

    @property
    def pid(self) -> int:
        """Of the process that was started; the fork server may be its child."""
        return self.process.pid

    def judge(self, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """One job's report; BrokenSandbox where none comes in time."""
        self.jobs += 1
        try:
            self.connection.settimeout(seconds)
            self.connection.sendall(wire.pack(job))
            return self._receive(seconds)
        except (OSError, EOFError, wire.Malformed) as error:
            raise BrokenSandbox(f"{type(error).__name__}: {error} {self._last_words()}".strip()) from error

    def interrupt(self) -> None:
        """From any thread: whoever waits for a report is told that none comes, and the judge that it may leave."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """The end of the connection is the sign to leave; whoever doesn't take it is killed."""
        self.connection.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _greeted(self) -> str:
        try:
            greeting = self._receive(START_SECONDS)
        except (OSError, EOFError, wire.Malformed) as error:
            words = self._last_words()
            self.close()
            raise BrokenSandbox(words or f"it ended without a word ({type(error).__name__})") from error
        if "failed" in greeting:
            self.close()
            raise BrokenSandbox(str(greeting["failed"]))
        return str(greeting["ready"])

    def _receive(self, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        header = self._exactly(wire.HEADER.size, deadline)
        report: dict[str, Any] = wire.unpack(self._exactly(wire.length_of(header), deadline))
        return report

    def _exactly(self, length: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            ready, _, _ = select.select([self.connection], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError("no answer in time")
            part = self.connection.recv(length - len(parts))
            if not part:
                raise EOFError("the connection ended")
            parts += part
        return bytes(parts)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            size = os.fstat(self.errors.fileno()).st_size
            return os.pread(self.errors.fileno(), 1500, max(size - 1500, 0)).decode(errors="replace").strip()
        return ""


@contextlib.contextmanager
def _reachable() -> Iterator[str]:
    """The folder ``inside`` where the sandbox's user can bind it, until the fork server stands.

    Who starts as root gives up root's rights first, and then may no longer reach what lies in root's own home.
    """
    inside = Path(__file__).parent / "inside"
    if interpreter.user() is None:
        yield str(inside)
        return
    with tempfile.TemporaryDirectory(prefix=f"{INSIDE_PREFIX}{os.getpid()}-") as folder:
        Path(folder).chmod(0o755)  # nothing but our own files, which anybody may read
        shutil.copytree(inside, f"{folder}/inside", ignore=shutil.ignore_patterns("__pycache__"))
        yield f"{folder}/inside"


def _start(
    found: interpreter.Interpreter,
    plan: Plan,
    theirs: socket.socket,
    errors: IO[bytes],
    *,
    folder: str | None,
    inside: str,
) -> subprocess.Popen[bytes]:
    uid, gid = interpreter.user() or (None, None)
    config: dict[str, Any] = {"tier": plan.tier, "bwrap": plan.bwrap, "uid": uid, "gid": gid, "inside": inside}
    config |= {"readable": (*found.readable, *languages.readable()), "executables": languages.executables()}
    place = Path(__file__).parent
    return subprocess.Popen(  # noqa: S603 - the interpreter that was found, and our own file  # nosec B603
        [found.program, "-s", "-P", "-m", "inside.launch", json.dumps({**config, "parent": folder, "inner": False})],
        stdin=theirs.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env={**interpreter.ENVIRONMENT, "HOME": "/tmp", "PYTHONPATH": str(place)},  # noqa: S108 - the sandbox's own  # nosec B108
        cwd="/",
        start_new_session=True,  # Ctrl-C at a terminal is for whoever owns the sandbox
    )


def sweep() -> None:
    """Remove the jobs' folders of workers that are gone: a machine that lost its power tidies nothing."""
    users = {os.getuid(), *(interpreter.user() or ())}
    for folder in Path(tempfile.gettempdir()).glob(f"{JOBS_PREFIX}*-*"):
        with contextlib.suppress(OSError, ValueError):
            owner = int(folder.name.removeprefix(JOBS_PREFIX).partition("-")[0])
            if folder.lstat().st_uid in users and not _is_alive(owner):
                shutil.rmtree(folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _jobs_folder() -> str:
    folder = tempfile.mkdtemp(prefix=f"{JOBS_PREFIX}{os.getpid()}-")
    if found := interpreter.user():
        os.chown(folder, *found)
    return folder
