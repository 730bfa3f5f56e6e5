"""Blocks that never run: where one may stand, which statements it may hold, and what keeps it from running."""

import ast
from functools import lru_cache
from random import Random
from typing import NamedTuple

from app.metrics.name_scopes import Variable
from app.perturbations.python.names import means_builtin, taken
from app.perturbations.python.scopes import is_read, scopes
from app.perturbations.python.source import Function, Source
from app.perturbations.python.statements import Placed, statements
from app.perturbations.python.tokens import strings

_DECLARE = (ast.Global, ast.Nonlocal)  # before one of these its names may not be used
_STAY_ALONE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, *_DECLARE)
DIGITS = 10  # the counters are _i_0 to _i_9


class Copied(NamedTuple):
    """The lines of a statement, the first one without indentation; needs_loop: it must stand in a loop."""

    lines: tuple[str, ...]
    needs_loop: bool


def places(source: Source) -> list[Placed]:
    """Statements that begin a line in the visible part: a block may stand before each, in the text's order."""
    declared = {scope: source.start(node) for node, scope in statements(source) if isinstance(node, _DECLARE)}
    return [
        placed
        for placed in statements(source)
        if _may_stand_before(source, placed.node) and source.start(placed.node) > declared.get(placed.scope, -1)
    ]


def _may_stand_before(source: Source, node: ast.stmt) -> bool:
    start = source.start(node)
    is_elif = isinstance(node, ast.If) and source.code.startswith(b"elif", start)
    is_decorated = bool(getattr(node, "decorator_list", ()))
    return (
        source.body_start <= start < source.split and source.begins_line(start) and not is_elif and not is_decorated
    )


@lru_cache(maxsize=256)
def choices(source: Source) -> tuple[tuple[Placed, list[Copied]], ...]:
    """Each place with the statements that can be copied there, where there are any."""
    return tuple((place, found) for place in places(source) if (found := copies(source, place)))


def copies(source: Source, place: Placed) -> list[Copied]:
    """Statements to copy there: wholly visible, of the same function, and without variables that are not yet set."""
    known = _set_before(source, source.start(place.node))
    found = _candidates(source)
    return [copied for scope, needed, copied in found if scope is place.scope and needed <= known]


@lru_cache(maxsize=256)
def _candidates(source: Source) -> tuple[tuple[Function, set[Variable], Copied], ...]:
    """Of each statement that can be copied its function and what must be set before; once for all places."""
    return tuple(
        (scope, _needed(source, node, scope), _copied(source, node))
        for node, scope in statements(source)
        if _may_be_copied(source, node)
    )


def _set_before(source: Source, place: int) -> set[Variable]:
    variables = scopes(source).variables.items()
    return {variable for node, variable in variables if not is_read(node) and source.start(node) < place}


def _needed(source: Source, node: ast.stmt, scope: Function) -> set[Variable]:
    """Variables of the function that a statement reads, without those that a compound one sets itself."""
    found, parts = scopes(source), list(ast.walk(node))
    updated = {part.target for part in parts if isinstance(part, ast.AugAssign)}
    mentions = [(part, found.variables[part]) for part in parts if part in found.variables]
    own = [(part, variable) for part, variable in mentions if found.owners[variable.block] is scope]
    read = {variable for part, variable in own if is_read(part) or part in updated}
    is_compound = hasattr(node, "body")
    return read - {variable for part, variable in own if is_compound and not is_read(part) and part not in updated}


def _may_be_copied(source: Source, node: ast.stmt) -> bool:
    start, end = source.start(node), source.end(node)
    if end > source.split or source.code.startswith(b"elif", start):
        return False
    parts = list(ast.walk(node))
    if (
        2 * len(parts) >= sum(1 for _ in ast.walk(source.function))
        or isinstance(node, ast.Pass)
        or any(isinstance(part, _STAY_ALONE) for part in parts)
    ):
        return False
    return not any(
        start <= token.start < end and _spans_lines(source, token.start, token.end) for token in strings(source)
    )


def _spans_lines(source: Source, start: int, end: int) -> bool:
    return source.line_end(start) < end


def _copied(source: Source, node: ast.stmt) -> Copied:
    start = source.start(node)
    first, *others = source.text(start, source.end(node)).split("\n")
    indent = source.indent(start)
    return Copied((first, *(line.removeprefix(indent) for line in others)), _leaves_loop(node))


def _leaves_loop(node: ast.AST) -> bool:
    """Whether a ``break`` or ``continue`` in it belongs to a loop around it."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(_leaves_loop(child) for child in node.orelse)
    return any(_leaves_loop(child) for child in ast.iter_child_nodes(node))


def block(source: Source, copied: Copied, indent: str, draws: Random) -> list[str]:
    """The lines of a dead block with the copied statement in it: a loop over nothing, or what is never true."""
    head = draws.choice(_heads(source, copied, draws))
    inner = indent + _unit(source)
    return [f"{indent}{line}" for line in head] + [f"{inner}{line}" if line else line for line in copied.lines]


def _heads(source: Source, copied: Copied, draws: Random) -> list[list[str]]:
    counter = _counter(source, draws)
    never = draws.choice([[], [counter, "<"], [counter, ">"]])
    before = [f"{counter} = 0"] if never else []
    condition = " ".join([*never, counter]) if never else "False"
    heads = [[*before, f"while {condition}:"]]
    if means_builtin(source, "range"):
        heads.append([f"for {counter} in range(0):"])
    if not copied.needs_loop:
        heads.append([*before, f"if {condition}:"])
    return heads


def _counter(source: Source, draws: Random) -> str:
    first = draws.randrange(DIGITS)
    names = (f"_i_{(first + number) % DIGITS if number < DIGITS else number}" for number in range(len(taken(source))))
    return next(name for name in names if name not in taken(source))


def _unit(source: Source) -> str:
    body: Function = source.function
    return source.indent(source.start(body.body[0])).removeprefix(source.indent(source.start(body))) or "    "
