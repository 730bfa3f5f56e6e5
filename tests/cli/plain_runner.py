"""A runner for tests of what comes before and after it: a fresh Python for each program, no wall around it."""

import subprocess
import sys
from collections.abc import Iterable, Iterator

from app.execution.protocol import Outcome, Program, Strength, Tier, Verdict


class PlainRunner:
    """Runs programs that tests wrote themselves."""

    tier = Tier.NONE

    def run(self, program: Program) -> Outcome:
        """As the published harness runs it: everything in one process."""
        whole = f"{program.source}\n{program.tests}\ncheck({program.entry_point})\n"
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-c", whole],
                capture_output=True,
                text=True,
                check=False,
                timeout=program.limits.wall,
            )
        except subprocess.TimeoutExpired:
            return self._outcome(program, Verdict.TIMEOUT, "wall time", "")
        last = (done.stderr.strip().splitlines() or [""])[-1]
        is_failure = last.startswith("AssertionError")
        verdict = Verdict.FAILED if is_failure else Verdict.ERROR
        return self._outcome(program, Verdict.PASSED if done.returncode == 0 else verdict, last, done.stderr)

    def run_all(self, programs: Iterable[Program]) -> Iterator[Outcome]:
        """One after the other."""
        return map(self.run, programs)

    def close(self) -> None:
        """Nothing stays open."""

    def _outcome(self, program: Program, verdict: Verdict, reason: str, stderr: str) -> Outcome:
        return Outcome(
            verdict=verdict,
            reason=reason,
            stderr=stderr[-1500:],
            stdout="",
            tier=self.tier,
            strength=Strength.IN_PROCESS,
            cpu_seconds=0.0,
            wall_seconds=0.0,
            memory_bytes=0,
            limits=program.limits,
            runtime="python:test",
        )
