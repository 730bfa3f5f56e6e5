"""The fork server: a warm interpreter that has never seen a job and forks a judge for each."""

import contextlib
import gc
import importlib
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from . import libc, runtimes, seccomp, wire
from .candidate import SOCKET, Candidate
from .judge import judge
from .runtime_judge import judge_runtime
from .walls import Walls
from .watch import WORKER_GONE, Child, Watch

CONNECTION = 0
FAILED = 4
# What programs import most; each is loaded once, here.
MODULES = """
    abc argparse array ast base64 bisect calendar cmath collections collections.abc contextlib copy csv dataclasses
    datetime decimal enum fractions functools hashlib heapq io itertools json linecache math numbers operator os
    pathlib queue random re shutil statistics string struct subprocess sys tempfile textwrap threading time traceback
    types typing unicodedata unittest zlib
"""


def serve(walls: Walls) -> NoReturn:
    """Let one judge take a job while the next gets ready, until whoever sends jobs is gone."""
    for name in MODULES.split():
        importlib.import_module(name)
    seccomp.warm()
    gc.collect()
    gc.freeze()
    wire.send(CONNECTION, wire.pack({"ready": sys.version.split()[0], "tier": walls.tier}))
    following = _ready(walls)
    while True:
        current = following
        current.turn()
        following = _ready(walls)
        if code := current.end():
            following.leave()
            _tidy(walls)
            os._exit(0 if code == WORKER_GONE else FAILED)


@dataclass
class Waiting:
    """A judge that builds its walls and then waits for its turn: only one at a time may read what is sent."""

    pid: int
    gate: int

    def turn(self) -> None:
        """The next job is this one's."""
        with contextlib.suppress(BrokenPipeError):  # it failed, as its end will tell
            os.write(self.gate, b"+")
        os.close(self.gate)

    def end(self) -> int:
        """Wait for its exit code."""
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def leave(self) -> None:
        """No turn will come."""
        os.close(self.gate)
        self.end()


def _ready(walls: Walls) -> Waiting:
    theirs, ours = os.pipe()
    if (child := os.fork()) == 0:
        os.close(ours)
        _judge_one(walls, theirs)
    os.close(theirs)
    return Waiting(child, ours)


def _tidy(walls: Walls) -> None:
    if walls.parent:
        shutil.rmtree(walls.parent, ignore_errors=True)


def _judge_one(walls: Walls, gate: int) -> NoReturn:
    libc.prctl(libc.PDEATHSIG, signal.SIGKILL)
    try:
        _prepare_and_judge(walls, gate)
    except EOFError:
        os._exit(WORKER_GONE)
    except BaseException:
        traceback.print_exc()
    os._exit(FAILED)


def _prepare_and_judge(walls: Walls, gate: int) -> NoReturn:
    job = os.dup(CONNECTION)
    os.dup2(1, 0)  # what is written and read there is nothing
    walls.around_judge()
    directory = tempfile.mkdtemp(dir=walls.parent) if walls.parent else None
    child = _fork_candidate(walls, directory)
    walls.narrow_judge(child.pid)
    try:
        if not os.read(gate, 1):
            raise EOFError
        request = wire.receive(job)
    except EOFError:
        os.kill(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
        if directory:
            Path(directory).rmdir()
        raise
    setup = {"memory": request["limits"]["memory"], "cpu": request["limits"]["cpu"], "runtime": request["runtime"]}
    wire.send(child.socket, wire.pack(setup))
    watch = Watch(job, child, request["limits"], directory)
    if request["runtime"]:
        judge_runtime(watch, request)
    judge(watch, request)


def _fork_candidate(walls: Walls, directory: str | None) -> Child:
    ours, theirs = socket.socketpair()
    out, out_theirs = os.pipe()
    err, err_theirs = os.pipe()
    if (pid := os.fork()) == 0:
        _be_candidate(walls, directory, theirs.fileno(), out_theirs, err_theirs)
    for descriptor in (theirs.detach(), out_theirs, err_theirs):
        os.close(descriptor)
    return Child(pid, ours.detach(), out, err)


def _be_candidate(walls: Walls, directory: str | None, connection: int, out: int, err: int) -> NoReturn:
    libc.prctl(libc.PDEATHSIG, signal.SIGKILL)
    try:
        for index, descriptor in enumerate((out, err, connection), start=1):
            os.dup2(os.dup(descriptor) if descriptor <= SOCKET else descriptor, index)
        os.closerange(SOCKET + 1, 256)
        setup: dict[str, Any] = wire.receive(SOCKET)
        random.seed(0)
        home = directory or "/tmp"  # noqa: S108 - this job's own  # nosec B108
        if setup["runtime"]:
            runtimes.serve(walls, home, setup)
        os.environ.update({"HOME": home, "TMPDIR": home})
        tempfile.tempdir = None
        walls.around_candidate(home, setup["memory"], setup["cpu"])
        Candidate().serve()
    except EOFError:
        os._exit(0)
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc()
    os._exit(FAILED)
