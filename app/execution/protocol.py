"""What is run, within which limits, and what came of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Verdict(StrEnum):
    """What became of one program. Only ``PASSED`` is for a model; the last two are neither for nor against it."""

    PASSED = "passed"
    FAILED = "failed"  # a test's assertion did not hold
    ERROR = "error"  # an exception, a syntax error, an exit, a crash, a flood of output
    TIMEOUT = "timeout"
    MEMORY = "memory"
    BLOCKED = "blocked"  # it reached for what the sandbox forbids
    SANDBOX_ERROR = "sandbox_error"  # our fault, twice
    NOT_RUN = "not_run"  # no wall stands on this machine, or there is nothing to run


COUNTED = frozenset(Verdict) - {Verdict.SANDBOX_ERROR, Verdict.NOT_RUN}


class Tier(StrEnum):
    """Which wall stood around the program."""

    NAMESPACES = "ns"
    LANDLOCK = "landlock"
    NONE = "none"


class Strength(StrEnum):
    """Whether the tests ran in a process of their own, out of the program's reach."""

    JUDGE = "judge"
    IN_PROCESS = "in_process"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one program. Times in seconds, sizes in bytes."""

    cpu: float = 10.0
    wall: float = 30.0
    memory: int = 1 << 30
    output: int = 16 << 20


@dataclass(frozen=True, slots=True)
class Program:
    """A candidate and the tests that judge it.

    ``source`` is all that the candidate runs (the prompt and its completion). ``helpers`` is trusted source that the
    tests need around them (the data set's prompt). ``tests`` is trusted: it defines ``check(candidate)``, or asserts
    by itself, calling ``entry_point``.
    """

    source: str
    tests: str
    entry_point: str | None
    helpers: str = ""
    language: str = "python"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on one program and what a person needs to understand it."""

    verdict: Verdict
    reason: str  # one line: the assertion, the exception's class and message, which limit
    stderr: str  # its end, at most 1.5 KB, with what can't be stored replaced
    stdout: str
    tier: Tier | None  # None where nothing ran
    strength: Strength | None
    cpu_seconds: float
    wall_seconds: float
    memory_bytes: int
    limits: Limits
    runtime: str  # what ran it, as a signature: "python:3.11.7|sandbox:1"


class Runner(Protocol):
    """Whatever runs programs: a sandbox in this process' care, or the runner service behind its socket."""

    tier: Tier

    def run(self, program: Program) -> Outcome:
        """Run one program to its verdict. Never raises for what the program does."""
        ...

    def run_all(self, programs: Iterable[Program]) -> Iterator[Outcome]:
        """Outcomes in the order of the programs, several run at once, none waited for that isn't needed yet."""
        ...

    def close(self) -> None:
        """End every process that was started."""
        ...
