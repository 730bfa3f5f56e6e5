"""Where text that people read (docstrings, comments) means a function by its name, and not a word like any other."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from app.metrics.python_syntax import parse_python
from app.perturbations.edits import Edit

_LITERAL = re.compile(r"([A-Za-z]*)(\"\"\"|'''|\"|')(.*)\2", re.DOTALL)
_DOCTEST = re.compile(r"^[^\S\n]*(?:[rRuU]?[\"']{1,3}\s*)?(?:>>>|\.\.\.)[^\n]*", re.MULTILINE)


def mentions(text: str, old: str, new: str) -> Iterator[Edit]:
    """Changes of a text by which it means ``new`` where it meant ``old``.

    A name that could be no English word (``sort_third``, ``digitSum``) is meant wherever it stands. Any other one
    (``add``, ``f``) is meant in calls, in examples, in backticks, and beside "function" and its like.
    """
    doctests = [found.span() for found in _DOCTEST.finditer(text)]
    pattern = _anywhere(old) if _is_distinctive(old) else _as_function(old)
    places = {found.span(1) for found in pattern.finditer(text)}
    in_examples = (found.span(1) for found in _anywhere(old).finditer(text))
    places |= {place for place in in_examples if any(a <= place[0] < b for a, b in doctests)}
    return (Edit(start, end, new) for start, end in sorted(places))


def _is_distinctive(name: str) -> bool:
    return not name.isalpha() or not (name.islower() or name.istitle() or name.isupper())


@lru_cache(maxsize=512)
def _anywhere(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.])({re.escape(name)})(?!\w)")


@lru_cache(maxsize=512)
def _as_function(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    before = "|".join(rf"(?<={each})" for each in ("function ", "method ", "named ", "called ", "def ", "`"))
    return re.compile(rf"(?<![\w.])(?:(?={word}\()|{before})({word})(?!\w)")


def calls_in_string(literal: str, old: str, new: str) -> Iterator[Edit]:
    """Changes of a string in a program that is all code and calls the function, as what eval gets.

    Any other string is data, or words that no program reads, and stays.
    """
    found = _LITERAL.fullmatch(literal)
    if found is None or "b" in found[1].lower() or not _calls(found[3], old):
        return
    for use in _anywhere(old).finditer(literal, *found.span(3)):
        if literal[use.end() :].lstrip().startswith("("):
            yield Edit(*use.span(), new)


def uses_in_f_string(literal: str, old: str, new: str) -> Iterator[Edit]:
    """Changes of an f-string as one token, as Python before 3.12 has it: of names inside its braces."""
    for start, end in _expressions(literal):
        for use in _anywhere(old).finditer(literal, start, end):
            yield Edit(*use.span(), new)


def _expressions(literal: str) -> Iterator[tuple[int, int]]:
    """Where an f-string's outermost braces are; doubled ones are characters like any other."""
    depth = start = 0
    for brace in re.finditer(r"\{\{|\}\}|\{|\}", literal):
        if len(brace[0]) == 2 and depth == 0:
            continue
        if depth == 0:
            start = brace.start()
        depth += len(brace[0]) if brace[0][0] == "{" else -len(brace[0])
        if depth <= 0:
            yield start, brace.end()
            depth = 0


def is_f_string(literal: str) -> bool:
    """Whether its prefix says so."""
    found = _LITERAL.fullmatch(literal)
    return found is not None and "f" in found[1].lower()


def _calls(code: str, name: str) -> bool:
    tree = parse_python(code) if name in code else None
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    return any(isinstance(each, ast.Name) and each.id == name for each in called)
