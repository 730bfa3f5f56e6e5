"""What a transformation is: a problem and a seed in, a changed problem or the reason why nothing changed out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol


class PerturbationError(ValueError):
    """A problem can't be perturbed as asked, or something that it takes is missing; the message says what to do."""


class Mode(StrEnum):
    """Whose rules: the paper's text, or what made the files that its authors released."""

    PAPER = "paper"
    RELEASED = "released"


class Category(StrEnum):
    """What of a prompt is changed (ReCode, section 3)."""

    DOCSTRING = "docstring"
    FUNCTION_NAME = "function_name"
    SYNTAX = "syntax"
    FORMAT = "format"


class Form(StrEnum):
    """How much of a problem a model sees: its prompt, or half of its solution, too."""

    WHOLE = "whole"
    HALF = "half"


@dataclass(frozen=True, slots=True)
class Problem:
    """A function to be written: ``canonical_solution`` continues ``prompt``, and ``tests`` call ``entry_point``.

    In the form with half a solution the prompt ends with that half, and the canonical solution is the other one.
    """

    key: str
    prompt: str
    entry_point: str
    canonical_solution: str = ""
    tests: str = ""
    form: Form = Form.WHOLE
    language: str = "python"


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A changed problem: its parts still belong together."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class Unchanged:
    """There was nothing to change, or chance changed nothing; the reason is for people to read."""

    reason: str


Outcome = Perturbed | Unchanged


class Transformation(Protocol):
    """One rule. Instances never change and are safe in threads: same problem, seed and mode, same bytes."""

    category: ClassVar[Category]
    label: ClassVar[str]  # as the paper calls it: "ButterFingers"
    released_name: ClassVar[str | None]  # in the released files' names; None: they have none
    is_random: ClassVar[bool]  # else every seed gives the same
    form: ClassVar[Form]  # which prompts it is for
    modes: ClassVar[frozenset[Mode]]  # those that it can make by itself
    languages: ClassVar[frozenset[str]]
    asks_a_model: ClassVar[bool]  # which takes memory and time: work for a worker

    @property
    def name(self) -> str:
        """The key in tables, files and the API: ``docstring/ButterFingers``."""
        ...

    def missing(self) -> str | None:
        """What this machine lacks to run it, and how to get it; None where all is there."""
        ...

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """The problem changed by draws that depend on the rule, the problem's key and ``seed`` (0, 1, …) alone.

        PerturbationError: the rule does not know this mode or language, or lacks what ``missing`` names. A problem
        that can't be read (no such function, text that is no program) is not an error but unchanged.
        """
        ...

    def perturb_all(self, problems: Sequence[Problem], seed: int, mode: Mode = Mode.PAPER) -> list[Outcome]:
        """Each in turn. Only a released rule whose generator ran on from problem to problem needs the others."""
        ...


class Rule(ABC):
    """What most transformations have in common; a subclass says the rest and writes ``perturb``."""

    category: ClassVar[Category]
    label: ClassVar[str]
    released_name: ClassVar[str | None] = None
    is_random: ClassVar[bool] = False
    form: ClassVar[Form] = Form.WHOLE
    modes: ClassVar[frozenset[Mode]] = frozenset(Mode)
    languages: ClassVar[frozenset[str]] = frozenset({"python"})
    asks_a_model: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Unique among all transformations."""
        return f"{self.category}/{self.label}"

    def missing(self) -> str | None:
        """Nothing beyond the product itself."""
        return None

    @abstractmethod
    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""

    def perturb_all(self, problems: Sequence[Problem], seed: int, mode: Mode = Mode.PAPER) -> list[Outcome]:
        """Each by itself."""
        return [self.perturb(problem, seed, mode) for problem in problems]

    def check(self, problem: Problem, mode: Mode) -> None:
        """PerturbationError where ``perturb`` can't be asked this."""
        if mode not in self.modes:
            known = " and ".join(sorted(self.modes))
            raise PerturbationError(
                f"{self.name} can't be made in the mode {mode.value!r}, only in {known}; "
                "import the released files instead."
            )
        if problem.language not in self.languages:
            known = ", ".join(sorted(self.languages))
            raise PerturbationError(f"{self.name} changes {known}; problem {problem.key!r} is {problem.language}.")
        if (lack := self.missing()) is not None:
            raise PerturbationError(f"{self.name} is not available: {lack}")
