"""What each process of a job may do, tier by tier."""

import contextlib
import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass

from . import landlock, libc, namespaces, seccomp

FILE_SIZE, OPEN_FILES, THREADS = 16 << 20, 64, 64
RUNTIME_THREADS = 256
SPARE = 64 << 20  # above the soft limit, so that a program out of memory can still be told so
LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-linux-armhf.so.3")
DEVICES = tuple(f"/dev/{name}" for name in namespaces.DEVICES)


@dataclass(frozen=True)
class Walls:
    """How this sandbox is built."""

    tier: str  # ns, landlock, none
    readable: tuple[str, ...]
    parent: str | None  # the folder of the jobs' folders, where no private /tmp can be had
    landlock_abi: int
    executables: tuple[str, ...] = ()  # of other languages, and what the kernel starts them with

    def around_judge(self) -> None:
        """Before the candidate is born: what it inherits."""
        if self.tier == "ns":
            namespaces.for_job()
        if self.tier == "landlock":
            own = [self.parent] if self.parent else []
            landlock.restrict(self.landlock_abi, self.readable, own, DEVICES, self.executables)

    def narrow_judge(self, candidate: int) -> None:
        """After the candidate is born, its judge needs no rights either; it must be able to end the candidate."""
        if self.tier != "none":
            libc.drop_capabilities()
            seccomp.install_here([candidate])

    def around_candidate(self, directory: str, memory: int, cpu: float) -> None:
        """The last thing before a stranger's program is read."""
        _limit(memory, cpu, threads=self.tier == "ns")
        os.chdir(directory)
        if self.tier == "none":
            return
        libc.drop_capabilities()
        if self.landlock_abi:
            landlock.restrict(self.landlock_abi, self._candidate_reads(), [directory], DEVICES)
        seccomp.install_here()

    def around_runtime(self, directory: str, executables: Sequence[str]) -> None:
        """For a program in another language: all but the filter of system calls, which comes last."""
        os.chdir(directory)
        if self.tier == "none":
            return
        libc.drop_capabilities()
        if self.landlock_abi:
            started = [path for path in self.executables if path in executables or path in LOADERS]
            landlock.restrict(self.landlock_abi, self._candidate_reads(), [directory], DEVICES, started)

    def limit_runtime(self, memory: int, cpu: float) -> None:
        """Its address space is mostly reserved and never used, so that only what it may write to is limited."""
        limits = _limits(cpu) | {resource.RLIMIT_DATA: (memory, memory)}
        _set(limits | ({resource.RLIMIT_NPROC: (RUNTIME_THREADS, RUNTIME_THREADS)} if self.tier == "ns" else {}))

    def _candidate_reads(self) -> Sequence[str]:
        return ["/"] if self.tier == "ns" else self.readable


def _limit(memory: int, cpu: float, *, threads: bool) -> None:
    limits = {resource.RLIMIT_AS: (memory, memory + SPARE)} | _limits(cpu)
    if threads:  # elsewhere it would count whatever else this user runs
        limits[resource.RLIMIT_NPROC] = (THREADS, THREADS)
    _set(limits)


def _limits(cpu: float) -> dict[int, tuple[int, int]]:
    return {
        resource.RLIMIT_CPU: (int(cpu * 2) + 1, int(cpu * 2) + 2),
        resource.RLIMIT_FSIZE: (FILE_SIZE, FILE_SIZE),
        resource.RLIMIT_NOFILE: (OPEN_FILES, OPEN_FILES),
        resource.RLIMIT_CORE: (0, 0),
    }


def _set(limits: dict[int, tuple[int, int]]) -> None:
    for name, pair in limits.items():
        with contextlib.suppress(ValueError):  # a lower one holds already
            resource.setrlimit(name, pair)
