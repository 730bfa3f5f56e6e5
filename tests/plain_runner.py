"""A runner without any wall, for tests of what is done with verdicts: each program in a Python of its own.

Only for programs that the tests themselves wrote.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator

from app.execution.protocol import Outcome, Program, Strength, Tier, Verdict

KNOWN = {"AssertionError": Verdict.FAILED}


class PlainRunner:
    """Runs programs one after the other, and counts them."""

    tier = Tier.NONE

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.closed = False

    def run(self, program: Program) -> Outcome:
        """The program, the tests' helpers behind it, and the tests."""
        self.programs.append(program)
        source = f"{program.source}\n{program.tests}\n"
        if "def check(" in program.tests:
            source += f"check({program.entry_point})\n"
        done = subprocess.run(
            [sys.executable, "-I", "-c", source], capture_output=True, text=True, check=False, timeout=60
        )
        last = (done.stderr.strip().splitlines() or [""])[-1]
        verdict = Verdict.PASSED if done.returncode == 0 else KNOWN.get(last.partition(":")[0], Verdict.ERROR)
        said = ("", "", done.stdout) if verdict is Verdict.PASSED else (last, done.stderr[-1500:], done.stdout)
        runtime = f"python:{sys.version.split()[0]}|plain:1"
        return Outcome(verdict, *said, self.tier, Strength.IN_PROCESS, 0.1, 0.1, 1 << 20, program.limits, runtime)

    def run_all(self, programs: Iterable[Program]) -> Iterator[Outcome]:
        """One after the other."""
        return map(self.run, programs)

    def close(self) -> None:
        """Nothing is left running."""
        self.closed = True
