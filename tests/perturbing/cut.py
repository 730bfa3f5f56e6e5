"""A command that a signal meets in the middle: ``python -m tests.perturbing.cut SIGNAL STEP perturb BENCHMARK ...``.

STEP is ``perturbing``, at the fifth problem, ``insisting``, there and again a second later, or ``judging``, at the
canonical solutions.
"""

import os
import sys
import time

from app.cli import main
from app.config import Settings
from app.execution.protocol import Outcome as Judged
from app.execution.protocol import Program, Runner
from app.perturbations import Mode, Outcome, Problem, registry
from app.perturbations.protocol import Rule
from app.services.execution import runs as judging
from app.services.perturbing import runs, sources
from tests.perturbing.conftest import RULES, Shout
from tests.plain_runner import PlainRunner

STORED = 4
SIGNAL, STEP = int(sys.argv[1]), sys.argv[2]


def _cut() -> None:
    os.kill(os.getpid(), SIGNAL)
    if STEP == "insisting":
        time.sleep(1)
        os.kill(os.getpid(), SIGNAL)
    time.sleep(3)  # whoever is asked to stop is heard meanwhile


class Cut(Shout):
    """Four, and then the signal."""

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """As ever, if that is not where it is cut."""
        if STEP != "judging" and len(self.calls) == STORED:
            _cut()
        return super().perturb(problem, seed, mode)


class CutRunner(PlainRunner):
    """The signal, and then verdicts."""

    def run(self, program: Program) -> Judged:
        """As ever, if that is not where it is cut."""
        if STEP == "judging":
            _cut()
        return super().run(program)


def _opened(_settings: Settings) -> Runner:
    return CutRunner()


if __name__ == "__main__":
    classes: list[type[Rule]] = [Cut, *RULES[1:]]
    registry._known |= {each.name: each for each in (made() for made in classes)}
    runs.SECONDS_A_CHUNK, sources.AT_ONCE = 0.0, 1  # each row is stored as it comes
    judging.open_for = _opened
    sys.argv[1:] = sys.argv[3:]
    main()
