"""A worker that is killed while a set is made: ``python -m tests.perturbing.killed RUN``."""

import os
import signal
import sys

from app.config import get_settings
from app.perturbations import Mode, Outcome, Problem, registry
from app.perturbations.protocol import Rule
from app.services.perturbing import runs, sources
from app.services.runs import execute
from app.storage.engine import Database
from tests.perturbing.conftest import RULES, Shout

STORED = 4


class Killed(Shout):
    """Takes its process with it at the fifth problem."""

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """Four, and no goodbye."""
        if len(self.calls) == STORED:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().perturb(problem, seed, mode)


if __name__ == "__main__":
    settings = get_settings()
    classes: list[type[Rule]] = [Killed, *RULES[1:]]
    registry._known |= {each.name: each for each in (made() for made in classes)}
    runs.SECONDS_A_CHUNK, sources.AT_ONCE = 0.0, 1  # each row is stored as it comes
    execute(Database(settings.effective_database_url), settings, int(sys.argv[1]))
