"""What all rules that change a Python program's code have in common."""

from abc import abstractmethod
from random import Random

from app.perturbations.protocol import Form, Mode, Outcome, Problem, Rule, Unchanged
from app.perturbations.python.source import Source, read
from app.perturbations.seeds import generator


class PythonRule(Rule):
    """Sees the whole program, and changes its visible half; a subclass writes ``change``."""

    form = Form.HALF

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        source = read(problem)
        if isinstance(source, Unchanged):
            return source
        return self.change(source, generator(self.name, problem.key, seed), mode)

    @abstractmethod
    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """The changed problem; rules without chance leave ``draws`` alone."""
