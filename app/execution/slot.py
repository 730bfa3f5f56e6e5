"""One place in which programs run, one after the other: a fork server, replaced when worn or broken."""

import threading
from typing import Any

from app.execution.jobs import as_job, as_outcome, nothing
from app.execution.languages import Unusable, plan_of, version_of
from app.execution.protocol import Outcome, Program, Strength, Verdict
from app.execution.turns import Turns
from app.execution.zygote_process import BrokenSandbox, Plan, Zygote

MOST_JOBS = 2000
GRACE_SECONDS = 5.0
STARVED = 0.5  # of the wall time: a program that got less of the processor may only have been crowded out


class Slot:
    """Used by one thread at a time."""

    def __init__(self, plan: Plan, turns: Turns) -> None:
        self._plan = plan
        self._turns = turns
        self.zygote: Zygote | None = None
        self._python = ""  # its version, once one ran
        self._stopped = threading.Event()

    def run(self, program: Program) -> Outcome:
        """To its verdict, with what is owed a second try tried again."""
        try:
            runtime = plan_of(program)
            ran_by = version_of(program.language) if runtime else None
        except Unusable as reason:
            return nothing(Verdict.NOT_RUN, str(reason), program.limits, self._plan.tier)
        with self._turns.beside_others():
            report = self._report(program, runtime)
        if isinstance(report, str):
            return nothing(Verdict.SANDBOX_ERROR, report, program.limits, self._plan.tier)
        if _was_starved(report):
            with self._turns.alone():
                again = self._report(program, runtime)
            report = report if isinstance(again, str) else again
        return as_outcome(report, program.limits, self._plan.tier, ran_by or f"python:{self._python}")

    def stop(self) -> None:
        """From any thread: whatever runs is ended at once, and nothing runs here any more."""
        self._stopped.set()
        if zygote := self.zygote:
            zygote.interrupt()

    def close(self) -> None:
        """End the fork server."""
        if self.zygote:
            self.zygote.close()
            self.zygote = None

    def _report(self, program: Program, runtime: dict[str, Any] | None) -> dict[str, Any] | str:
        """The judge's report, or why there is none after a second try on a fresh fork server."""
        try:
            return self._judged(program, runtime)
        except BrokenSandbox:
            self.close()
        try:
            return self._judged(program, runtime)
        except BrokenSandbox as error:
            self.close()
            return str(error)

    def _judged(self, program: Program, runtime: dict[str, Any] | None) -> dict[str, Any]:
        seconds = program.limits.wall + GRACE_SECONDS
        if runtime:
            job = as_job(program, Strength.IN_PROCESS, runtime)
            return self._warm().judge(job, seconds + runtime["compile_seconds"] + GRACE_SECONDS)
        report = self._warm().judge(as_job(program, Strength.JUDGE), seconds)
        if report["verdict"] == "unsplittable":
            report = self._warm().judge(as_job(program, Strength.IN_PROCESS), seconds)
        return report

    def _warm(self) -> Zygote:
        if self.zygote and self.zygote.jobs >= MOST_JOBS:
            self.close()
        if self.zygote is None and not self._stopped.is_set():
            self.zygote = Zygote(self._plan)
        if self.zygote is None or self._stopped.is_set():
            raise BrokenSandbox("the sandbox was closed")
        self._python = self.zygote.python
        return self.zygote


def _was_starved(report: dict[str, Any]) -> bool:
    return bool(report["limit"] == "wall" and report["cpu"] < report["wall"] * STARVED)
