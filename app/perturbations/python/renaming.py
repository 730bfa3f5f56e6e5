"""Variables of a function that may get another name, and how they get it."""

import ast
import re
from functools import lru_cache
from typing import NamedTuple

from app.metrics.name_scopes import Variable
from app.metrics.python_syntax import parse_python
from app.perturbations.edits import Edit
from app.perturbations.protocol import Outcome
from app.perturbations.python.edits import changed
from app.perturbations.python.names import RESERVED, declared_elsewhere, reads_its_names, taken
from app.perturbations.python.scopes import scopes
from app.perturbations.python.source import Positioned, Source
from app.perturbations.python.tokens import identifiers

# Names of types that ReCode's scripts leave alone; builtins are left alone anyway.
TYPES = frozenset({"List", "Dict", "Tuple", "Set", "Optional", "Any", "Union", "self", "cls"})


class Renamable(NamedTuple):
    """A variable of the function: its name and the places where it stands, in the text's order."""

    name: str
    places: tuple[int, ...]
    visible: int  # so many of them in the visible part


@lru_cache(maxsize=256)
def renamable(source: Source) -> tuple[Renamable, ...]:
    """Parameters and local variables, in the order in which they first come; imports, functions and globals never.

    None where the program reads the names of its variables. A parameter that is passed by its name, in the program or
    in its tests, stays.
    """
    if reads_its_names(source):
        return ()
    found = scopes(source)
    inside = set(ast.walk(source.function))
    listed = [
        Renamable(variable.name, places, sum(place < source.split for place in places))
        for variable, mentions in found.mentions.items()
        if found.owners[variable.block] in inside and _may_change(source, variable, mentions)
        if (places := _places(source, variable.name, mentions))
    ]
    return tuple(sorted(listed, key=lambda each: each.places[0]))


def most_frequent(source: Source, *, visible_only: bool) -> Renamable | None:
    """The one that stands most often in the visible part, or in the whole function; of equals the first."""
    seen = [each for each in renamable(source) if each.visible]
    return max(seen, key=lambda each: each.visible if visible_only else len(each.places), default=None)


def renamed(source: Source, old: Renamable, new: str) -> Outcome:
    """The problem with the variable under another name wherever it stands; words in strings and comments stay."""
    length = len(old.name.encode("utf-8"))
    return changed(source, [Edit(place, place + length, new) for place in old.places])


def _may_change(source: Source, variable: Variable, mentions: tuple[Positioned, ...]) -> bool:
    name = variable.name
    if name in RESERVED | TYPES | declared_elsewhere(source) or name.startswith("__"):
        return False
    if isinstance(scopes(source).owners[variable.block], ast.ClassDef) or not _called(source).isdisjoint(mentions):
        return False
    is_parameter = any(isinstance(mention, ast.arg) for mention in mentions)
    is_plain = all(isinstance(mention, ast.Name | ast.arg) for mention in mentions)
    return is_plain and not (is_parameter and name in _passed_by_name(source))


def _places(source: Source, name: str, mentions: tuple[Positioned, ...]) -> tuple[int, ...]:
    """Where they stand; none where tree-sitter sees another word at one, or one that is a string's text, too."""
    known = identifiers(source)
    places = sorted(source.start(node) for node in mentions)
    return tuple(places) if all(known.get(place) == name for place in places) else ()


@lru_cache(maxsize=256)
def _called(source: Source) -> frozenset[ast.AST]:
    return frozenset(node.func for node in ast.walk(source.tree) if isinstance(node, ast.Call))


@lru_cache(maxsize=256)
def _passed_by_name(source: Source) -> frozenset[str]:
    """Names of arguments in the program's and its tests' calls; any word could be one where ``**`` passes some."""
    tests = parse_python(source.problem.tests)
    trees = [source.tree] if tests is None else [source.tree, tests]
    named = {node.arg for tree in trees for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    if tests is None:
        named |= set(re.findall(r"(\w+)\s*=", source.problem.tests))
    return taken(source) if None in named else frozenset(name for name in named if name)
