"""A docstring's prose: what of a prompt may be changed, and the problem with it changed."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from app.metrics.python_syntax import parse_python
from app.perturbations.docstrings import find_docstring, prose_end
from app.perturbations.edits import Edit, apply
from app.perturbations.protected import protected, protected_names
from app.perturbations.protocol import Outcome, Perturbed, Problem, Unchanged

NO_DOCSTRING = "The prompt has no docstring that can be read."
NO_PROSE = "The docstring has no prose before its examples."
NOTHING_CHANGED = "Chance changed nothing."
NOTHING_TO_CHANGE = "There is nothing that the rule could change."


@dataclass(frozen=True, slots=True)
class Prose:
    """``text`` begins at ``start`` in the prompt; ``is_free`` says of each character whether it may change."""

    start: int
    text: str
    is_free: tuple[bool, ...]

    def may_change(self, start: int, end: int) -> bool:
        """Whether all these characters may change."""
        return all(self.is_free[start:end])

    @property
    def free_text(self) -> str:
        """What may change, with a line break in the place of each other character."""
        return "".join(each if free else "\n" for each, free in zip(self.text, self.is_free, strict=True))


@lru_cache(maxsize=2048)
def read_prose(problem: Problem) -> Prose | Unchanged:
    """The prose of the problem's docstring, or why there is none. Kept, since each rule and each seed asks for it."""
    span = find_docstring(problem)
    if span is None:
        return Unchanged(NO_DOCSTRING)
    end = prose_end(problem.prompt, *span, problem.entry_point)
    start = min(end, end - len(problem.prompt[span.start : end].lstrip()))
    if start >= end:
        return Unchanged(NO_PROSE)
    text = problem.prompt[start:end]
    flags = protected(text, protected_names(problem))
    return Prose(start, text, tuple(not each for each in flags))


def why_unchanged(*, could_change: bool) -> str:
    """Whether chance left a text as it is, or a rule found nothing in it."""
    return NOTHING_CHANGED if could_change else NOTHING_TO_CHANGE


def with_prompt(problem: Problem, prompt: str, unchanged: str, *, is_checked: bool = True) -> Outcome:
    """The problem with this prompt, as long as the program around its docstring stays what it was."""
    if prompt == problem.prompt:
        return Unchanged(unchanged)
    if is_checked and _code(prompt, problem) != _code(problem.prompt, problem):
        return Unchanged("The changed docstring would end before its quotes, or parse as something else.")
    return Perturbed(replace(problem, prompt=prompt))


def with_prose(problem: Problem, prose: Prose, text: str, unchanged: str) -> Outcome:
    """The problem with this text in the prose's place."""
    behind = prose.start + len(prose.text)
    return with_prompt(problem, problem.prompt[: prose.start] + text + problem.prompt[behind:], unchanged)


def edited(problem: Problem, prose: Prose, edits: Iterable[Edit], unchanged: str) -> Outcome:
    """The problem with changes at places of the prose."""
    return with_prose(problem, prose, apply(prose.text, edits), unchanged)


def _code(prompt: str, problem: Problem) -> str | None:
    """The program without the strings that stand alone in it."""
    tree = parse_python(prompt) or parse_python(prompt + problem.canonical_solution)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value.value = ""
    return ast.dump(tree)
