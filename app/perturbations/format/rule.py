"""What the rules of format have in common."""

from abc import abstractmethod
from dataclasses import replace

from app.perturbations.protocol import Category, Mode, Outcome, Perturbed, Problem, Unchanged
from app.perturbations.python.rule import PythonRule


class FormatRule(PythonRule):
    """By the paper's rules a change of the program that is read; as released, a change of the prompt's bare text."""

    category = Category.FORMAT

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        if mode is Mode.PAPER:
            return super().perturb(problem, seed, mode)
        self.check(problem, mode)
        return with_prompt(problem, self.released(problem.prompt, problem.entry_point))

    @abstractmethod
    def released(self, prompt: str, entry_point: str) -> str:
        """The prompt that the released files have; the solution stays as it is there."""


def with_prompt(problem: Problem, prompt: str) -> Outcome:
    """The problem with another prompt, unless it is the same."""
    if prompt == problem.prompt:
        return Unchanged("There is nothing that the rule changes.")
    return Perturbed(replace(problem, prompt=prompt))
