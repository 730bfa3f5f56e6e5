"""The judge's hold on the candidate: what it may use up, what it prints, how it ends."""

import contextlib
import os
import select
import shutil
import signal
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from . import wire

TICK = 0.05
HEAD, TAIL = 64 << 10, 1536
MOST_FILES, MOST_BYTES = 2048, 32 << 20
WORKER_GONE = 3
MIB = 1 << 20

Report = dict[str, Any]


@dataclass
class Child:
    """The candidate's process and this side's ends of its pipes."""

    pid: int
    socket: int
    stdout: int
    stderr: int


class Watch:
    """One job. ``conclude`` ends the judge's process with the one verdict, from wherever it is called."""

    def __init__(self, job: int, child: Child, limits: dict[str, Any], directory: str | None) -> None:
        self.job, self.child, self.limits, self.directory = job, child, limits, directory
        self.started = time.monotonic()
        self.strength = "judge"
        self.output, self.errors, self.printed = bytearray(), bytearray(), 0
        self.sought: tuple[bytes, ...] = ()  # words in what it prints as errors, of which only the end is kept
        self.has_said_them = False
        self.incoming = bytearray()
        self.poll = select.poll()
        for descriptor in (child.socket, child.stdout, child.stderr):
            self.poll.register(descriptor, select.POLLIN)
        signal.signal(signal.SIGALRM, lambda *_: self.check())
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)

    def begin(self, limits: dict[str, Any]) -> None:
        """From now on these limits hold, counted from now."""
        self.limits, self.started = limits, time.monotonic()

    def ask(self, do: str, arguments: dict[str, Any]) -> Report:
        """One request to the candidate and its reply, checked for being one."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            wire.send(self.child.socket, wire.pack({"do": do, "with": arguments}))
        reply = wire.unpack(self.frame())
        if not isinstance(reply, dict) or not ({"ok", "raise"} & reply.keys()):
            raise wire.Malformed("a reply that is none")
        return reply

    def check(self) -> None:
        """Every few moments: is anything used up, has the worker gone?"""
        cpu = time.clock_gettime((~self.child.pid << 3) | 2)
        if cpu > self.limits["cpu"]:
            self.conclude("timeout", f"more than {self.limits['cpu']:g} s of processor time", limit="cpu")
        if time.process_time() > self.limits["cpu"]:
            self.conclude(
                "timeout", f"tests that took more than {self.limits['cpu']:g} s of processor time", limit="cpu"
            )
        if time.monotonic() - self.started > self.limits["wall"]:
            self.conclude("timeout", f"more than {self.limits['wall']:g} s by the clock", limit="wall")
        if self.directory and _is_overfull(self.directory):
            self.conclude("error", "files of more than 32 MB, or too many of them", limit="files")
        if is_closed(self.job):
            self.vanish()

    def conclude(self, verdict: str, reason: str, limit: str | None = None) -> NoReturn:
        """Stop the candidate, and only then report."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        wall = time.monotonic() - self.started
        usage = self._stop()
        report = {
            "verdict": verdict,
            "reason": " ".join(reason.split())[:500],
            "limit": limit,
            "strength": self.strength,
            "stdout": self.output.decode(errors="replace"),
            "stderr": self.errors.decode(errors="replace"),
            "cpu": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss * 1024,
            "wall": wall,
        }
        wire.send(self.job, wire.pack(report))
        os._exit(0)

    def conclude_dead(self) -> NoReturn:
        """The candidate has let go of its connection, which is never a pass: say how it ended."""
        until = time.monotonic() + 1
        while (end := end_of(self.child.pid)) is None and time.monotonic() < until:
            time.sleep(0.002)
        self.conclude(*of_death(end))

    def vanish(self) -> NoReturn:
        """The worker is gone: leave nothing behind."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._stop()
        os._exit(WORKER_GONE)

    def frame(self) -> bytes:
        """One message of the candidate, unread so far."""
        while len(self.incoming) < wire.HEADER.size:
            self._wait()
        end = wire.HEADER.size + wire.length_of(bytes(self.incoming[: wire.HEADER.size]))
        while len(self.incoming) < end:
            self._wait()
        frame = bytes(self.incoming[wire.HEADER.size : end])
        del self.incoming[:end]
        return frame

    def rest(self, most: int) -> bytes:
        """All that the candidate still sends before it lets go of its connection."""
        while self._take():
            if len(self.incoming) > most:
                self.conclude("error", "it sent the judge more than anybody honest does", limit="output")
        return bytes(self.incoming)

    def drain_all(self) -> None:
        """The output that lies in the pipes."""
        for descriptor in (self.child.stdout, self.child.stderr):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                while self._drain(descriptor):
                    pass

    def _wait(self) -> None:
        if not self._take():
            self.conclude_dead()

    def _take(self) -> bool:
        """Take in whatever comes next: a part of a reply, or output. False where no reply will come any more."""
        for descriptor, _ in self.poll.poll():
            if descriptor != self.child.socket:
                self._drain(descriptor)
            elif part := _read(descriptor):
                self.incoming += part
            else:
                return False
        return True

    def _drain(self, descriptor: int) -> bool:
        part = _read(descriptor)
        if not part:
            with contextlib.suppress(KeyError):
                self.poll.unregister(descriptor)
            return False
        if descriptor == self.child.stdout:
            self.output += part[: max(HEAD - len(self.output), 0)]
        else:
            text = self.errors + part
            self.has_said_them = self.has_said_them or any(each in text for each in self.sought)
            self.errors = text[-TAIL:]
        self.printed += len(part)
        if self.printed > self.limits["output"]:
            self.limits["output"] = float("inf")  # what is left in the pipe may not end up here again
            self.conclude("error", "more output than is kept", limit="output")
        return True

    def _stop(self) -> Any:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGKILL)
        _, _, usage = os.wait4(self.child.pid, 0)
        self.limits["output"] = float("inf")
        self.drain_all()
        if self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)
        return usage


def is_closed(descriptor: int) -> bool:
    """Whether the other side of a connection has gone."""
    poll = select.poll()
    poll.register(descriptor, select.POLLRDHUP if hasattr(select, "POLLRDHUP") else 0)
    return bool(poll.poll(0))


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, MIB)
    except ConnectionResetError:
        return b""


def end_of(pid: int) -> tuple[bool, int] | None:
    """Whether a signal ended it, and which, or with which code it left; None while it runs."""
    result = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return (result.si_code != os.CLD_EXITED, result.si_status) if result else None


def of_death(end: tuple[bool, int] | None) -> tuple[str, str]:
    """The verdict on a program that ended before its tests were through, and why."""
    if end is None:
        return "error", "it closed its connection to the judge"
    by_signal, number = end
    if not by_signal:
        return "error", f"it left with code {number} before the tests were through"
    if number == signal.SIGKILL:
        return "memory", "the kernel killed it, most likely for want of memory"
    if number == signal.SIGXCPU:
        return "timeout", "the kernel stopped it at twice the allowed processor time"
    return "error", f"it crashed: {signal.strsignal(number)} (signal {number})"


def _is_overfull(directory: str) -> bool:
    """Counted without following or opening anything that the candidate made."""
    files = total = 0
    pending = [directory]
    while pending:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                files += 1
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                if files > MOST_FILES or total > MOST_BYTES:
                    return True
    return False
