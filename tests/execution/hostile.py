"""What hostile programs have in common: each has the one verdict that is right.

The task is always the same: ``add(a, b)`` returns the sum. ``source`` is what a model would write after the prompt.
"""

from dataclasses import dataclass

from app.execution.protocol import Limits, Program, Verdict

PROMPT = 'def add(a, b):\n    """Return the sum of a and b."""\n'
TESTS = """
def check(candidate):
    assert candidate(1, 2) == 3
    assert candidate(-5, 5) == 0
    assert candidate(10, 32) == 42
"""


DEFAULTS = Limits()


@dataclass(frozen=True)
class Hostile:
    """What a model wrote, and what must come of it."""

    name: str
    expected: Verdict
    body: str
    note: str = ""
    limits: Limits = DEFAULTS
    tests: str = TESTS

    @property
    def program(self) -> Program:
        return Program(PROMPT + self.body, self.tests, "add", PROMPT, limits=self.limits)
