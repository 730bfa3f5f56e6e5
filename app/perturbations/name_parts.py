"""A function's name as words, and words as a name in the same style; what makes a name legal and free."""

import builtins
import keyword
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

from app.perturbations.programs import read_program
from app.perturbations.protocol import Problem

_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+|[^\W\d_A-Za-z]+")


@dataclass(frozen=True, slots=True)
class NameParts:
    """Words in small letters (capitals stay where all of a word are), and how they were joined."""

    before: str  # underscores in front
    words: tuple[str, ...]
    is_snake: bool  # joined by underscores, else by capitals
    behind: str

    def joined(self, words: Sequence[str]) -> str:
        """A name of other words in this style."""
        return self.before + (snake_case(words) if self.is_snake else camel_case(words)) + self.behind


def split_name(name: str) -> NameParts:
    """``has_close_elements`` and ``hasCloseElements`` are three words each."""
    core = name.strip("_")
    before, behind = name[: len(name) - len(name.lstrip("_"))], name[len(name.rstrip("_")) :] if core else ""
    if "_" in core or not core:
        return NameParts(before, tuple(word for word in core.split("_") if word), True, behind)
    humps = _HUMPS.findall(core)
    is_camel = core[:1].islower() and len(humps) > 1 and any(each.isupper() for each in core)
    words = (
        tuple(each if each.isupper() and len(each) > 1 else each.lower() for each in humps) if is_camel else (core,)
    )
    return NameParts(before, words, not is_camel, behind)


def is_respelled(first: str, second: str) -> bool:
    """Whether two names have the same letters but for case and underscores. Underscores that moved make other words:
    ``has_close`` is not ``ha_sclose``."""
    a, b = (name.strip("_").casefold() for name in (first, second))
    if "_" in a and "_" in b:
        return a == b
    return a.replace("_", "") == b.replace("_", "")


def snake_case(words: Sequence[str]) -> str:
    """``has_close_elements``."""
    return "_".join(words)


def camel_case(words: Sequence[str]) -> str:
    """``hasCloseElements``."""
    return "".join([*words[:1], *(word[:1].upper() + word[1:] for word in words[1:])])


def why_not(new: str, problem: Problem) -> str | None:
    """Why the function can't bear this name: it is none, Python knows it, or the problem uses it."""
    if not new.isidentifier():
        return f"{new!r} is no name."
    if keyword.iskeyword(new) or keyword.issoftkeyword(new):
        return f"{new!r} is a word of Python's own."
    if hasattr(builtins, new) or new in _names_in_use(problem):
        return f"The name {new!r} is in use."
    return None


def _names_in_use(problem: Problem) -> set[str]:
    programs = (read_program(text) for text in (problem.prompt + problem.canonical_solution, problem.tests))
    tokens = (token for program in programs if program is not None for token in program.tokens)
    return {token.text for token in tokens if token.kind == tokenize.NAME}
