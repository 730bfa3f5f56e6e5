"""One transformation tried on a text that somebody pastes. Nothing is stored."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import InvalidInput
from app.perturbations import Form, Mode, Outcome, PerturbationError, Problem, Transformation, find
from app.perturbations.half_solutions import half_solution
from app.words import gettext, human_number

LONGEST = 10_000  # characters of prompt and solution together, which the slowest rule changes in some three seconds
KEY = "pasted"  # what draws depend on beside transformation and seed
_FUNCTION = re.compile(r"^(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_INDENTED = re.compile(r"^[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What somebody pasted, and what is to be done with it. ``entry_point``: empty for the last function there."""

    prompt: str
    solution: str
    entry_point: str
    transformation: str
    seed: int
    mode: Mode


@dataclass(frozen=True, slots=True)
class Tried:
    """The problem as the transformation got it, and what came of it."""

    problem: Problem
    outcome: Outcome


def try_out(attempt: Attempt) -> Tried:
    """Change the text. InvalidInput where that can't be."""
    if len(attempt.prompt) + len(attempt.solution) > LONGEST:
        raise InvalidInput(
            gettext("More than %(most)s characters are too many to be tried here.", most=human_number(LONGEST)),
            remedy=gettext("Paste one function."),
        )
    try:
        rule = find(attempt.transformation)
        _check_is_quick(rule)
        problem = _problem(attempt)
        given = half_solution(problem) if rule.form is Form.HALF else problem
        return Tried(given, rule.perturb_all([given], attempt.seed, attempt.mode)[0])
    except PerturbationError as error:
        raise InvalidInput(str(error)) from error


def _check_is_quick(rule: Transformation) -> None:
    if rule.asks_a_model and rule.missing() is None:
        raise InvalidInput(
            gettext("%(name)s asks a model, which takes a worker.", name=rule.name),
            remedy=gettext("Make a set with it, and look at its pairs."),
        )


def _problem(attempt: Attempt) -> Problem:
    """The pasted text as a problem. A solution begins on a line of its own, as those of benchmarks do."""
    prompt = attempt.prompt if attempt.prompt.endswith("\n") or not attempt.solution else f"{attempt.prompt}\n"
    return Problem(
        key=KEY, prompt=prompt, entry_point=_entry_point(attempt), canonical_solution=attempt.solution, tests=""
    )


def _entry_point(attempt: Attempt) -> str:
    names, wanted = _FUNCTION.findall(attempt.prompt), attempt.entry_point
    if names and wanted in ("", *names):
        return wanted or names[-1]
    raise _no_function(wanted, names, _INDENTED.findall(attempt.prompt))


def _no_function(wanted: str, names: Sequence[str], inside: Sequence[str]) -> InvalidInput:
    """There is none of that name; or one that stands in a class or in another function, where no rule looks."""
    if inside and wanted in ("", *inside):
        return InvalidInput(
            gettext("The function %(name)s does not begin at the start of a line.", name=repr(wanted or inside[-1])),
            remedy=gettext("Paste it without the class or the function around it, and without its indentation."),
        )
    if wanted and (names or inside):
        return InvalidInput(gettext("There is no function %(name)s in the text.", name=repr(wanted)))
    return InvalidInput(
        gettext("There is no function in the text."),
        remedy=gettext("Paste its head, such as def add(x, y):, with the docstring below."),
    )
